/** The version has one source, package.json: the program on each host, its document and the changelog agree. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { createNodeTarget } from "../support/node-target.ts";
import type { Target } from "../support/target.ts";
import { workerdTargets } from "../support/workerd-target.ts";

const ROOT = join(import.meta.dirname, "../..");

const readText = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const { version } = JSON.parse(readText("package.json")) as { readonly version: string };

const workerd = workerdTargets();
afterAll(() => workerd.closeAll());

describe("the version of package.json", () => {
  it("is printed by --version", async () => {
    expect((await promisify(execFile)(process.execPath, [MAIN_PATH, "--version"])).stdout).toBe(`${version}\n`);
  });

  it.each<[string, () => Promise<Target>]>([
    ["Node", createNodeTarget],
    ["workerd", workerd],
  ])("is in /health/detailed and openapi.json on %s", async (_host, makeTarget) => {
    const target = await makeTarget();
    const [details, document] = await Promise.all(
      ["/health/detailed", "/api/openapi.json"].map(async (path) => (await target.fetch(path)).json()),
    );
    await target.close();
    expect([details, document]).toMatchObject([{ version }, { info: { version } }]);
  });

  it("is that of the lock file and of the newest release in CHANGELOG.md", () => {
    const lock = JSON.parse(readText("package-lock.json")) as { readonly version: string; readonly packages: { "": { version: string } } };
    const [, newest] = /^## (\d+\.\d+\.\d\S*)/m.exec(readText("CHANGELOG.md")) ?? [];
    expect([lock.version, lock.packages[""].version, newest]).toEqual([version, version, version]);
  });
});
