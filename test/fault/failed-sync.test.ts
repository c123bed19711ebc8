/** After a failed sync the data counts as not synced, even if a later sync succeeds: the simulated disk then loses that data. */
import { describe, expect, it } from "vitest";
import { createFileObjectStore, createFileRecordStore } from "../../adapters/node/files/file-stores.ts";
import { createFolder } from "../../adapters/node/files/durable-files.ts";
import { openFileSegmentLog } from "../../adapters/node/files/file-segment-log.ts";
import type { FileSystem } from "../../adapters/node/files/file-system.ts";
import { FLUSH_RETRY_MS_MAX } from "../../src/runtime/base/config/limits.ts";
import type { InProcessTarget } from "../support/in-process-target.ts";
import { getMetrics } from "../support/metrics.ts";
import type { Stores } from "../support/mortal-stores.ts";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SimulatedDisk } from "../support/simulated-disk.ts";
import { inProcess, Ledger, wrongIn } from "./ledger.ts";
import { readStores } from "./stored-events.ts";

const DATA_FOLDER = "/data";
const SITE = "sync.test";
/** A loss takes another part of what was not synced each time. */
const SEEDS = 20;

const storesOn = async (files: FileSystem, fsync: "always" | "interval"): Promise<Stores> => ({
  objects: createFileObjectStore(DATA_FOLDER, { isOurs: true, files }),
  records: createFileRecordStore(DATA_FOLDER, files),
  segmentLog: await openFileSegmentLog(`${DATA_FOLDER}/journal`, fsync, files),
});

const failuresTold = ({ log }: InProcessTarget): number =>
  log.lines.filter(({ message }) => message.includes("failed to sync the journal")).length;

const failures = async (target: InProcessTarget): Promise<number | undefined> =>
  (await getMetrics(target))["svc_journal_fsync_failures_total"];

/** Runs the task in a process, then takes the power away: what the next one finds of what was sent. `fail` lets the next syncs fail, as many as said. */
async function wrongAfterLoss(
  seed: number,
  fsync: "always" | "interval",
  task: (target: InProcessTarget, ledger: Ledger, fail: (syncs: number) => void) => Promise<void>,
): Promise<string[]> {
  const disk = new SimulatedDisk(numbersFrom(seed));
  let toFail = 0;
  const machine = disk.boot({ failsSync: () => toFail-- > 0 });
  await createFolder(DATA_FOLDER, machine.files);
  const sent = await inProcess(await storesOn(machine.files, fsync), async (target) => {
    const ledger = new Ledger(target);
    await task(target, ledger, (syncs) => (toFail = syncs));
    return ledger.sent;
  });
  machine.losePower();
  return wrongIn((await readStores(await storesOn(disk.boot().files, fsync))).pages, sent);
}

