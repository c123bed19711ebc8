/**
 * The program makes, replaces and drops rollups, and erases days that have some, once for each change of a rollup or of the events'
 * files, at which it dies or the change fails; and with power losses at random calls to the file system. The next process gives every
 * report as one without rollups does, no erased event is counted, and no rollup of an erased day remains.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolder } from "../../adapters/node/files/durable-files.ts";
import { tidyFolder } from "../../adapters/node/data-dir/data-dir.ts";
import { createFileObjectStore, createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import { JOURNAL_FOLDER, openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { DAY_MS } from "../../src/storage/event.ts";
import type { ObjectKey, ObjectStore } from "../../src/storage/object-store.ts";
import { EVENTS_FOLDER } from "../../src/storage/partitions.ts";
import { ROLLUPS_FOLDER } from "../../src/storage/rollup.ts";
import { createInProcessTarget, START_MS, type InProcessParts, type InProcessTarget } from "../support/in-process-target.ts";
import { memoryStores, mortalStores, type Stores, type Strike } from "../support/mortal-stores.ts";
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { post, wireEvent } from "../support/requests.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SimulatedDisk } from "../support/simulated-disk.ts";
import { skippedFor } from "../support/skipped.ts";
import { NO_SMALL_DISK, smallDisk } from "../support/small-disk.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { ofTier } from "../support/tier.ts";
import { inProcess, Ledger, wrongIn, type Sent } from "./ledger.ts";
import {
  appendLate,
  dayBack,
  ENVIRONMENT,
  makeRollups,
  playDays,
  playRollups,
  reportsOf,
  ROLLING,
  rollupsOf,
  SITE,
} from "./rolled-days.ts";
import { readStores } from "./stored-events.ts";

const TEST_MS_MAX = 600_000;

/**
 * To die after a change is almost to die before the next one: every second change, in both ways, has the states of all. Failures before
 * every odd change and after every even one reach each change.
 */
const CHANGES_PER_STRIKE = ofTier({ quick: 2, all: 2, nightly: 1 });

const firstChange = (when: "before" | "after", deadly: boolean): number => (deadly || when === "before" ? 1 : 2);

const POWER_LOSSES = numberFrom("POWER_LOSS_RUNS", { quick: 4, all: 12, nightly: 40 });
const SEED = seedFrom("POWER_LOSS_SEED", 1);

/** More than a history of rollups makes on a disk. */
const CALLS_MAX = 500;

/** When the histories are over. */
const AFTER_MS = START_MS + 3 * DAY_MS + 600_000;

const NO_CACHE = { fileBytesMax: 0, unpackedBytesMax: 0, measureBytesMax: 0 };

const isOfDays = (key: ObjectKey): boolean => key.startsWith(`${ROLLUPS_FOLDER}/`) || key.startsWith(`${EVENTS_FOLDER}/`);

/** What the next process finds: the same with rollups and without, also once it has made those that are missing. */
async function expectSameReports(stores: Stores): Promise<void> {
  const parts: InProcessParts = { ...stores, ...ROLLING, startMs: AFTER_MS };
  const without = await inProcess(parts, reportsOf, { SVC_ROLLUPS: "false", SVC_COMPACT_AFTER_FILES: "0" });
  await inProcess(
    parts,
    async (target) => {
      expect(await reportsOf(target), "from what was left").toEqual(without);
      await target.flush();
      await makeRollups(target);
      expect(await reportsOf(target), "from what is made again").toEqual(without);
    },
    ENVIRONMENT,
  );
}

async function expectPromises(
  stores: Stores,
  sent: readonly Sent[],
  isErased: boolean,
  ends: { first: string; last: string },
): Promise<void> {
  expect(wrongIn((await readStores(stores)).pages, sent)).toEqual([]);
  if (isErased) expect(await rollupsOf(stores.objects, ends.first as never, ends.last as never), "rollups of erased days").toEqual([]);
}

async function playAndRestart(strike: Strike | null): Promise<boolean> {
  const backing = memoryStores();
  const mortal = mortalStores(backing, strike);
  const { sent, isErased, ends } = await inProcess(
    { ...mortal, ...ROLLING },
    async (target) => {
      const ledger = new Ledger(target);
      await playDays(target, ledger);
      const confirmed = await playRollups(target, ledger);
      return { sent: ledger.sent, isErased: confirmed, ends: { first: dayBack(target, 3), last: dayBack(target, 1) } };
    },
    ENVIRONMENT,
  );
  if (!strike) expect(isErased).toBe(true);
  await expectPromises(backing, sent, isErased, ends);
  await expectSameReports(backing);
  return mortal.hasStruck();
}

