/**
 * A backup and a restore that are killed or lose power at each of their changes of the disk: what counts as a backup is complete,
 * what can be served is restored whole, and the next run succeeds.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkBackup, MANIFEST_FILE, readManifest } from "../../adapters/node/backups/manifest.ts";
import { backupNames } from "../../adapters/node/backups/backup-folders.ts";
import { filesBelow } from "../../adapters/node/backups/copied-files.ts";
import { backUpFolder } from "../../adapters/node/backups/make-backup.ts";
import { restoreFolder } from "../../adapters/node/backups/restore-backup.ts";
import { verifyFolder } from "../../adapters/node/data-dir/folder-verification.ts";
import { tidyFolder, kindOf, mustBeUsable } from "../../adapters/node/data-dir/data-dir.ts";
import type { FileSystem, OpenFile } from "../../adapters/node/files/file-system.ts";
import { noProgress } from "../../adapters/node/command-output.ts";
import { addEventFile, fillDataFolder, NOON_MS } from "../support/data-folder.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SimulatedDisk, type IgnoredSyncs, type Strike } from "../support/simulated-disk.ts";
import { isTurnOf } from "./turns.ts";

const [DATA, BACKUPS, RESTORED] = ["/disk/data", "/disk/backups", "/disk/restored"];
const SECOND_MS = 1000;

/** Some milliseconds each. */
const SWEEP_MS_MAX = 300_000;

/** One of them at least shows that a sync is missing. */
const SEEDS_THAT_SHOW = 10;

const WAYS = (["power loss", "kill"] as const).flatMap((kind) => (["during", "before", "after"] as const).map((when) => ({ kind, when })));

/** The strikes at a change that it is the turn of. */
const strikesAt = (atCall: number, index: number): Strike[] =>
  WAYS.filter((_, way) => isTurnOf(way, WAYS.length, index)).map((way) => ({ atCall, ...way }));

/** The lock is not simulated. */
const lock = async () => ({ release: async () => {} });

const backUp = (files: FileSystem, second: number, keep?: number) =>
  backUpFolder(DATA, BACKUPS, { version: "1.0.0", files, lock, keep, now: () => NOON_MS + second * SECOND_MS });

const restore = (files: FileSystem) => restoreFolder(BACKUPS, RESTORED, { files, lock });

/** A disk with a data folder, a backup, and events since. */
async function prepare(seed: number): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(numbersFrom(seed));
  const machine = disk.boot();
  await fillDataFolder(DATA, machine.files);
  await backUp(machine.files, 1);
  await addEventFile(DATA, 5, 0, machine.files);
  machine.losePower();
  return disk;
}

async function contentOf(folder: string, files: FileSystem): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for await (const { name } of filesBelow(folder, files)) {
    if (name !== MANIFEST_FILE) content.set(name, Buffer.from(await files.readFile(join(folder, name))).toString("hex"));
  }
  return content;
}

/** Every backup is as it was made, and has no fault. Returns their names. */
async function intactBackups(files: FileSystem): Promise<string[]> {
  const names = await backupNames(BACKUPS, files);
  for (const name of names) {
    const folder = join(BACKUPS, name);
    expect(await checkBackup(folder, await readManifest(folder, files), files, noProgress)).toEqual([]);
    expect(await verifyFolder(folder, { files })).toMatchObject({ succeeded: true });
  }
  return names;
}

type Work = (files: FileSystem) => Promise<unknown>;

/** The numbers of the calls that change the disk or make changes durable. A strike at another one would leave what one of these leaves. */
async function changesOf(work: Work): Promise<number[]> {
  const machine = (await prepare(0)).boot();
  const changes: number[] = [];
  const noted = <T extends object>(calls: T, isChange: (name: string, flags: unknown) => boolean): T =>
    new Proxy(calls, {
      get(target, name: string) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        return (...args: unknown[]): unknown => {
          if (isChange(name, args[1])) changes.push(machine.calls() + 1);
          const result: unknown = Reflect.apply(value, target, args);
          return name === "open" ? (result as Promise<OpenFile>).then((file) => noted(file, (call) => CHANGES.has(call))) : result;
        };
      },
    });
  await work(noted(machine.files, (name, flags) => CHANGES.has(name) || (name === "open" && flags !== "r")));
  return changes;
}

const CHANGES = new Set(["mkdir", "link", "rename", "rm", "rmdir", "writeSync", "writeFile", "truncate", "sync", "datasync"]);

type Check = (disk: SimulatedDisk, strike: Strike) => Promise<void>;

/** Runs the work on a disk until the strike, and checks what the next machine finds. Returns false if there was no strike. */
async function strikeOnce(work: Work, strike: Strike, check: Check, seed: number, ignores: IgnoredSyncs = "none"): Promise<boolean> {
  const disk = await prepare(seed);
  const machine = disk.boot({ strike, ignores });
  const failure = await work(machine.files).then(() => null, String);
  // At a call that fails by itself, such as one to create a folder that exists.
  if (!machine.isOff()) expect(failure).toBeNull();
  else {
    await check(disk, strike).catch((error: unknown) => {
      throw new Error(`after a ${strike.kind} ${strike.when} call ${strike.atCall}: ${String(error)}`, { cause: error });
    });
  }
  return machine.isOff();
}

