/** The partition cache with the real engine: results stay exact whatever is loaded, evicted, flushed or lost meanwhile. */
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { EngineFullError, EngineLostError, type Engine } from "../../../../../src/runtime/duckdb/engine.ts";
import type { Loading } from "../../../../../src/runtime/duckdb/cache/cached-blocks.ts";
import { PartitionCache } from "../../../../../src/runtime/duckdb/cache/partition-cache.ts";
import { isSiteId } from "../../../../../src/runtime/base/config/names.ts";
import { LeftOutFiles } from "../../../../../src/runtime/base/metrics/storage-faults.ts";
import { type ColumnName, DAY_MS, type LocalDate, type SiteId, type StoredEvent, utcDateOf } from "../../../../../src/storage/event.ts";
import { EventStore } from "../../../../../src/storage/event-store.ts";
import { follow } from "../../../../support/followed-events.ts";
import { createMemoryObjectStore } from "../../../../support/memory-object-store.ts";
import { createMemorySegmentLog } from "../../../../support/memory-segment-log.ts";
import { encodeEvents, inlineParquetWriter } from "../../../../../src/storage/parquet-events.ts";
import { partitionKey } from "../../../../../src/storage/partitions.ts";
import { createRecordingLog } from "../../../../support/recording-log.ts";
import { createEngineShare } from "../../../../support/shared-engine.ts";
import { anEvent, siteId } from "../../../../support/stored-event.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");

const UNLIMITED = Number.MAX_SAFE_INTEGER;

const dayAt = (index: number): LocalDate => utcDateOf(START_MS + index * DAY_MS);

const silent = (): AbortSignal => new AbortController().signal;

const columnsNamed = (...names: ColumnName[]): ReadonlySet<ColumnName> => new Set(names);

const WANTED: Loading = { signal: silent(), withinBudget: false, onePass: false, columns: columnsNamed("timestamp") };

