/** Clones of the repository: its sources in a folder of their own, not built. */
import { cp, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "./temp-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** What a build and a package are made of. */
const CLONED = [
  ...["adapters", "dashboard", "deploy", "docs", "src", "tracker"],
  ...["package.json", "package-lock.json", "tsconfig.json", "LICENSE"],
  ...["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
];

/** A clone with the packages of this repository. The caller removes it. */
export async function makeClone(): Promise<string> {
  const clone = await makeTempFolder();
  for (const name of CLONED) await cp(join(ROOT, name), join(clone, name), { recursive: true });
  await symlink(join(ROOT, "node_modules"), join(clone, "node_modules"));
  return clone;
}
