/** Comments cite existing pages and sections of docs/. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { headingsOf } from "./http-api-page.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const FOLDERS = ["src", "adapters", "tracker", "dashboard", "test"];

const SOURCE = /\.(?:ts|tsx|mts|mjs)$/;

const CITATION = /docs\/([\w/-]+\.md), "([^"]+)"/g;

/** A comment goes on behind ` * ` or `//` in the next line. */
const joined = (source: string): string => source.replaceAll(/\s*\n\s*(?:\*|\/\/) /g, " ");

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
).filter((name) => SOURCE.test(name) && !name.startsWith("test/docs/"));

function problemOf(page: string, section: string): string | null {
  const path = join(ROOT, "docs", page);
  if (!existsSync(path)) return "there is no such page";
  return headingsOf(readFileSync(path, "utf8")).includes(section) ? null : "the page has no such section";
}

describe("citations of docs/", () => {
  it("every citation of docs/ names a page and a section that exist", () => {
    const problems = files.flatMap((file) =>
      [...joined(readFileSync(join(ROOT, file), "utf8")).matchAll(CITATION)].flatMap(([citation, page = "", section = ""]) => {
        const problem = problemOf(page, section);
        return problem === null ? [] : [`${file}: ${citation}: ${problem}`];
      }),
    );
    expect(problems, "cite a section that exists, or give the section its name back").toEqual([]);
  });
});