/** Everything that belongs together for one test. */
async function makeWorld(startBudgetBytes: number) {
  let budgetBytes = startBudgetBytes;
  let nowMs = START_MS + 30 * DAY_MS;
  const share = await createEngineShare();
  onTestFinished(() => share.close());
  const loads: { siteId: SiteId; kind: "files" | "events"; count: number }[] = [];
  const dropped: number[] = [];
  const added: string[] = [];
  const blocks = new Set<number>();
  let failAppends = 0;
  let replyGate: { readonly onTaken: () => void; readonly opened: Promise<void> } | null = null;
  const engine: Engine = {
    async append(block, source) {
      if (failAppends > 0) {
        failAppends--;
        throw new EngineLostError("told to fail");
      }
      blocks.add(block.id);
      const [kind, count] = "files" in source ? (["files", source.files.length] as const) : (["events", source.events.length] as const);
      if (count > 0) loads.push({ siteId: block.siteId, kind, count });
      const gate = replyGate;
      replyGate = null;
      const loaded = await share.append(block, source);
      gate?.onTaken();
      await gate?.opened;
      return loaded;
    },
    addColumns(block, columns, files) {
      added.push(...columns);
      return share.addColumns(block, columns, files);
    },
    dropProps: (ids) => share.dropProps(ids),
    propsTexts: (site, numbers) => share.propsTexts(site, numbers),
    drop(ids) {
      dropped.push(...ids);
      return share.drop(ids);
    },
    query: (query, signal) => share.query(query, signal),
    queryColumns: (query, signal) => share.queryColumns(query, signal),
    behavioralFailure: () => share.behavioralFailure(),
    close: () => share.close(),
  };
  const objects = createMemoryObjectStore();
  const log = createRecordingLog();
  const { eventStore } = await EventStore.open({
    segmentLog: createMemorySegmentLog(),
    nowMs: START_MS,
    parquet: inlineParquetWriter,
    objects,
    isSiteId,
    listingsMax: 2,
    onStray: (key, fault) => log.warn(`${key} ${fault}`),
  });
  const leftOutFiles = new LeftOutFiles();
  const partitionCache = new PartitionCache({
    engine,
    eventStore,
    log,
    sessionGapMs: 1_800_000,
    leftOutFiles,
    now: () => nowMs,
    get budgetBytes() {
      return budgetBytes;
    },
  });
  follow(eventStore, partitionCache);

  return {
    loads,
    dropped,
    /** The columns that blocks got later. */
    added,
    log,
    leftOutFiles,
    objects,
    eventStore,
    partitionCache,
    /** A file that an earlier process has written. */
    writeFile: (site: SiteId, day: LocalDate, segment: number, events: readonly StoredEvent[]) =>
      objects.put(partitionKey(site, day, segment, segment), encodeEvents(events)),
    append: (events: readonly StoredEvent[]) => Promise.all(events.map((event) => eventStore.append(event))),
    /** The keys of a day's files. */
    filesOf: (site: SiteId, day: LocalDate) =>
      eventStore.withSnapshot(site, day, day, async (partitions) => partitions.flatMap(({ files }) => files.map(({ key }) => key))),
    /** As `Flush` does it. */
    async flush(): Promise<void> {
      await eventStore.seal();
      for (const segment of [...eventStore.sealedSegments]) {
        for (const site of [...segment.sites.keys()]) await eventStore.commitFlush(segment, site);
        await eventStore.drop(segment);
      }
    },
    /** How many events the site has from one day to another, and how many pages. */
    count(site: SiteId, first: LocalDate, last: LocalDate): Promise<{ n: unknown; pages: unknown }> {
      return partitionCache.withDays(site, { firstDay: first, lastDay: last }, WANTED, async (ids) => {
        const sql = "SELECT count(*) AS n, count(DISTINCT pathname) AS pages FROM events WHERE timestamp >= $1 AND timestamp < $2";
        const range = [Date.parse(first), Date.parse(last) + DAY_MS];
        const [row] = await engine.query({ siteId: site, blocks: ids, sql, parameters: range }, silent());
        return { n: row?.n, pages: row?.pages };
      });
    },
    /** How many events of the site on the first five days have a city, and how many sessions there are. */
    cities(site: SiteId): Promise<{ cities: unknown; sessions: unknown }> {
      const range = { firstDay: dayAt(0), lastDay: dayAt(4) };
      return partitionCache.withDays(site, range, { ...WANTED, columns: columnsNamed("city") }, async (ids) => {
        const sql = "SELECT count(*) FILTER (WHERE city <> 0) AS cities, (SELECT count(*) FROM sessions) AS sessions FROM events";
        const [row] = await engine.query({ siteId: site, blocks: ids, sql, parameters: [] }, silent());
        return { cities: row?.cities, sessions: row?.sessions };
      });
    },
    /** The keys of the properties of a site's day. */
    propertyKeys(site: SiteId, day: LocalDate): Promise<unknown[]> {
      return partitionCache.withDays(site, { firstDay: day, lastDay: day }, { ...WANTED, columns: columnsNamed("props") }, async (ids) => {
        const properties = { key: null, bytesMax: UNLIMITED };
        const rows = await engine.query(
          { siteId: site, blocks: ids, sql: "SELECT text FROM property_texts", parameters: [], properties },
          silent(),
        );
        return rows.map(({ text }) => text);
      });
    },
    /** The engine's reply to the next append is on its way until it is let through; `taken` resolves when the engine has the events. */
    delayNextReply(): { readonly taken: Promise<void>; letThrough(): void } {
      let [onTaken, letThrough] = [() => {}, () => {}];
      const taken = new Promise<void>((resolve) => (onTaken = resolve));
      replyGate = { onTaken, opened: new Promise((resolve) => (letThrough = resolve)) };
      return { taken, letThrough };
    },
    setBudget(bytes: number): void {
      budgetBytes = bytes;
    },
    setDay(index: number): void {
      nowMs = START_MS + index * DAY_MS;
    },
    failNextAppends(count: number): void {
      failAppends = count;
    },
  };
}

