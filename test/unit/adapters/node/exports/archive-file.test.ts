/** Exports as one ZIP: whole or not there, whatever ends the command, and nothing but the ZIP is left. */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { lockFolder } from "../../../../../adapters/node/data-dir/folder-lock.ts";
import { exportArchive } from "../../../../../adapters/node/exports/archive-file.ts";
import { nodeFileSystem, type FileSystem } from "../../../../../adapters/node/files/file-system.ts";
import { zipped } from "../../../../../src/runtime/exports/zip-stream.ts";
import { fillDataFolder } from "../../../../support/data-folder.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

async function folders() {
  const [data, out] = [await tempFolder(), await tempFolder()];
  await fillDataFolder(data);
  const path = join(out, "all.zip");
  const run = (files: FileSystem = nodeFileSystem) =>
    exportArchive({ dataDir: data, sessionWindowMinutes: 30, engineMemoryMb: 64 }, path, {
      ...{ formats: ["csv", "jsonl"], siteId: null, from: null, to: null, files },
      openEngine: () => Promise.reject(new Error("events need no engine")),
    });
  return { data, out, path, parts: `${path}.parts`, run };
}

const namesIn = async (path: string): Promise<string[]> => Object.keys(unzipSync(await readFile(path))).sort();

/** `csv` and `jsonl` of two sites with two days each. */
const ENTRIES = 8;

describe("an export as one ZIP", () => {
  it("leaves the ZIP and nothing else", async () => {
    const { out, path, run } = await folders();
    const { succeeded, text } = await run();
    expect(succeeded, text).toBe(true);
    expect(text).toMatch(new RegExp(`^exported .* to ${path}\n`));
    expect(await namesIn(path)).toHaveLength(ENTRIES);
    expect(await readdir(out)).toEqual(["all.zip"]);
  });

  it("writes only in the folder of its parts, so that whoever ends the command has one folder to remove", async () => {
    const { parts, run } = await folders();
    const written = new Set<string>();
    await run({ ...nodeFileSystem, open: (name, flags) => (flags !== "r" && written.add(name), nodeFileSystem.open(name, flags)) });
    expect(written.size).toBeGreaterThan(ENTRIES);
    expect([...written].filter((name) => !name.startsWith(`${parts}/`))).toEqual([]);
  });

  it("fails without a trace, whichever step fails, and leaves an earlier ZIP as it is", async () => {
    const { out, path, run } = await folders();
    await run();
    const before = await readFile(path);
    const failing = (isFailing: (step: number) => boolean): FileSystem => {
      let step = 0;
      return {
        ...nodeFileSystem,
        rename: (from, to) => (isFailing(++step) ? Promise.reject(new Error("failed")) : nodeFileSystem.rename(from, to)),
      };
    };
    // The manifest has one of its own.
    const renames = ENTRIES + 2;
    for (let step = 1; step <= renames; step++) {
      await expect(run(failing((at) => at === step)), `step ${step}`).rejects.toThrow("failed");
      expect(await readdir(out), `step ${step}`).toEqual(["all.zip"]);
      expect(await readFile(path)).toEqual(before);
    }
    await run(failing((at) => at > renames));
  });

  it("goes on where a killed one has left its parts, also if that had only taken the lock", async () => {
    const { out, path, parts, run } = await folders();
    await mkdir(parts);
    await writeFile(join(parts, "lock"), "1 elsewhere 1");
    await run();
    expect(await namesIn(path)).toHaveLength(ENTRIES);
    await mkdir(join(parts, "csv"), { recursive: true });
    await writeFile(join(parts, "export.jsonl"), '{"sandpiper_export":1}\n');
    await writeFile(join(parts, "csv/old.csv"), "old");
    await writeFile(join(parts, ".1-1.unfinished"), "half");
    await run();
    expect(await namesIn(path)).toHaveLength(ENTRIES);
    expect(await readdir(out)).toEqual(["all.zip"]);
  });

  it("refuses what it would destroy: a folder, other files, a link, and the parts of one that is running", async () => {
    const { out, path, run } = await folders();
    await mkdir(path);
    await expect(run()).rejects.toThrow(`${path} is a folder. Name a file`);
    const other = await folders();
    await mkdir(other.parts);
    await writeFile(join(other.parts, "mine"), "");
    await expect(other.run()).rejects.toThrow("has other files. Remove it");
    expect(await readdir(other.parts)).toEqual(["mine"]);
    const linked = await folders();
    await symlink(out, linked.parts);
    await expect(linked.run()).rejects.toThrow("is a link. Remove it");
    const busy = await folders();
    await mkdir(busy.parts);
    const lock = await lockFolder(busy.parts, () => {});
    await expect(busy.run()).rejects.toThrow(`another export into ${busy.parts} is running`);
    await lock.release();
    await busy.run();
  });

  it("is for the whole time that of one run: the second of two at once is refused, and the first is complete", async () => {
    const { path, run } = await folders();
    const outcomes = await Promise.allSettled([run(), run()]);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [String(outcome.reason)] : []));
    expect(reasons).toEqual([expect.stringMatching(/is running$/)]);
    expect(await namesIn(path)).toHaveLength(ENTRIES);
  });

  it("fails if a day has vanished meanwhile, instead of leaving it out", async () => {
    const { data, out, run } = await folders();
    const files: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        const day = join(data, "events/site_id=a.test/date=2026-03-14");
        if (to.includes("csv/site_id=a.test")) await rm(day, { recursive: true, force: true });
        return nodeFileSystem.rename(from, to);
      },
    };
    await expect(run(files)).rejects.toThrow(/^a\.test has no events on 2026-03-14 any more/);
    expect(await readdir(out)).toEqual([]);
  });
});

it("a ZIP of more files than its format can count is refused", async () => {
  const chunks = async function* () {
    yield await Promise.resolve(new Uint8Array());
  };
  const entries = Array.from({ length: 65_536 }, (_, i) => ({ name: `${i}`, chunks }));
  await expect(zipped(entries).next()).rejects.toThrow("A ZIP can hold 65535 files, not 65536. Export fewer days or sites");
});