const WAYS = [true, false].flatMap((deadly) => (["before", "after"] as const).map((when) => ({ deadly, when })));

describe("rollups", { timeout: TEST_MS_MAX }, () => {
  it("rollups are written, added up, replaced and dropped, and reports stay the same as without them", async () => {
    await playAndRestart(null);
  });

  it.each(WAYS.map(({ deadly, when }) => [deadly ? "the process dies" : "a failure occurs", when, deadly] as const))(
    "rollups change no report and contain no erased event when %s %s any change of a rollup or a file of events",
    async (_what, when, deadly) => {
      for (let atChange = firstChange(when, deadly); ; atChange += CHANGES_PER_STRIKE) {
        const struck = await playAndRestart({ atChange, when, deadly, ofObjects: isOfDays }).catch((error: unknown) => {
          throw new Error(`at change ${atChange}: ${String(error)}`, { cause: error });
        });
        if (!struck) {
          expect(atChange).toBeGreaterThan(20);
          return;
        }
      }
    },
  );
});

const storesOn = async (files: FileSystem, isOurs: boolean): Promise<Stores> => ({
  objects: createFileObjectStore("/disk/data", { isOurs, files }),
  records: createFileRecordStore("/disk/data", files),
  segmentLog: await openFileSegmentLog(`/disk/data/${JOURNAL_FOLDER}`, "always", files),
});

async function startOn(files: FileSystem): Promise<Stores> {
  await createFolder("/disk/data", files);
  await tidyFolder("/disk/data", files);
  return storesOn(files, true);
}

/** Returns whether the power failed during the history. */
async function losePower(seed: number): Promise<boolean> {
  const random = numbersFrom(seed);
  const disk = new SimulatedDisk(random);
  const sent: Sent[] = [];
  const before = disk.boot();
  await inProcess({ ...(await startOn(before.files)), ...ROLLING }, (target) => playDays(target, new Ledger(target, sent)), ENVIRONMENT);
  const when = (["before", "during", "after"] as const)[Math.floor(3 * random())] ?? "before";
  const machine = disk.boot({
    strike: { atCall: 1 + Math.floor(CALLS_MAX * random()), when, kind: random() < 0.3 ? "kill" : "power loss" },
  });
  let isErased = false;
  const parts = { ...ROLLING, startMs: START_MS + 3 * DAY_MS };
  await startOn(machine.files)
    .then((stores) =>
      inProcess({ ...stores, ...parts }, async (target) => (isErased = await playRollups(target, new Ledger(target, sent))), ENVIRONMENT),
    )
    .catch((error: unknown) => {
      if (!machine.isOff()) throw error;
    });
  const wasLost = machine.isOff();
  if (!wasLost) machine.losePower();
  const stores = await startOn(disk.boot().files);
  const day = (back: number) => new Date(START_MS + (3 - back) * DAY_MS).toISOString().slice(0, 10);
  await expectPromises(stores, sent, isErased, { first: day(3), last: day(1) });
  await expectSameReports(stores);
  return wasLost;
}

describe("rollups on a disk that loses power", { timeout: TEST_MS_MAX + POWER_LOSSES * 5_000 }, () => {
  it("rollups on a disk that loses power change no report and contain no erased event", async () => {
    let losses = 0;
    for (let seed = SEED; seed < SEED + POWER_LOSSES; seed++) {
      const wasLost = await losePower(seed).catch((error: unknown) => {
        throw new Error(`POWER_LOSS_SEED=${seed}: ${String(error)}`, { cause: error });
      });
      losses += Number(wasLost);
    }
    if (POWER_LOSSES >= 8) expect(losses).toBeGreaterThan(POWER_LOSSES / 4);
  });
});

