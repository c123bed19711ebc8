/** The version has one source, package.json: the command and the changelog agree with it. `version.suite.ts` asks the hosts. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { PACKAGE_VERSION } from "./version.suite.ts";

const ROOT = join(import.meta.dirname, "../..");

const readText = (name: string): string => readFileSync(join(ROOT, name), "utf8");

it("sandpiper --version prints the version of package.json", async () => {
  expect((await promisify(execFile)(process.execPath, [MAIN_PATH, "--version"])).stdout).toBe(`${PACKAGE_VERSION}\n`);
});

it("the lock file and the newest release in CHANGELOG.md have the version of package.json", () => {
  const lock = JSON.parse(readText("package-lock.json")) as { readonly version: string; readonly packages: { "": { version: string } } };
  const [, newest] = /^## (\d+\.\d+\.\d\S*)/m.exec(readText("CHANGELOG.md")) ?? [];
  expect([lock.version, lock.packages[""].version, newest]).toEqual([PACKAGE_VERSION, PACKAGE_VERSION, PACKAGE_VERSION]);
});