/** So many events on a day, each of a page of its own. */
const eventsOn = (site: SiteId, day: LocalDate, count: number, from = 0): StoredEvent[] =>
  Array.from({ length: count }, (_, i) => anEvent({ siteId: site, at: `${day}T12:00:00Z`, pathname: `/${from + i}` }));

const inCity = (events: readonly StoredEvent[]): StoredEvent[] => events.map((event) => ({ ...event, city: "Bonn" }));

const A = siteId("a.test");
const B = siteId("b.test");
const C = siteId("c.test");

describe("the partition cache", () => {
  it("loads a day for the first query that needs it, and not again", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append([...eventsOn(A, dayAt(0), 3), ...eventsOn(A, dayAt(1), 2), ...eventsOn(A, dayAt(5), 7)]);
    await world.flush();
    expect(world.loads).toEqual([]);
    expect(await world.count(A, dayAt(0), dayAt(1))).toEqual({ n: 5, pages: 3 });
    expect(world.loads).toEqual([{ siteId: A, kind: "files", count: 2 }]);
    expect(world.partitionCache.dayCount).toBe(2);
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 3, pages: 3 });
    expect(await world.count(A, dayAt(1), dayAt(4))).toEqual({ n: 2, pages: 2 });
    expect(world.loads).toHaveLength(1);
    expect(await world.count(A, dayAt(1), dayAt(9))).toEqual({ n: 9, pages: 7 });
    expect(world.loads.slice(1)).toEqual([{ siteId: A, kind: "files", count: 1 }]);
  });

  it("adds a column to cached days when a query first reads it, and not again", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.writeFile(A, dayAt(0), 1, inCity(eventsOn(A, dayAt(0), 3)));
    await world.writeFile(A, dayAt(1), 1, inCity(eventsOn(A, dayAt(1), 2)));
    expect((await world.count(A, dayAt(1), dayAt(1))).n).toBe(2);
    expect((await world.count(A, dayAt(0), dayAt(4))).n).toBe(5);
    expect([world.loads.length, world.added]).toEqual([2, []]);
    expect(await world.cities(A)).toEqual({ cities: 5, sessions: 2 });
    expect(await world.cities(A)).toEqual({ cities: 5, sessions: 2 });
    expect([world.loads.length, world.added]).toEqual([2, ["city"]]);
  });

  it("gives a column to all days of a block, although the query reads one of them", async () => {
    const world = await makeWorld(UNLIMITED);
    for (const day of [0, 1, 6]) await world.writeFile(A, dayAt(day), 1, inCity(eventsOn(A, dayAt(day), 3)));
    await world.count(A, dayAt(0), dayAt(6));
    expect((await world.cities(A)).cities).toBe(9);
    expect([world.loads.length, world.added]).toEqual([1, ["city"]]);
  });

  it("loads days again whose files had not all been readable when another column is read", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.writeFile(A, dayAt(0), 1, inCity(eventsOn(A, dayAt(0), 3)));
    await world.writeFile(A, dayAt(0), 2, inCity(eventsOn(A, dayAt(0), 4)));
    const key = partitionKey(A, dayAt(0), 2, 2);
    const bytes = (await world.objects.get(key)) ?? new Uint8Array();
    await world.objects.put(key, new Uint8Array(9));
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(3);
    await world.objects.put(key, bytes);
    expect(await world.cities(A)).toEqual({ cities: 7, sessions: 1 });
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(7);
    await world.objects.put(key, new Uint8Array(9));
    expect(await world.propertyKeys(A, dayAt(0))).toEqual([]);
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(3);
  });

  it("loads a past day with its block again when late events come, and once more when it has settled", async () => {
    const world = await makeWorld(UNLIMITED);
    for (const day of [0, 1]) await world.writeFile(A, dayAt(day), 1, inCity(eventsOn(A, dayAt(day), 3)));
    await world.cities(A);
    await world.append(inCity(eventsOn(A, dayAt(1), 2)));
    expect((await world.cities(A)).cities).toBe(8);
    await world.append(inCity(eventsOn(A, dayAt(1), 2)));
    expect((await world.cities(A)).cities).toBe(10);
    await world.flush();
    expect((await world.cities(A)).cities).toBe(10);
    await world.append(inCity(eventsOn(A, dayAt(0), 1)));
    await world.flush();
    expect((await world.cities(A)).cities).toBe(11);
    expect(world.added).toEqual([]);
  });

  it("keeps recent days in blocks that grow", async () => {
    const world = await makeWorld(UNLIMITED);
    world.setDay(1);
    for (const day of [0, 1]) await world.writeFile(A, dayAt(day), 1, inCity(eventsOn(A, dayAt(day), 3)));
    await world.count(A, dayAt(0), dayAt(1));
    const loads = world.loads.length;
    await world.append(inCity(eventsOn(A, dayAt(1), 2)));
    expect((await world.cities(A)).cities).toBe(8);
    expect([world.loads.slice(loads).map(({ kind }) => kind), world.dropped]).toEqual([["events"], []]);
  });

  it("adds each new event of the journal to a cached day once", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append(eventsOn(A, dayAt(0), 3));
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(3);
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(5);
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(5);
    expect(world.loads).toEqual([
      { siteId: A, kind: "events", count: 3 },
      { siteId: A, kind: "events", count: 2 },
    ]);
  });

  it("keeps cached days after a flush, which adds only the events that they lack", async () => {
    const world = await makeWorld(UNLIMITED);
    world.setDay(0);
    await world.append(eventsOn(A, dayAt(0), 3));
    await world.count(A, dayAt(0), dayAt(0));
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    await world.flush();
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 5, pages: 5 });
    expect(world.loads.map(({ kind, count }) => [kind, count])).toEqual([
      ["events", 3],
      ["events", 2],
    ]);
  });

  it("never uses the days of one site for another", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append([...eventsOn(A, dayAt(0), 3), ...eventsOn(B, dayAt(0), 4)]);
    expect([(await world.count(A, dayAt(0), dayAt(0))).n, (await world.count(B, dayAt(0), dayAt(0))).n]).toEqual([3, 4]);
    expect((await world.count(C, dayAt(0), dayAt(9))).n).toBe(0);
  });

  it("evicts the least recently used days first when the budget is exceeded", async () => {
    const ROWS = 60_000;
    const all = { n: ROWS, pages: ROWS };
    const world = await makeWorld(UNLIMITED);
    for (const site of [A, B, C]) await world.writeFile(site, dayAt(0), 1, eventsOn(site, dayAt(0), ROWS));
    const bytes: number[] = [];
    for (const site of [A, B]) {
      expect(await world.count(site, dayAt(0), dayAt(0))).toEqual(all);
      bytes.push(world.partitionCache.memoryBytes);
    }
    const [one = 0, two = 0] = bytes;
    const perSite = two - one;
    expect(perSite).toBeGreaterThan(4_000_000);
    // Room for two sites and half of a third.
    const budgetBytes = two + perSite / 2;
    world.setBudget(budgetBytes);
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual(all);
    expect([world.partitionCache.dayCount, world.dropped]).toEqual([2, []]);
    expect(await world.count(C, dayAt(0), dayAt(0))).toEqual(all);
    expect([world.partitionCache.dayCount, world.dropped.length]).toEqual([2, 1]);
    const loadsBefore = world.loads.length;
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual(all);
    expect(world.loads.length).toBe(loadsBefore);
    expect(await world.count(B, dayAt(0), dayAt(0))).toEqual(all);
    expect(world.loads.slice(loadsBefore).map((load) => load.siteId)).toEqual([B]);
    expect(world.partitionCache.memoryBytes).toBeLessThan(budgetBytes);
  });

  it("evicts days that grow beyond the budget without queries at a flush, and reloads them completely for the next query", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append(eventsOn(A, dayAt(0), 3));
    await world.count(A, dayAt(0), dayAt(0));
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    await world.flush();
    expect([world.partitionCache.dayCount, world.dropped]).toEqual([1, []]);
    world.setBudget(1);
    await world.append(eventsOn(A, dayAt(0), 2, 5));
    await world.flush();
    expect([world.partitionCache.dayCount, world.dropped.length]).toEqual([0, 1]);
    world.setBudget(UNLIMITED);
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 7, pages: 7 });
  });

  it("keeps the days of a running query cached until it ends, even beyond the budget", async () => {
    const world = await makeWorld(1);
    await world.append([...eventsOn(A, dayAt(0), 3), ...eventsOn(B, dayAt(0), 4)]);
    await world.flush();
    let answer: unknown;
    await world.partitionCache.withDays(A, { firstDay: dayAt(0), lastDay: dayAt(0) }, WANTED, async () => {
      expect((await world.count(B, dayAt(0), dayAt(0))).n).toBe(4);
      answer = await world.count(A, dayAt(0), dayAt(0));
    });
    expect(answer).toEqual({ n: 3, pages: 3 });
    expect(world.loads.filter(({ siteId: site }) => site === A)).toHaveLength(1);
    expect((await world.count(B, dayAt(0), dayAt(0))).n).toBe(4);
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(3);
  });

  it("rejects days beyond the budget on request, and keeps those already loaded", async () => {
    const world = await makeWorld(1);
    await world.append([...eventsOn(A, dayAt(0), 3), ...eventsOn(A, dayAt(1), 3)]);
    await world.flush();
    const range = { firstDay: dayAt(0), lastDay: dayAt(1) };
    const within = world.partitionCache.withDays(A, range, { ...WANTED, withinBudget: true }, async () => "answered");
    await expect(within).rejects.toBeInstanceOf(EngineFullError);
    expect(await world.count(A, dayAt(0), dayAt(1))).toEqual({ n: 6, pages: 3 });
  });

  it("reloads a day for a report of properties that were dropped while the engine was loading more of them", async () => {
    const world = await makeWorld(UNLIMITED);
    const withPlan = (plan: string): StoredEvent => anEvent({ siteId: A, at: `${dayAt(0)}T12:00:00Z`, props: JSON.stringify({ plan }) });
    const countDay = (site: SiteId) => world.count(site, dayAt(0), dayAt(0));
    await world.append([withPlan("free")]);
    await countDay(A);
    await world.append([withPlan("pro"), ...eventsOn(B, dayAt(0), 3)]);
    const reply = world.delayNextReply();
    const result = countDay(A);
    await reply.taken;
    // Loading the other site's events drops all properties that are not pinned.
    world.setBudget(1);
    await countDay(B);
    world.setBudget(UNLIMITED);
    reply.letThrough();
    expect((await result).n).toBe(2);
    expect(await world.propertyKeys(A, dayAt(0))).toEqual(["plan"]);
  });

  it("reads properties of one day although those of all days of its block are too large together", async () => {
    const world = await makeWorld(2_000_000);
    const withProps = (day: LocalDate): StoredEvent[] =>
      eventsOn(A, day, 100).map((event, i) => ({ ...event, props: JSON.stringify({ note: `${day} ${i} ${"x".repeat(4000)}` }) }));
    for (const day of [0, 1, 2]) await world.writeFile(A, dayAt(day), 1, withProps(dayAt(day)));
    expect((await world.count(A, dayAt(0), dayAt(2))).n).toBe(300);
    expect(await world.propertyKeys(A, dayAt(1))).toEqual(["note"]);
    expect((await world.count(A, dayAt(0), dayAt(2))).n).toBe(300);
  });

  it("loads days whose files cannot all be read again for a new column only", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.writeFile(A, dayAt(0), 1, inCity(eventsOn(A, dayAt(0), 3)));
    await world.objects.put(partitionKey(A, dayAt(0), 2, 2), new Uint8Array(9));
    const readAll = async () => {
      expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(3);
      expect((await world.cities(A)).cities).toBe(3);
      expect(await world.propertyKeys(A, dayAt(0))).toEqual([]);
    };
    await readAll();
    const loads = world.loads.length;
    await readAll();
    expect(world.loads).toHaveLength(loads);
  });

  it("keeps the properties of a block that had none yet when other properties were dropped", async () => {
    const world = await makeWorld(UNLIMITED);
    const range = { firstDay: dayAt(0), lastDay: dayAt(0) };
    const withPlan = (site: SiteId): StoredEvent =>
      anEvent({ siteId: site, at: `${dayAt(0)}T12:00:00Z`, props: JSON.stringify({ plan: "pro" }) });
    await world.append([withPlan(A), ...eventsOn(B, dayAt(0), 3), withPlan(C)]);
    // The properties of one query exceed the limit, so all others are dropped.
    await world.partitionCache.withDays(A, range, { ...WANTED, columns: columnsNamed("props") }, async () => {
      const reply = world.delayNextReply();
      const result = world.count(C, dayAt(0), dayAt(0));
      await reply.taken;
      world.setBudget(1);
      await world.count(B, dayAt(0), dayAt(0));
      world.setBudget(UNLIMITED);
      reply.letThrough();
      await result;
    });
    world.dropped.length = 0;
    expect([await world.propertyKeys(C, dayAt(0)), world.dropped]).toEqual([["plan"], []]);
  });

  it("rejects days whose texts alone exceed the budget, and still loads other days", async () => {
    const world = await makeWorld(5 * 1024 * 1024);
    const long = Array.from({ length: 12_000 }, (_, i) =>
      anEvent({ siteId: A, at: `${dayAt(0)}T12:00:00Z`, pathname: `/${"x".repeat(300)}${i}` }),
    );
    await world.writeFile(A, dayAt(0), 1, long);
    await world.append(eventsOn(B, dayAt(0), 3));
    await expect(world.count(A, dayAt(0), dayAt(0))).rejects.toBeInstanceOf(EngineFullError);
    expect(await world.count(B, dayAt(0), dayAt(0))).toEqual({ n: 3, pages: 3 });
  });

  it("evicts days of a one-pass scan first, latest first, unless another query has used them", async () => {
    const world = await makeWorld(UNLIMITED);
    const sites = ["wanted.test", "passed.test", "wanted-later.test", "passed-last.test"].map(siteId);
    const [wanted = A, passed = A, wantedLater = A, passedLast = A] = sites;
    const range = { firstDay: dayAt(0), lastDay: dayAt(0) };
    const blocks = new Map<SiteId, readonly number[]>();
    const load = (site: SiteId, onePass: boolean) =>
      world.partitionCache.withDays(site, range, { ...WANTED, onePass }, async (ids) => void blocks.set(site, ids));
    await world.append(sites.flatMap((site) => eventsOn(site, dayAt(0), 3)));
    await load(wanted, false);
    for (const site of [passed, wantedLater, passedLast]) await load(site, true);
    await load(wantedLater, false);
    world.setBudget(1);
    await world.count(B, dayAt(0), dayAt(0));
    expect(world.dropped).toEqual([passedLast, passed, wanted, wantedLater].flatMap((site) => blocks.get(site) ?? []));
  });

  it("evicts what only guests have used first once it is half of the cache, and guests keep nothing of others for longer", async () => {
    const ROWS = 2_000;
    const world = await makeWorld(UNLIMITED);
    const sites = ["own-1", "own-2", "guests-1", "guests-2", "guests-3", "guests-4"].map(siteId);
    const range = { firstDay: dayAt(0), lastDay: dayAt(0) };
    const nameOf = new Map<number, SiteId>();
    const load = (site: SiteId, isGuest: boolean) =>
      world.partitionCache.withDays(site, range, { ...WANTED, isGuest }, async (ids) => ids.forEach((id) => nameOf.set(id, site)));
    for (const site of sites) await world.writeFile(site, dayAt(0), 1, eventsOn(site, dayAt(0), ROWS));
    const [own1 = A, own2 = A, guests1 = A, guests2 = A, guests3 = A, guests4 = A] = sites;
    for (const site of [own1, own2]) await load(site, false);
    for (const site of [guests1, guests2, guests3, guests4]) await load(site, true);
    // Becomes one of others; what others have loaded stays the least recently used.
    await load(guests4, false);
    await load(own1, true);
    world.setBudget(1);
    await world.count(B, dayAt(0), dayAt(0));
    const dropped = world.dropped.map((id) => nameOf.get(id));
    // Three of six are only guests', so that one of these goes first, and then one of each in turn.
    expect(dropped).toEqual([guests1, own1, guests2, own2, guests3, guests4]);
  });

  it("keeps what others use, however much guests read", async () => {
    const ROWS = 60_000;
    const world = await makeWorld(UNLIMITED);
    const own = siteId("own.test");
    const guests = Array.from({ length: 4 }, (_, i) => siteId(`shared-${i}.test`));
    for (const site of [own, ...guests]) await world.writeFile(site, dayAt(0), 1, eventsOn(site, dayAt(0), ROWS));
    const range = { firstDay: dayAt(0), lastDay: dayAt(0) };
    const load = (site: SiteId, isGuest: boolean) => world.partitionCache.withDays(site, range, { ...WANTED, isGuest }, async () => {});
    await load(own, false);
    const one = world.partitionCache.memoryBytes;
    // Room for two sites and half of a third.
    world.setBudget(one * 2.5);
    for (let round = 0; round < 3; round++) for (const site of guests) await load(site, true);
    const loadsBefore = world.loads.length;
    await load(own, false);
    expect(world.loads.length).toBe(loadsBefore);
  });

  it("stops loading days once the query is aborted", async () => {
    const world = await makeWorld(1);
    await world.append([...eventsOn(A, dayAt(0), 3), ...eventsOn(A, dayAt(1), 3)]);
    await world.flush();
    const controller = new AbortController();
    const reason = new Error("gone");
    const left = world.partitionCache.withDays(
      A,
      { firstDay: dayAt(0), lastDay: dayAt(1) },
      { ...WANTED, signal: controller.signal },
      async () => {},
    );
    controller.abort(reason);
    await expect(left).rejects.toBe(reason);
    expect(world.loads).toEqual([]);
  });

  it.each([1, 2, 3])("counts every event once after %d failed loads", async (failures) => {
    const world = await makeWorld(UNLIMITED);
    await world.append(eventsOn(A, dayAt(0), 3));
    await world.flush();
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    world.failNextAppends(failures);
    for (let failure = 0; failure < failures; failure++) {
      await expect(world.count(A, dayAt(0), dayAt(0))).rejects.toBeInstanceOf(EngineLostError);
    }
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 5, pages: 5 });
  });

  it("counts every event once after the engine failed during a flush", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append(eventsOn(A, dayAt(0), 3));
    await world.count(A, dayAt(0), dayAt(0));
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    world.failNextAppends(1);
    await world.flush();
    expect(world.eventStore.unflushedEvents).toBe(0);
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 5, pages: 5 });
  });

  it("skips an unreadable or missing file, logs its key, and loads all others", async () => {
    const world = await makeWorld(UNLIMITED);
    for (const count of [1, 2, 4]) {
      await world.append(eventsOn(A, dayAt(0), count));
      await world.flush();
    }
    const [first = "", second = ""] = await world.filesOf(A, dayAt(0));
    await world.objects.put(first, new TextEncoder().encode("no Parquet at all"));
    await world.objects.delete(second);
    expect((await world.count(A, dayAt(0), dayAt(0))).n).toBe(4);
    expect(
      world.log.lines
        .filter(({ level }) => level === "error")
        .map(({ fields }) => fields.file)
        .sort(),
    ).toEqual([first, second].sort());
  });

  it("counts each event once if its file exists before the journal has released it", async () => {
    const world = await makeWorld(UNLIMITED);
    await world.append(eventsOn(A, dayAt(0), 3));
    await world.eventStore.seal();
    const [segment] = world.eventStore.sealedSegments;
    if (!segment) throw new Error("nothing was sealed");
    await world.writeFile(A, dayAt(0), segment.number, eventsOn(A, dayAt(0), 3));
    await world.append(eventsOn(A, dayAt(0), 2, 3));
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 5, pages: 5 });
    await world.flush();
    expect(await world.count(A, dayAt(0), dayAt(0))).toEqual({ n: 5, pages: 5 });
  });

  it("serves many concurrent queries while events arrive and are flushed", async () => {
    const world = await makeWorld(1);
    const sites = [A, B, C];
    await world.append(sites.flatMap((site) => [0, 1, 2].flatMap((day) => eventsOn(site, dayAt(day), 5))));
    const countDay = (site: SiteId) => world.count(site, dayAt(0), dayAt(2));
    const results = await Promise.all([
      ...sites.map(countDay),
      world.flush(),
      ...sites.map(countDay),
      world.append(sites.flatMap((site) => eventsOn(site, dayAt(1), 5, 5))),
      ...sites.map(countDay),
    ]);
    // Each of the five later events is accepted by itself, so a query may see some of them.
    const counts = results.flatMap((result) => (result && "n" in result ? [Number(result.n)] : []));
    expect(counts).toHaveLength(3 * sites.length);
    for (const count of counts) expect(count >= 15 && count <= 20).toBe(true);
    for (const site of sites) expect(await countDay(site)).toEqual({ n: 20, pages: 10 });
  });

  /** One thing that happens. */
  type Step =
    | { readonly kind: "append"; readonly site: SiteId; readonly day: number; readonly count: number }
    | { readonly kind: "ask"; readonly site: SiteId; readonly day: number; readonly days: number }
    | { readonly kind: "flush" }
    | { readonly kind: "fail" };

  const site = fc.constantFrom(A, B);
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("append" as const), site, day: fc.nat(4), count: fc.integer({ min: 1, max: 4 }) }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("ask" as const), site, day: fc.nat(4), days: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.constantFrom<Step>({ kind: "flush" }, { kind: "fail" }) },
  );

  it("counts every event of any history exactly once, with any budget", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, UNLIMITED), fc.array(step, { minLength: 5, maxLength: 25 }), async (budget, steps) => {
        const world = await makeWorld(budget);
        const counts = new Map<string, number>();
        const countedFrom = (of: SiteId, first: number, last: number): number => {
          let sum = 0;
          for (let day = first; day <= last; day++) sum += counts.get(`${of} ${day}`) ?? 0;
          return sum;
        };
        for (const taken of steps) {
          if (taken.kind === "append") {
            await world.append(eventsOn(taken.site, dayAt(taken.day), taken.count));
            counts.set(`${taken.site} ${taken.day}`, countedFrom(taken.site, taken.day, taken.day) + taken.count);
          } else if (taken.kind === "flush") await world.flush();
          else if (taken.kind === "fail") world.failNextAppends(1);
          else {
            const last = taken.day + taken.days;
            const countDay = () => world.count(taken.site, dayAt(taken.day), dayAt(last));
            const answer = await countDay().catch((error: unknown) => {
              if (error instanceof EngineLostError) return countDay();
              throw error;
            });
            expect(answer.n).toBe(countedFrom(taken.site, taken.day, last));
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