describe("a failed sync of the journal", () => {
  it("a failed sync of the journal makes the service refuse the events, and the next events go to a new segment (journal_fsync=always)", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const wrong = await wrongAfterLoss(seed, "always", async (target, ledger, fail) => {
        await ledger.send(SITE, 2);
        fail(1);
        await ledger.send(SITE, 1);
        expect(ledger.sent.map(({ acknowledged }) => acknowledged)).toEqual([true, true, false]);
        expect([await failures(target), failuresTold(target)]).toEqual([1, 1]);
        await ledger.send(SITE, 2);
        expect(ledger.sent.slice(3).every(({ acknowledged }) => acknowledged)).toBe(true);
        // The torn one waits for its flush beside the one that is written now.
        expect(target.services.eventStore.sealedSegments).toHaveLength(1);
      });
      expect(wrong, `seed ${seed}`).toEqual([]);
    }
  });

  it("a failed sync of the journal flushes the affected events to files at once, and the next events go to a new segment (journal_fsync=interval)", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const wrong = await wrongAfterLoss(seed, "interval", async (target, ledger, fail) => {
        const { eventStore, flush } = target.services;
        await ledger.send(SITE, 3);
        fail(1);
        await eventStore.sync();
        expect([await failures(target), failuresTold(target), eventStore.isUnsafe]).toEqual([1, 1, true]);
        await ledger.send(SITE, 1);
        expect([eventStore.sealedSegments.length, eventStore.openSegment.appended]).toEqual([1, 1]);
        await eventStore.sync();
        await target.advance(0);
        await flush.settled();
        expect([eventStore.unflushedEvents, eventStore.isUnsafe, await failures(target)]).toEqual([0, false, 1]);
      });
      expect(wrong, `seed ${seed}`).toEqual([]);
    }
  });

  it("a failed sync of the journal retries a failing flush with new files until the disk has the events (journal_fsync=interval)", async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      const wrong = await wrongAfterLoss(seed, "interval", async (target, ledger, fail) => {
        const { eventStore, flush } = target.services;
        await ledger.send(SITE, 3);
        fail(4);
        await eventStore.sync();
        for (let attempt = 0; attempt < 6; attempt++) {
          await target.advance(FLUSH_RETRY_MS_MAX);
          await flush.settled();
        }
        expect([eventStore.unflushedEvents, eventStore.isUnsafe]).toEqual([0, false]);
        expect(target.services.counters.flushFailures).toBe(3);
      });
      expect(wrong, `seed ${seed}`).toEqual([]);
    }
  });

  it("a failed sync of the journal is counted each time but logged once while the disk keeps failing", async () => {
    await wrongAfterLoss(1, "always", async (target, ledger, fail) => {
      for (let event = 0; event < 3; event++) {
        await ledger.send(SITE, 1);
        // Its files sync, too.
        await target.services.flush.settled();
        fail(1);
        await ledger.send(SITE, 1);
      }
      expect([await failures(target), failuresTold(target)]).toEqual([3, 1]);
    });
  });
});

describe("a failed sync of a file or folder", () => {
  /** Lets the n-th sync of the work fail, for every n; the work is tried again until it succeeds, and must then outlive a loss. */
  async function failEachSync(work: (files: FileSystem) => Promise<void>, check: (files: FileSystem) => Promise<void>): Promise<void> {
    for (let failing = 1; ; failing++) {
      let failed = 0;
      for (let seed = 0; seed < SEEDS; seed++) {
        const disk = new SimulatedDisk(numbersFrom(seed));
        const prepared = disk.boot();
        await createFolder(DATA_FOLDER, prepared.files);
        const machine = disk.boot({ failsSync: (sync) => sync === failing });
        await work(machine.files).catch(() => work(machine.files));
        failed += machine.failedSyncs();
        machine.losePower();
        await check(disk.boot().files);
      }
      if (failed === 0) {
        expect(failing).toBeGreaterThan(2);
        return;
      }
    }
  }

  const bytes = new TextEncoder().encode("content ".repeat(20));

  it("a failed sync fails the write of an object, and after a retry the object survives a power loss", () =>
    failEachSync(
      async (files) => createFileObjectStore(DATA_FOLDER, { files }).put("a/b/c", bytes),
      async (files) => expect(await createFileObjectStore(DATA_FOLDER, { files }).get("a/b/c")).toEqual(bytes),
    ));

  it("a failed sync fails the write of a record, and after a retry by the same process the record survives a power loss", async () => {
    const stores = new Map<FileSystem, ReturnType<typeof createFileRecordStore>>();
    await failEachSync(
      async (files) => {
        if (!stores.has(files)) stores.set(files, createFileRecordStore(DATA_FOLDER, files));
        await stores.get(files)?.write("keys/a.json", bytes);
      },
      async (files) => expect(await createFileRecordStore(DATA_FOLDER, files).read("keys/a.json")).toEqual(bytes),
    );
  });

  it("a failed sync fails the copy of a damaged segment, and after a retry the complete copy survives a power loss", () =>
    failEachSync(
      async (files) => {
        const log = await openFileSegmentLog(`${DATA_FOLDER}/journal`, "always", files);
        if (!(await log.list()).includes(7)) await log.create(7);
        await log.append(7, bytes).catch(async () => {
          await log.remove(7);
          await log.create(7);
          throw new Error("not appended");
        });
        await log.quarantine(7);
      },
      async (files) => expect((await files.readFile(`${DATA_FOLDER}/journal/damaged/7.journal`)).subarray(0, bytes.length)).toEqual(bytes),
    ));
});
