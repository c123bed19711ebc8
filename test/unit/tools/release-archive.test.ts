/** The release script on a copy of this project: it builds and packs for real, without a network. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyOfProject, git, release } from "../../support/release-tree.ts";

const isRepository = spawnSync("git", ["rev-parse"], { cwd: import.meta.dirname }).status === 0;

it.skipIf(!isRepository)(
  `the release script packs this project and prints the next steps${isRepository ? "" : " (skipped: no git repository)"}`,
  async () => {
    const folder = await copyOfProject((version) => `# Changelog\n\n## ${version} - 2026-11-22\n\n- A change.\n`);
    const { code, printed } = await release(folder);
    expect({ code, printed }).toEqual({ code: 0, printed: expect.not.stringContaining("FAILED") as unknown });
    const [archive = ""] = readdirSync(join(folder, "release"));
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, "release", archive)))
      .digest("hex");
    expect(printed).toMatch(new RegExp(`SHA-256 ${sha256}[^]*git tag[^]*git push origin v[^]*npm publish release.${archive}`));
    expect(readFileSync(join(folder, "dist/THIRD-PARTY-LICENSES.txt"), "utf8")).toContain("hyparquet");
    expect(await git(folder, "status", "--porcelain")).toBe("");
  },
);
