/** The two tiers together leave out no test file, and the list of files that differ in them is right. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FILES, MORE_IN_ALL, ONLY_IN_ALL } from "../support/tier-files.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TIER = join(ROOT, "test/support/tier.ts");
const FOLDERS = [".ci", "adapters", "dashboard", "docs", "src", "test", "tools", "tracker"];

const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);

/** Whatever is named as a test, in any of the ways that are common. */
const testFiles = FOLDERS.flatMap(filesBelow).filter((path) => /[.-](?:test|spec)\.[cm]?[jt]sx?$/.test(path));

/** Types are nothing when the tests run. */
const importsOf = (path: string): string[] =>
  [...readFileSync(path, "utf8").matchAll(/^(?:import|export) (?!type )[^;"]*"(\.[^"]+\.ts)"/gm)].map(([, name = ""]) =>
    resolve(dirname(path), name),
  );

function asksTheTier(path: string, seen = new Set<string>()): boolean {
  if (path === TIER) return true;
  if (seen.has(path) || !path.startsWith(join(ROOT, "test"))) return false;
  seen.add(path);
  return importsOf(path).some((imported) => asksTheTier(imported, seen));
}

describe("the tiers", () => {
  it("include every test file below test/, if it is named *.test.ts", () => {
    expect(FILES.quick.include).toEqual(["test/**/*.test.ts"]);
    const quick = testFiles.filter((path) => /^test\/.*\.test\.ts$/.test(path) && !FILES.quick.exclude.includes(path));
    expect(testFiles.filter((path) => !quick.includes(path) && !FILES.all.include.includes(path))).toEqual([]);
  });

  it("name only existing files, each once", () => {
    const named = [...ONLY_IN_ALL, ...MORE_IN_ALL];
    expect(named.filter((path) => !testFiles.includes(path))).toEqual([]);
    expect(named).toHaveLength(new Set(named).size);
  });

  it("differ in the files that depend on the tier, all of which `all` runs again", () => {
    const differing = testFiles.filter((path) => !ONLY_IN_ALL.includes(path) && asksTheTier(join(ROOT, path)));
    expect([...MORE_IN_ALL].sort()).toEqual(differing.sort());
  });
});
