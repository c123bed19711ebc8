/** The commands `backup` and `restore` of the built program: their options, exit codes and output, also on a terminal. */
import { execFileSync, spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MAIN_PATH } from "../support/built.ts";
import { fillDataFolder } from "../support/data-folder.ts";
import { runProgram } from "../support/run-process.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";

const NO_TERMINAL = spawnSync("script", ["--version"]).status === 0 ? null : "script(1), which makes a terminal, is not installed here.";

describe("backup and restore", () => {
  it("keep as many backups as --keep says, and restore the newest", async () => {
    const [dataFolder, target, restored] = [await tempFolder(), await tempFolder(), join(await tempFolder(), "data")];
    await fillDataFolder(dataFolder);
    for (let made = 0; made < 3; made++) {
      const { code, stdout, stderr } = await runProgram(["backup", target, "--keep", "2", "--data-dir", dataFolder]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(`copied ${dataFolder} to ${target}/`);
    }
    const names = (await readdir(target)).sort();
    expect(names).toHaveLength(2);
    const { code, stdout, stderr } = await runProgram(["restore", target, "--data-dir", restored]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(`restored ${target}/${names[1]} to ${restored}\n`);
    expect((await readdir(restored)).sort()).toEqual(["clock.json", "events", "journal"]);
  });

  it.each(["0", "-1", "1.5", "all", "10000"])("exit with 2 for --keep=%s, and write nothing", async (keep) => {
    const [dataFolder, target] = [await tempFolder(), await tempFolder()];
    await fillDataFolder(dataFolder);
    const { code, stderr } = await runProgram(["backup", target, `--keep=${keep}`, "--data-dir", dataFolder]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`--keep must be an integer from 1 to 9999, got "${keep}"`) as unknown,
    });
    expect(await readdir(target)).toEqual([]);
  });

  it("exit with 1 and one sentence for a wrong folder", async () => {
    const empty = await tempFolder();
    for (const argv of [
      ["backup", join(empty, "to")],
      ["restore", empty],
    ]) {
      const { code, stdout, stderr } = await runProgram([...argv, "--data-dir", empty]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^sandpiper cannot (back up|restore): [^\n]+\n$/);
    }
    expect(await readdir(empty)).toEqual([]);
  });

  it("show their progress on a terminal in one line, which disappears at the end", skippedFor(NO_TERMINAL), async () => {
    const [dataFolder, target] = [await tempFolder(), await tempFolder()];
    await fillDataFolder(dataFolder);
    const onTerminal = (...argv: string[]): string =>
      execFileSync("script", ["-qec", [process.execPath, MAIN_PATH, ...argv].map((word) => `'${word}'`).join(" "), "/dev/null"]).toString();
    /** What the line showed, one after the other, and what follows when it is removed. */
    const shown = (printed: string): string[] =>
      [...new Set(printed.split("\r\u001b[K").map((line) => line.split(/[: ]/)[0] ?? ""))].filter(Boolean);
    expect(shown(onTerminal("backup", target, "--data-dir", dataFolder))).toEqual(["copying", "verifying", "copied"]);
    const restored = join(await tempFolder(), "data");
    expect(shown(onTerminal("restore", target, "--data-dir", restored))).toEqual(["checking", "restoring", "verifying", "restored"]);
    expect(shown(onTerminal("verify", "--data-dir", dataFolder))).toEqual(["verifying", expect.stringContaining(dataFolder)]);
  });
});
