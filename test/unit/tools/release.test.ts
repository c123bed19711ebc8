import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, GOOD_CHANGELOG, release, smallProject } from "../../support/release-tree.ts";

const hasGit = spawnSync("git", ["--version"]).error === undefined;

const claimsThat = (outcome: "ok" | "FAILED", printed: string): string[] =>
  [...printed.matchAll(new RegExp(`^${outcome} +([^:\\n]+)`, "gm"))].map(([, claim = ""]) => claim);

const TREE = "the working tree is clean";
const TAG = "v1.2.3 is a new tag, or that of this commit";
const CHANGELOG = "CHANGELOG.md has a dated section for it";
const LOCK = "package-lock.json fits package.json";
const HOST = "package-lock.json names no registry";
const REPOSITORY = "package.json names the repository";

const LOCK_OF_ANOTHER_VERSION = { version: "1.2.2", packages: { "": { version: "1.2.2" } } };

describe.skipIf(!hasGit)(`the release script${hasGit ? "" : " (skipped: no git on this machine)"}`, () => {
  it("accepts a clean tree with a dated changelog and a matching lock file, without a tag and with its own", async () => {
    const folder = await smallProject();
    for (const step of ["without a tag", "with its own"]) {
      const { code, printed } = await release(folder, "--check");
      expect([step, code, claimsThat("ok", printed)]).toEqual([step, 0, [TREE, TAG, CHANGELOG, LOCK, HOST, REPOSITORY]]);
      await git(folder, "tag", "--force", "v1.2.3");
    }
  });

  it("names every error at once, builds nothing and exits with 1", async () => {
    const folder = await smallProject({
      "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- A change.\n\n## 1.2.2\n\n- An older one.\n",
      "package-lock.json": JSON.stringify({ ...LOCK_OF_ANOTHER_VERSION, resolved: 1 }).replace(
        `"resolved":1`,
        `"resolved": "https://a.b/c.tgz"`,
      ),
    });
    await git(folder, "tag", "v1.2.3");
    await writeFile(join(folder, "new.txt"), "");
    await git(folder, "commit", "--quiet", "--allow-empty", "--message", "another");
    await git(folder, "tag", "v9.9.9");
    const { code, printed } = await release(folder);
    expect([code, claimsThat("FAILED", printed)]).toEqual([1, [TREE, TAG, CHANGELOG, LOCK, HOST, "nothing was built"]]);
    expect(printed).toMatch(/new\.txt[^]*raise "version"[^]*below "Unreleased" to "## 1\.2\.3 - <date>"[^]*1\.2\.2[^]*https:\/\/a\.b/);
  });

  it("refuses a package if npm does not know the repository", async () => {
    const folder = await smallProject();
    const { repository: _, ...manifest } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await git(folder, "commit", "--quiet", "--all", "--message", "no repository");
    const { code, printed } = await release(folder, "--check");
    expect([code, claimsThat("FAILED", printed)]).toEqual([1, [REPOSITORY, "nothing was built"]]);
  });

  it.each([
    ["no date", "## 1.2.3\n\n- A change.\n"],
    ["a date that is none", "## 1.2.3 - 2026-13-45\n\n- A change.\n"],
    ["no content", "## 1.2.3 - 2026-11-22\n\n## 1.2.2\n\n- An older one.\n"],
    ["another version above it", `## 1.3.0 - 2026-12-01\n\n- A change.\n\n${GOOD_CHANGELOG}`],
  ])("refuses a section of the changelog with %s", async (_fault, changelog) => {
    const { code, printed } = await release(await smallProject({ "CHANGELOG.md": changelog }), "--check");
    expect([code, claimsThat("FAILED", printed)]).toEqual([1, [CHANGELOG, "nothing was built"]]);
  });

  it("refuses a commit that has the tag of another version, and a lock file that lacks a package", async () => {
    const folder = await smallProject();
    const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as object;
    await writeFile(join(folder, "package.json"), JSON.stringify({ ...manifest, dependencies: { preact: "11.2.0" } }));
    await git(folder, "commit", "--quiet", "--all", "--message", "a package");
    await git(folder, "tag", "v1.2.4");
    const { code, printed } = await release(folder, "--check");
    expect([code, claimsThat("FAILED", printed)]).toEqual([1, [TAG, LOCK, "nothing was built"]]);
    expect(printed).toContain(`this commit is tagged v1.2.4, but "version" in package.json is 1.2.3`);
  });
});
