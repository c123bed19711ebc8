/** Erasure concurrent with flushes and queries, and the counts it returns. */
import { describe, expect, it, onTestFinished } from "vitest";
import { createCounters } from "../../../../src/runtime/base/metrics/metrics.ts";
import { PartitionCache } from "../../../../src/runtime/duckdb/cache/partition-cache.ts";
import { Erasure } from "../../../../src/runtime/upkeep/erasure.ts";
import { Flush, INTO_FILES } from "../../../../src/runtime/upkeep/flush.ts";
import { isSiteId } from "../../../../src/runtime/base/config/names.ts";
import { QueryService, ResultCache } from "../../../../src/runtime/results/query-service.ts";
import { UnchangedResults } from "../../../../src/runtime/results/unchanged-results.ts";
import { Executor, FileExecution } from "../../../../src/runtime/duckdb/executor.ts";
import { QueryLimiter } from "../../../../src/runtime/results/query-limiter.ts";
import { rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { planOf } from "../../../../src/runtime/query/plan.ts";
import type { QueryEngine, ReportQuery } from "../../../../src/runtime/query/query-engine.ts";
import { queryOf } from "../../../../src/runtime/reports/queries.ts";
import { numberIn } from "../../../../src/runtime/query/sql.ts";
import { visitorCounts } from "../../../../src/runtime/reports/measures/counts.ts";
import { LeftOutFiles } from "../../../../src/runtime/base/metrics/storage-faults.ts";
import { utcCalendar } from "../../../../src/storage/calendar.ts";
import { type SiteId, type StoredEvent, utcDateOf } from "../../../../src/storage/event.ts";
import { EventStore } from "../../../../src/storage/event-store.ts";
import { encodeEvents, inlineParquetWriter } from "../../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../../src/storage/partitions.ts";
import { follow } from "../../../support/followed-events.ts";
import { createDeferred } from "../../../support/deferred.ts";
import { memoryStores, type Stores } from "../../../support/mortal-stores.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { createEngineShare } from "../../../support/shared-engine.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const TODAY = utcDateOf(NOW_MS);
const YESTERDAY = utcDateOf(NOW_MS - 86_400_000);

const A = siteId("a.test");
const B = siteId("b.test");

const eventsOn = (site: SiteId, day: string, count: number): StoredEvent[] =>
  Array.from({ length: count }, (_, i) => anEvent({ siteId: site, at: `${day}T10:00:00Z`, pathname: `/${i}` }));

/** One process on these stores. */
async function makeWorld({ objects, segmentLog }: Stores, listingsMax = 100, dropElsewhere = async (): Promise<void> => {}) {
  const log = createRecordingLog();
  const engine = await createEngineShare();
  onTestFinished(() => engine.close());
  let inTheMiddle = async (): Promise<void> => {};
  const { eventStore } = await EventStore.open({
    segmentLog,
    objects,
    parquet: inlineParquetWriter,
    isSiteId,
    listingsMax,
    nowMs: NOW_MS,
    onStray: () => {},
  });
  const partitionCache = new PartitionCache({
    engine,
    eventStore,
    budgetBytes: 2 ** 40,
    sessionGapMs: 1_800_000,
    now: () => NOW_MS,
    leftOutFiles: new LeftOutFiles(),
    log,
  });
  follow(eventStore, partitionCache);
  const counters = createCounters();
  const flush = new Flush({
    ...INTO_FILES,
    eventStore,
    compaction: { noteFiles: () => {} },
    counters,
    log,
    eventCount: 1e9,
    byteCount: 1e9,
    intervalSecs: 1e9,
    monotonicMs: () => 0,
  });
  const nothing = (): void => {};
  const cache = new ResultCache({ ttlSecs: 60, entriesMax: 100, monotonicMs: () => 0, onHit: nothing, onMiss: nothing });
  const limiter = new QueryLimiter({ concurrentMax: 0, queueMs: 0, wait: () => Promise.resolve(), monotonicMs: () => 0 });
  const executor = new Executor({
    engine,
    partitionCache,
    budgetBytes: 2 ** 40,
    rotationDays: 1,
    rollups: null,
    others: null,
    files: new FileExecution({ eventStore }),
    imported: { rowsOf: async () => null },
    pause: async () => {},
  });
  const queryEngine: Pick<QueryEngine, "execute" | "export"> = {
    async execute({ scope, values }, by) {
      const counts = planOf(scope, [visitorCounts(scope)], ([row]) => String(numberIn(row, "events")));
      const text = await executor.run(counts, by, utcCalendar);
      if (values["isPaused"] === true) await inTheMiddle();
      return text;
    },
    export: () => Promise.reject(new Error("nothing is exported")),
  };
  const unchanged = new UnchangedResults({ engine: queryEngine, versionsOf: null, ttlSecs: 60, monotonicMs: () => 0 });
  const stats = new QueryService({ cache, limiter, engine: queryEngine, unchanged, importedOf: () => [] });
  const erasure = new Erasure({ eventStore, flush, stats, counters, log, dropElsewhere });
  const asker = { isGuest: false, signal: new AbortController().signal };
  const countOf = (site: SiteId, isPaused = false): ReportQuery =>
    queryOf(
      "count",
      { siteId: site, range: rangeOfDays(YESTERDAY, TODAY), conditions: [] },
      { nowMs: NOW_MS, calendar: utcCalendar },
      { isPaused },
    );
  return {
    log,
    eventStore,
    partitionCache,
    stats,
    counters,
    append: (events: readonly StoredEvent[]) => Promise.all(events.map((event) => eventStore.append(event))),
    flush: () => flush.run(),
    erase: (site: SiteId, first = YESTERDAY, last = TODAY) => erasure.erase(site, first, last),
    /** How many events the site has, by a query that waits before it ends if it is told to. */
    count(site: SiteId, meanwhile?: () => Promise<void>): Promise<string> {
      if (meanwhile) inTheMiddle = meanwhile;
      return stats.cached({ report: "count", siteId: site, parameters: [] }, countOf(site, meanwhile !== undefined), asker);
    },
    countNow: (site: SiteId) => stats.fresh(countOf(site), asker),
  };
}

describe("erasure", () => {
  it("counts each event once, and the days whose files it removed", async () => {
    const world = await makeWorld(memoryStores());
    await world.append([...eventsOn(A, YESTERDAY, 3), ...eventsOn(A, TODAY, 2), ...eventsOn(B, TODAY, 5)]);
    await world.flush();
    await world.append([...eventsOn(A, TODAY, 4), ...eventsOn(B, TODAY, 1)]);
    expect(await world.countNow(A)).toBe("9");
    expect(await world.erase(A)).toEqual({ events: 9, days: 2 });
    expect(await world.erase(A)).toEqual({ events: 0, days: 0 });
    expect([await world.countNow(A), await world.countNow(B)]).toEqual(["0", "6"]);
    expect(world.counters.eventsErased).toBe(9);
  });

  it("drops the latest data of other instances, so that no later request sees an earlier result", async () => {
    const seen: string[] = [];
    const world = await makeWorld(memoryStores(), 100, async () => void seen.push(await world.count(A)));
    await world.append([...eventsOn(A, YESTERDAY, 3), ...eventsOn(A, TODAY, 2)]);
    expect(await world.count(A)).toBe("5");
    await world.erase(A, YESTERDAY, YESTERDAY);
    expect(seen).toEqual(["2"]);
  });

  it("does not erase the days before and after, even those in the same block of the engine", async () => {
    const world = await makeWorld(memoryStores());
    await world.append([...eventsOn(A, YESTERDAY, 3), ...eventsOn(A, TODAY, 2)]);
    expect(await world.countNow(A)).toBe("5");
    expect(await world.erase(A, YESTERDAY, YESTERDAY)).toEqual({ events: 3, days: 1 });
    expect(await world.countNow(A)).toBe("2");
    expect(await world.erase(A, TODAY, TODAY)).toEqual({ events: 2, days: 1 });
    expect(await world.countNow(A)).toBe("0");
  });

  it("removes superseded files without counting their events again, and files that cannot be read", async () => {
    const stores = memoryStores();
    const key = (first: number, last: number) => partitionKey(A, TODAY, first, last);
    await stores.objects.put(key(1, 1), encodeEvents(eventsOn(A, TODAY, 2)));
    await stores.objects.put(key(2, 2), encodeEvents(eventsOn(A, TODAY, 3)));
    await stores.objects.put(key(1, 2), encodeEvents(eventsOn(A, TODAY, 5)));
    await stores.objects.put(key(3, 3), new TextEncoder().encode("no Parquet"));
    const world = await makeWorld(stores);
    expect(await world.erase(A)).toEqual({ events: 5, days: 1 });
    expect(await stores.objects.list("events")).toEqual([]);
    expect(world.log.lines.map(({ level, fields }) => [level, fields.file])).toEqual([["warn", key(3, 3)]]);
  });

  it("removes a site from the list with its last event, and the next event adds it again", async () => {
    const world = await makeWorld(memoryStores());
    await world.append([...eventsOn(A, YESTERDAY, 1), ...eventsOn(A, TODAY, 1)]);
    await world.flush();
    await world.erase(A, TODAY, TODAY);
    expect([...(await world.eventStore.sites())]).toEqual([A]);
    await world.erase(A);
    expect([...(await world.eventStore.sites())]).toEqual([]);
    await world.append(eventsOn(A, TODAY, 1));
    await world.flush();
    expect([...(await world.eventStore.sites())]).toEqual([A]);
    expect(world.eventStore.catalog).toEqual({ partitions: 1, files: 1 });
  });

  it("does not flush the journal if none of its events is to be erased", async () => {
    const stores = memoryStores();
    await stores.objects.put(partitionKey(A, YESTERDAY, 1, 1), encodeEvents(eventsOn(A, YESTERDAY, 2)));
    const full: Stores = { ...stores, objects: { ...stores.objects, put: () => Promise.reject(new Error("no space left")) } };
    const world = await makeWorld(full);
    await world.append([...eventsOn(A, TODAY, 1), ...eventsOn(B, YESTERDAY, 1)]);
    expect(await world.erase(A, YESTERDAY, YESTERDAY)).toEqual({ events: 2, days: 1 });
    await expect(world.erase(A)).rejects.toThrow("cannot be written");
    expect(await world.countNow(A)).toBe("1");
  });

  it("waits for a segment that is already in files except for another site's events", async () => {
    const stores = memoryStores();
    let refusals = 1;
    const put: Stores["objects"]["put"] = (key, bytes) =>
      key.includes(B) && refusals-- > 0 ? Promise.reject(new Error("told to fail")) : stores.objects.put(key, bytes);
    const world = await makeWorld({ ...stores, objects: { ...stores.objects, put } });
    await world.append([...eventsOn(A, TODAY, 2), ...eventsOn(B, TODAY, 3)]);
    expect(await world.flush()).toBe(false);
    expect(world.eventStore.hasUnflushed(A)).toBe(false);
    expect(await world.erase(A)).toEqual({ events: 2, days: 1 });
    const next = await makeWorld(stores);
    expect([await next.countNow(A), await next.countNow(B)]).toEqual(["0", "3"]);
  });

  it("does not delete a file of later events that a flush is writing", async () => {
    const stores = memoryStores();
    let onList = async (): Promise<void> => {};
    const objects: Stores["objects"] = {
      ...stores.objects,
      async list(folder) {
        await onList();
        return stores.objects.list(folder);
      },
    };
    // No listing is kept, so that the files are listed while the flush goes on.
    const world = await makeWorld({ ...stores, objects }, 0);
    await world.append(eventsOn(A, TODAY, 2));
    await world.flush();
    let flushed: Promise<boolean> | undefined;
    let lists = 0;
    onList = async () => {
      // Not when it looks whether to flush, but when it has the site to itself.
      if (++lists !== 3) return;
      await world.append(eventsOn(A, TODAY, 3));
      flushed = world.flush();
      while ((await stores.objects.list("events")).length < 2) await Promise.resolve();
    };
    const erased = await world.erase(A);
    expect(await flushed).toBe(true);
    expect([erased, await world.countNow(A)]).toEqual([{ events: 2, days: 1 }, "3"]);
  });
});

describe("a query that runs while its events are erased", () => {
  it("is executed again, and no later request gets the outdated result", async () => {
    const world = await makeWorld(memoryStores());
    await world.append(eventsOn(A, TODAY, 2));
    const [reached, release] = [createDeferred<void>(), createDeferred<void>()];
    let times = 0;
    const answer = world.count(A, async () => {
      times++;
      reached.resolve();
      await release.promise;
    });
    await reached.promise;
    const shared = world.count(A);
    await world.erase(A);
    expect(await world.count(A)).toBe("0");
    release.resolve();
    expect([await answer, await shared, await world.count(A)]).toEqual(["0", "0", "0"]);
    expect(times).toBe(2);
  });

  it("is not executed again if the erased events are another site's", async () => {
    const world = await makeWorld(memoryStores());
    await world.append([...eventsOn(A, TODAY, 2), ...eventsOn(B, TODAY, 3)]);
    let times = 0;
    const answer = await world.count(B, async () => {
      times++;
      await world.erase(A);
    });
    expect([answer, times]).toEqual(["3", 1]);
  });

  it("reads its blocks until it ends, and their memory is released then", async () => {
    const world = await makeWorld(memoryStores());
    await world.append(eventsOn(A, TODAY, 2));
    await world.partitionCache.withDays(
      A,
      rangeOfDays(TODAY, TODAY),
      { signal: new AbortController().signal, withinBudget: false, onePass: false, columns: new Set() },
      async (blocks) => {
        expect(await world.erase(A)).toEqual({ events: 2, days: 1 });
        expect(world.partitionCache.dayCount).toBe(0);
        await world.append(eventsOn(A, TODAY, 1));
        expect(await world.countNow(A)).toBe("1");
        expect(blocks).toHaveLength(1);
      },
    );
    expect(await world.countNow(A)).toBe("1");
  });

  it("has its result removed from the cache", async () => {
    const world = await makeWorld(memoryStores());
    await world.append([...eventsOn(A, TODAY, 2), ...eventsOn(B, TODAY, 3)]);
    expect([await world.count(A), await world.count(B), world.stats.cachedCount]).toEqual(["2", "3", 2]);
    await world.erase(A);
    expect([world.stats.cachedCount, await world.count(A), await world.count(B)]).toEqual([1, "0", "3"]);
  });
});