/** Strikes at each change of the work. Returns the number of strikes. */
async function sweep(work: Work, check: Check): Promise<number> {
  let strikes = 0;
  for (const [index, atCall] of (await changesOf(work)).entries()) {
    for (const strike of strikesAt(atCall, index)) if (await strikeOnce(work, strike, check, atCall)) strikes++;
  }
  return strikes;
}

/** Loses power after the last change, on disks that ignore syncs. */
async function loseUnsynced(work: Work, check: Check, ignores: IgnoredSyncs): Promise<void> {
  const strike: Strike = { atCall: (await changesOf(work)).at(-1) ?? 0, when: "after", kind: "power loss" };
  for (let seed = 1; seed <= SEEDS_THAT_SHOW; seed++) await strikeOnce(work, strike, check, seed, ignores);
}

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((second) => `2026-03-15T12-00-0${second}Z`);

describe("a backup that ends at any change", { timeout: SWEEP_MS_MAX }, () => {
  const check = async (disk: SimulatedDisk, { kind }: Strike): Promise<void> => {
    const machine = disk.boot();
    const names = await intactBackups(machine.files);
    expect([[FIRST], [FIRST, SECOND]]).toContainEqual(names);
    expect(await backUp(machine.files, 3)).toMatchObject({ succeeded: true });
    // What a killed process had not synced is durable now.
    if (kind === "kill") machine.losePower();
    const { files } = disk.boot();
    expect(await intactBackups(files)).toEqual([...names, THIRD]);
    expect((await files.readdir(BACKUPS)).map(({ name }) => name).sort()).toEqual([...names, THIRD]);
  };

  it("a backup that ends at any change is complete or does not count, leaves the one before as it was, and the next one removes what is left", async () => {
    expect(await sweep((files) => backUp(files, 2), check)).toBeGreaterThan(30);
  });

  it.each(["of files", "of folders"] as const)(
    "a backup is durable at its end, and would not be on a disk that ignores syncs %s",
    async (ignores) => {
      const finished = async (disk: SimulatedDisk) => expect(await intactBackups(disk.boot().files)).toEqual([FIRST, SECOND]);
      await loseUnsynced((files) => backUp(files, 2), finished, "none");
      await expect(loseUnsynced((files) => backUp(files, 2), finished, ignores)).rejects.toThrow(/^after a /);
    },
  );

  it("a backup deletes older ones only after the new one is complete", async () => {
    const strikes = await sweep(
      (files) => backUp(files, 2, 1),
      async (disk) => {
        const machine = disk.boot();
        const names = await intactBackups(machine.files);
        expect([[FIRST], [FIRST, SECOND], [SECOND]]).toContainEqual(names);
        await backUp(machine.files, 3, 1);
        machine.losePower();
        const { files } = disk.boot();
        expect(await intactBackups(files)).toEqual([THIRD]);
        expect((await files.readdir(BACKUPS)).map(({ name }) => name)).toEqual([THIRD]);
      },
    );
    expect(strikes).toBeGreaterThan(30);
  });
});

describe("a restore that ends at any change", { timeout: SWEEP_MS_MAX }, () => {
  const check = async (disk: SimulatedDisk): Promise<void> => {
    const machine = disk.boot();
    const { files } = machine;
    const wanted = await contentOf(join(BACKUPS, FIRST ?? ""), files);
    const kind = await kindOf(RESTORED, files);
    expect(["empty", "unfinished restore", "data folder"]).toContain(kind);
    if (kind === "unfinished restore") await expect(mustBeUsable(RESTORED, files)).rejects.toThrow("was interrupted");
    if (kind === "data folder") {
      expect(await contentOf(RESTORED, files)).toEqual(wanted);
      // Every start does this first, so that the marker does not come back later.
      await tidyFolder(RESTORED, files);
    } else expect(await restore(files)).toMatchObject({ succeeded: true });
    machine.losePower();
    const after = disk.boot();
    expect(await kindOf(RESTORED, after.files)).toBe("data folder");
    expect(await contentOf(RESTORED, after.files)).toEqual(wanted);
    expect(await intactBackups(after.files)).toEqual([FIRST]);
  };

  it("a restore that ends at any change has restored everything, or leaves what is not served and what the next one completes", async () => {
    expect(await sweep(restore, check)).toBeGreaterThan(30);
  });

  it.each(["of files", "of folders"] as const)(
    "a restore is durable at its end, and would not be on a disk that ignores syncs %s",
    async (ignores) => {
      const finished = async (disk: SimulatedDisk): Promise<void> => {
        const { files } = disk.boot();
        expect(await kindOf(RESTORED, files)).toBe("data folder");
        expect(await contentOf(RESTORED, files)).toEqual(await contentOf(join(BACKUPS, FIRST ?? ""), files));
      };
      await loseUnsynced(restore, finished, "none");
      await expect(loseUnsynced(restore, finished, ignores)).rejects.toThrow(/^after a /);
    },
  );
});
