/** A repository to release from, in a temporary folder: the release script in a small project, or this whole project. */
import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { tempFolder } from "./temp-folder.ts";

const ROOT = join(import.meta.dirname, "../..");

const REPOSITORY = "https://git.example.com/a-program";

const exec = promisify(execFile);

/** Git that depends on no configuration of the machine. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=A. Person", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"];
  return (await exec("git", [...identity, ...args], { cwd: folder })).stdout;
}

async function commitAll(folder: string): Promise<void> {
  await git(folder, "init", "--quiet");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "release");
}

/** Everything that git knows here, as it is now, with the packages that are installed. */
export async function copyOfProject(changelogOf: (version: string) => string): Promise<string> {
  const folder = await tempFolder();
  const files = (await git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")).split("\0").filter(Boolean);
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const manifest = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
  const { version } = manifest;
  await writeFile(join(folder, "package.json"), JSON.stringify({ repository: REPOSITORY, ...manifest }, null, 2));
  await writeFile(join(folder, "CHANGELOG.md"), changelogOf(version));
  await commitAll(folder);
  return folder;
}

export const GOOD_CHANGELOG = "# Changelog\n\n## 1.2.3 - 2026-11-22\n\n- A change.\n\n## 1.2.2\n\n- An older one.\n";

/** Version 1.2.3 of a project without packages. */
export async function smallProject(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await tempFolder();
  const scripts = { release: "node tools/release.mjs" };
  const manifest = { name: "a-program", version: "1.2.3", repository: REPOSITORY };
  await mkdir(join(folder, "tools"));
  await cp(join(ROOT, "tools/release.mjs"), join(folder, "tools/release.mjs"));
  const all = {
    "package.json": JSON.stringify({ ...manifest, type: "module", scripts }),
    "package-lock.json": JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages: { "": manifest } }),
    "CHANGELOG.md": GOOD_CHANGELOG,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text);
  await commitAll(folder);
  return folder;
}

/** What the script prints, and its exit code. */
export async function release(folder: string, ...args: string[]): Promise<{ code: number; printed: string }> {
  try {
    const { stdout } = await exec("npm", ["run", "--silent", "release", "--", ...args], { cwd: folder });
    return { code: 0, printed: stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, printed: stdout + stderr };
  }
}
