/** What `npm ci` says about the packages, on the Node that runs the tests: the workflows run them on every supported one. */
import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";

const ROOT = join(import.meta.dirname, "../..");

it("npm ci accepts the lock file, and no package needs another version of Node", async () => {
  const folder = await tempFolder();
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) await cp(join(ROOT, name), join(folder, name));
  const flags = ["--dry-run", "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { stdout, stderr } = await promisify(execFile)("npm", ["ci", ...flags], { cwd: folder });
  expect(stdout).toMatch(/added \d+ packages/);
  expect(stderr).not.toContain("EBADENGINE");
});