/** A target with rollups of three days, and the same without rollups over the same stores. */
async function rolledTarget(objects: ObjectStore, environment = ENVIRONMENT): Promise<InProcessTarget> {
  const rollupCalculator = createInlineRollupCalculator(objects, NO_CACHE);
  const target = await createInProcessTarget(environment, { ...memoryStores(), objects, ...ROLLING, rollupCalculator });
  onTestFinished(() => target.close().catch(() => {}));
  await playDays(target, new Ledger(target));
  await makeRollups(target);
  expect((await objects.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(3);
  return target;
}

describe("a store that fails for rollups", () => {
  it("a store that fails for rollups fails no event and no report, only erasures that cannot delete them, until it works again", async () => {
    const backing = memoryStores().objects;
    let isFailing = false;
    const refused = (key: ObjectKey) => {
      if (isFailing && key.startsWith(ROLLUPS_FOLDER)) throw new Error("told to fail");
    };
    const objects: ObjectStore = {
      ...backing,
      get: async (key) => (refused(key), backing.get(key)),
      put: async (key, bytes) => (refused(key), backing.put(key, bytes)),
      delete: async (key) => (refused(key), backing.delete(key)),
      list: async (folder) => (refused(folder), backing.list(folder)),
    };
    const target = await rolledTarget(objects);
    const reports = await reportsOf(target);
    isFailing = true;
    expect(await reportsOf(target)).toEqual(reports);
    await appendLate(target, 1);
    await target.flush();
    await makeRollups(target);
    expect((await post(target, wireEvent(SITE))).status).toBe(202);
    const late = await reportsOf(target);
    expect(late).not.toEqual(reports);
    const erase = () => target.services.erasure.erase(SITE, dayBack(target, 1), dayBack(target, 1));
    await expect(erase()).rejects.toThrow("told to fail");
    expect(await reportsOf(target)).toEqual(late);
    isFailing = false;
    await erase();
    expect(await rollupsOf(backing, dayBack(target, 1), dayBack(target, 1))).toEqual([]);
    await target.advance(DAY_MS / 2);
    await target.services.settled();
    await makeRollups(target);
    expect((await backing.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(1);
  });

  it("a file in place of the folder of rollups is harmless, and rollups are made once it is gone", async () => {
    const dataFolder = await tempFolder();
    await writeFile(join(dataFolder, ROLLUPS_FOLDER), "no folder");
    const objects = createFileObjectStore(dataFolder, { isOurs: true });
    const target = await createInProcessTarget(ENVIRONMENT, { ...memoryStores(), objects, ...ROLLING });
    onTestFinished(() => target.close());
    await playDays(target, new Ledger(target));
    await makeRollups(target);
    await reportsOf(target);
    await rm(join(dataFolder, ROLLUPS_FOLDER));
    await target.advance(DAY_MS);
    await target.services.settled();
    await makeRollups(target);
    expect((await objects.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(2);
    await reportsOf(target);
  });

  it.skipIf(NO_SMALL_DISK !== null)(
    "a store that fails for rollups is harmless if it is full or read-only, also for an erasure when it is full",
    skippedFor(NO_SMALL_DISK),
    async () => {
      const disk = await smallDisk(4096);
      const objects = createFileObjectStore(disk.dataFolder, { isOurs: true });
      const target = await createInProcessTarget(ENVIRONMENT, { ...memoryStores(), objects, ...ROLLING });
      onTestFinished(() => target.close());
      await playDays(target, new Ledger(target));
      const reports = await reportsOf(target);
      for (const breakDisk of [() => disk.fill(), async () => disk.readOnly(true)]) {
        await breakDisk();
        await target.advance(3_600_000);
        await target.services.settled();
        await makeRollups(target);
        expect(await objects.list(ROLLUPS_FOLDER)).toEqual([]);
        expect(await reportsOf(target)).toEqual(reports);
      }
      disk.readOnly(false);
      await disk.makeRoom();
      await target.advance(3_600_000);
      await target.services.settled();
      await makeRollups(target);
      expect((await objects.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(3);
      await disk.fill();
      expect(await reportsOf(target)).toEqual(reports);
      await target.services.erasure.erase(SITE, dayBack(target, 3), dayBack(target, 1));
      expect(await rollupsOf(objects, dayBack(target, 3), dayBack(target, 1))).toEqual([]);
    },
  );
});

describe("deleting the folder of rollups", () => {
  it("deleting the folder of rollups is harmless at any moment while dashboards reload, and they are made again after the next midnight", async () => {
    const dataFolder = await tempFolder();
    const objects = createFileObjectStore(dataFolder, { isOurs: true });
    const target = await rolledTarget(objects);
    const reports = await reportsOf(target);
    const reload = async () => expect(await reportsOf(target)).toEqual(reports);
    await Promise.all([reload(), reload(), rm(join(dataFolder, ROLLUPS_FOLDER), { recursive: true, force: true })]);
    await reload();
    const midnight = async () => {
      await target.advance(DAY_MS);
      await target.services.settled();
      await makeRollups(target);
    };
    await midnight();
    expect((await objects.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(3);
    const before = await reportsOf(target);
    // Also while they are made.
    await appendLate(target, 2);
    await target.flush();
    const after = await reportsOf(target);
    expect(after).not.toEqual(before);
    await Promise.all([makeRollups(target), reportsOf(target), rm(join(dataFolder, ROLLUPS_FOLDER), { recursive: true, force: true })]);
    expect(await reportsOf(target)).toEqual(after);
    await rm(join(dataFolder, ROLLUPS_FOLDER), { recursive: true, force: true });
    await reportsOf(target);
    await midnight();
    expect((await objects.list(ROLLUPS_FOLDER)).length).toBeGreaterThan(3);
  });
});
