/**
 * A backup of data that change meanwhile: before each read of the copy in turn, the service accepts events, flushes and merges. The copy must hold every event that was acknowledged before, and none twice.
 */
import { describe, expect, it } from "vitest";
import { backUp, type BackupTarget } from "../../../../src/runtime/upkeep/backup.ts";
import { importRecordName, type ImportRecord, readableImports } from "../../../../src/runtime/imports/import-record.ts";
import { IMPORT_COUNT_FILES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import { DayCounts } from "../../../../src/storage/day-counts.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { replaceJsonRecord } from "../../../../src/storage/record-store.ts";
import { crawlCountsIn, crawledPaths } from "../../../support/crawl-counts.ts";
import { createSha256 } from "../../../../src/runtime/base/bytes.ts";
import { verifyData } from "../../../../src/runtime/upkeep/verification.ts";
import { readSites } from "../../../../src/runtime/sites/site-record.ts";
import { DEFAULT_SETTINGS } from "../../../../src/runtime/sites/site-settings.ts";
import { decodeEvents } from "../../../../src/storage/parquet-events.ts";
import { inProcess, Ledger, wrongIn } from "../../../fault/ledger.ts";
import { readStores } from "../../../fault/stored-events.ts";
import { createKey, postSetup, tokenOf, withBearer, withSession } from "../../../support/auth-requests.ts";
import type { InProcessTarget } from "../../../support/in-process-target.ts";
import { anImport, HIT_SOURCE, HITS, openHitImports, SITE } from "../../../support/hit-imports.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { siteId } from "../../../support/stored-event.ts";

const DAY_MS = 86_400_000;
const SITES = ["a.test", "B:2."];
const MERGING = { SVC_COMPACT_AFTER_FILES: "2" };

/** The stores as somebody sees them who reads while other things happen: before each read. */
function readWhile({ objects, segmentLog, records }: Stores, happens: () => Promise<void>): Stores {
  const before =
    <A extends unknown[], T>(read: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await happens();
      return read(...args);
    };
  return {
    objects: { ...objects, get: before(objects.get), list: before(objects.list) },
    segmentLog: {
      ...segmentLog,
      list: before(segmentLog.list),
      // As files do, unlike the memory's.
      read: before(async (segment) => {
        if (!(await segmentLog.list()).includes(segment)) throw new Error(`ENOENT: segment ${segment}`);
        return segmentLog.read(segment);
      }),
    },
    records: { ...records, list: before(records.list), read: before(records.read) },
  };
}

/** A target that copies objects from what the backup reads. */
const targetOf = (from: Stores, { objects, segmentLog, records }: Stores): BackupTarget => ({
  segmentLog,
  records,
  async copyObject(key) {
    const bytes = await from.objects.get(key);
    if (bytes !== null) await objects.put(key, bytes);
    return bytes !== null;
  },
});

const copyStores = (from: Stores, to: Stores) => backUp(from, targetOf(from, to));

/** Merges what was the day until then. Before it nothing does: maintenance comes with the clock. */
async function midnight(target: InProcessTarget): Promise<void> {
  await target.advance(DAY_MS);
  await target.services.flush.settled();
  await target.services.compaction.run();
  expect(target.services.counters.filesCompacted).toBeGreaterThan(0);
}

const HAPPENINGS: Readonly<Record<string, (target: InProcessTarget, ledger: Ledger) => Promise<unknown>>> = {
  "a flush": (target) => target.flush(),
  "a merge": midnight,
  "events, a flush, a merge and events": async (target, ledger) => {
    for (const site of SITES) await ledger.send(site, 1);
    await target.flush();
    await midnight(target);
    await ledger.send("a.test", 1);
  },
};

/** Copies once, while the thing happens before the read of that number; tells how many reads there were. */
async function copyWhile(name: string, atRead: number): Promise<number> {
  const [stores, copy] = [memoryStores(), memoryStores()];
  let reads = 0;
  await inProcess(
    stores,
    async (target) => {
      const ledger = new Ledger(target);
      for (let flush = 1; flush <= 4; flush++) {
        for (const site of SITES) await ledger.send(site, 1);
        await target.flush();
      }
      for (const site of SITES) await ledger.send(site, 2);
      const before = [...ledger.sent];
      const changing = readWhile(stores, async () => {
        if (++reads === atRead || atRead === 0) await HAPPENINGS[name]?.(target, ledger);
      });
      const { files } = await copyStores(changing, copy);
      expect(files).toBeGreaterThan(0);
      const { pages } = await readStores(copy);
      expect(wrongIn(pages, before), `${name} at read ${atRead}`).toEqual([]);
      expect((await verifyData(copy)).faults).toEqual([]);
      const numbers = { copied: [...pages.values()].reduce((sum, times) => sum + times, 0), different: pages.size };
      expect(numbers.copied).toBe(numbers.different);
    },
    MERGING,
  );
  await inProcess(
    copy,
    async (target) => {
      const before = await readStores(copy);
      await target.flush();
      const after = await readStores(copy);
      expect(after.inJournalOnly).toBe(0);
      for (const times of after.pages.values()) expect(times).toBe(1);
      expect(
        [...before.pages.keys()].filter((page) => !after.pages.has(page)),
        "lost by the first flush of the copy",
      ).toEqual([]);
    },
    MERGING,
  );
  return reads;
}

/** What the copy holds that its own calendar would have given another date. */
async function misdatedIn(copy: Stores): Promise<string[]> {
  const { calendarOf } = await readSites(copy.records, await createSha256());
  const isMisdated = (key: string, ms: bigint) => {
    const [, site = "", date = ""] = /site_id=([^/]+)\/date=([^/]+)/.exec(key) ?? [];
    return calendarOf(siteId(site))?.dateOf(Number(ms)) !== date;
  };
  const found: string[] = [];
  for (const { key } of await copy.objects.list("events")) {
    const bytes = (await copy.objects.get(key)) ?? new Uint8Array();
    for (const { timestampsMs } of decodeEvents(bytes)) if (timestampsMs.some((ms) => isMisdated(key, ms))) found.push(key);
  }
  return found;
}

/** Copies once, while a site's time zone changes before the read of that number, and events of its next date are flushed. */
async function copyWhileMoving(atRead: number): Promise<number> {
  const [stores, copy] = [memoryStores(), memoryStores()];
  const [site, timeZone] = [siteId("a.test"), "Pacific/Kiritimati"];
  let reads = 0;
  await inProcess(stores, async (target) => {
    const ledger = new Ledger(target);
    await ledger.send(site, 1);
    await target.flush();
    const changing = readWhile(stores, async () => {
      if (++reads !== atRead) return;
      const request = { hasEvents: () => true, signal: new AbortController().signal };
      await target.services.sites.change(new Map([[site, { ...DEFAULT_SETTINGS, timeZone }]]), request);
      await target.advance(DAY_MS);
      // The file of a segment that is in the copied journal is left out; that of the next one is not.
      for (let flush = 1; flush <= 2; flush++) {
        await ledger.send(site, 1);
        await target.flush();
      }
    });
    await copyStores(changing, copy);
  });
  expect(await misdatedIn(copy), `at read ${atRead}`).toEqual([]);
  return reads;
}

/** Copies once, while an import ends, or is deleted, before the read of that number; returns how many reads there were. */
async function copyWhileImporting(change: "run" | "delete", atRead: number): Promise<number> {
  const [stores, copy] = [memoryStores(), memoryStores()];
  const { imports, records, add } = await openHitImports(stores);
  const { number } = await add();
  const remove = async () => {
    await imports.end(number);
    await records.remove(number);
  };
  if (change === "delete") await imports.run(number, HIT_SOURCE);
  let reads = 0;
  const changing = readWhile(stores, async () => {
    if (++reads === atRead) await (change === "run" ? imports.run(number, HIT_SOURCE) : remove());
  });
  await copyStores(changing, copy);
  expect((await verifyData(copy)).faults, `at read ${atRead}`).toEqual([]);
  const opened = await openHitImports(copy);
  const isShown = opened.records.get(number)?.state === "shown";
  expect(await opened.counted(), `at read ${atRead}`).toBe(isShown ? HITS : 0);
  return reads;
}

describe("a backup", () => {
  for (const change of ["run", "delete"] as const) {
    it(`counts an import as a whole or not at all, if it is ${change === "run" ? "run" : "deleted"} meanwhile`, async () => {
      const reads = await copyWhileImporting(change, Number.POSITIVE_INFINITY);
      expect(reads).toBeGreaterThan(5);
      for (let atRead = 1; atRead <= reads; atRead++) await copyWhileImporting(change, atRead);
    });
  }

  for (const name of Object.keys(HAPPENINGS)) {
    it(`contains every event accepted before it exactly once, whenever ${name} happens meanwhile`, async () => {
      const reads = await copyWhile(name, Number.POSITIVE_INFINITY);
      expect(reads).toBeGreaterThan(10);
      for (let atRead = 1; atRead <= reads; atRead++) await copyWhile(name, atRead);
    });
  }

  it("contains the calendar that gave its events their dates, whenever a time zone changes meanwhile", async () => {
    const reads = await copyWhileMoving(Number.POSITIVE_INFINITY);
    for (let atRead = 1; atRead <= reads; atRead++) await copyWhileMoving(atRead);
  });

  it("contains the password and the keys, which work in the copy", async () => {
    const [stores, copy] = [memoryStores(), memoryStores()];
    const key = await inProcess(stores, async (target) => {
      const session = withSession(await tokenOf(await postSetup(target)));
      return (await createKey(target, session, "ReadOnly")).key;
    });
    expect(await copyStores(stores, copy)).toEqual({ files: 0, segments: 1, records: 2 });
    await inProcess(copy, async (target) => {
      expect((await target.fetch("/api/sites", { headers: withBearer(key) })).status).toBe(200);
      expect((await postSetup(target)).status).toBe(409);
    });
  });

  it("reuses no segment number of a file, even if the clock is behind", async () => {
    const [stores, copy] = [memoryStores(), memoryStores()];
    const sent = await inProcess(stores, async (target) => {
      const ledger = new Ledger(target);
      await target.advance(30 * DAY_MS);
      await ledger.send("a.test", 1);
      await target.flush();
      await ledger.send("a.test", 1);
      let flushed = false;
      async function flushOnce(): Promise<void> {
        if (flushed) return;
        flushed = true;
        await target.flush();
        await ledger.send("a.test", 1);
        await target.flush();
      }
      const { objects } = stores;
      async function list(folder: string) {
        // The journal is copied before.
        if (folder === "events") await flushOnce();
        return objects.list(folder);
      }
      await copyStores({ ...stores, objects: { ...objects, list } }, copy);
      expect(await copy.objects.list("events")).toHaveLength(2);
      return ledger.sent;
    });
    await inProcess(copy, async (target) => {
      const ledger = new Ledger(target);
      await ledger.send("b.test", 1);
      await target.flush();
      const { pages } = await readStores(copy);
      expect([...wrongIn(pages, sent), ...wrongIn(pages, ledger.sent)]).toEqual([]);
      const ranges = (await copy.objects.list("events")).map(({ key: name }) => /(\d+)-\d+\.parquet$/.exec(name)?.[1]);
      expect(new Set(ranges).size).toBe(ranges.length);
    });
  });

  it("fails with a reason if files disappear faster than they are copied", async () => {
    const { objects, ...others } = memoryStores();
    await objects.put("events/site_id=a.test/date=2026-03-15/1-1.parquet", new Uint8Array(1));
    const vanishing = { ...others, objects: { ...objects, get: async () => null } };
    await expect(copyStores(vanishing, memoryStores())).rejects.toThrow(/vanish faster/);
  });
});

describe("a backup while a log is followed that crawlers are in", () => {
  const DAY = "2026-03-15" as LocalDate;
  const NUMBER = 1;

  /** Each of its rows is one request, and each batch of rows has a file until they are joined. */
  async function followed(stores: Stores) {
    let rows = 0;
    const counts = crawlCountsIn(stores.objects, { rowsShownOf: () => rows });
    async function grow(): Promise<void> {
      const ofRow = new DayCounts();
      ofRow.add(["GPTBot", "200"], "/a");
      await counts.addImported(SITE, { importNumber: NUMBER, from: rows, to: rows + 1 }, new Map([[DAY, ofRow]]));
      rows++;
      await replaceJsonRecord(stores.records, importRecordName(NUMBER), anImport({ number: NUMBER, rows }) as ImportRecord);
    }
    for (let i = 0; i < IMPORT_COUNT_FILES_MAX - 1; i++) await grow();
    return grow;
  }

  it("has the counts of the rows that its records have", async () => {
    for (let atRead = 1, reads = Infinity; atRead <= reads; atRead++) {
      const [stores, copy] = [memoryStores(), memoryStores()];
      const grow = await followed(stores);
      reads = 0;
      await copyStores(
        readWhile(stores, async () => {
          // Enough for a join.
          if (++reads === atRead) for (let i = 0; i < 3; i++) await grow();
        }),
        copy,
      );
      const copied = (await readableImports(copy.records)).get(NUMBER)?.rows ?? 0;
      expect(copied).toBeGreaterThanOrEqual(IMPORT_COUNT_FILES_MAX - 1);
      const counts = crawlCountsIn(copy.objects, { rowsShownOf: () => copied });
      expect(await crawledPaths(counts, SITE), `at read ${atRead}`).toEqual({ "/a": copied });
    }
  });
});
