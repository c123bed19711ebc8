/** When a flush begins, what waits for it, and what it does while a replica is slow or fails. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CLICKHOUSE_RETRY_MS_MAX } from "../../../../src/runtime/base/config/clickhouse-limits.ts";
import { isSiteId } from "../../../../src/runtime/base/config/names.ts";
import { Flush, INTO_CLICKHOUSE } from "../../../../src/runtime/upkeep/flush.ts";
import { createCounters } from "../../../../src/runtime/base/metrics/metrics.ts";
import { type EventReplica, EventStore, type ReplicatedEvents } from "../../../../src/storage/event-store.ts";
import { SITE_COLUMN, type SiteId } from "../../../../src/storage/event.ts";
import type { ObjectStore } from "../../../../src/storage/object-store.ts";
import { countEvents, decodeEvents, inlineParquetWriter } from "../../../../src/storage/parquet-events.ts";
import { createDeferred } from "../../../support/deferred.ts";
import { memoryStores } from "../../../support/mortal-stores.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { anEvent, siteId } from "../../../support/stored-event.ts";

const [A, B] = [siteId("a.test"), siteId("b.test")];
const EVENT_MS = 500;

type Insert = (events: ReplicatedEvents, signal?: AbortSignal) => Promise<void>;

/** A process on these stores, whose replica inserts as `behavior.insert` says. */
async function makeWorld(stores = memoryStores(), eventCount = 1e9) {
  const clock = { ms: 0 };
  const inserted: ReplicatedEvents[] = [];
  const behavior: { insert: Insert } = { insert: async () => {} };
  const replica: EventReplica = {
    async insert(events, signal) {
      inserted.push(events);
      await behavior.insert(events, signal);
    },
    delete: async () => {},
    deleteSegments: async () => {},
    deleteExpired: async () => {},
  };
  const { eventStore } = await EventStore.open({
    ...{ objects: stores.objects, segmentLog: stores.segmentLog, replica, isSiteId },
    ...{ parquet: inlineParquetWriter, listingsMax: 100, nowMs: 1_773_500_000_000, onStray: () => {} },
  });
  const flush = new Flush({
    ...INTO_CLICKHOUSE,
    eventMs: EVENT_MS,
    ...{ eventStore, counters: createCounters(), log: createRecordingLog(), monotonicMs: () => clock.ms },
    ...{ compaction: { noteFiles: () => {} }, eventCount, byteCount: 1e9, intervalSecs: 60 },
  });
  const accept = async (site: SiteId) => {
    await eventStore.append(anEvent({ siteId: site }));
    flush.noteEvent();
  };
  const passMs = (ms: number) => {
    clock.ms += ms;
    flush.tick();
  };
  return { flush, eventStore, inserted, behavior, accept, passMs };
}

const sitesOf = (inserted: readonly ReplicatedEvents[]): string[] => inserted.flatMap(({ sites }) => sites).sort();

const DOWN = new Error("the server is down");
const fail: Insert = () => Promise.reject(DOWN);

describe("a flush into ClickHouse", () => {
  it("begins half a second after the first event, not with each", async () => {
    const { flush, inserted, accept, passMs } = await makeWorld();
    await accept(A);
    passMs(EVENT_MS - 1);
    await accept(B);
    await flush.settled();
    expect(inserted).toEqual([]);
    passMs(1);
    await flush.settled();
    expect(sitesOf(inserted)).toEqual([A, B]);
    passMs(10_000);
    await flush.settled();
    expect(inserted).toHaveLength(1);
  });

  it("counts events that arrive during a flush as waiting since its start", async () => {
    const { flush, inserted, behavior, accept, passMs } = await makeWorld();
    const slow = createDeferred<void>();
    behavior.insert = () => slow.promise;
    await accept(A);
    passMs(EVENT_MS);
    await expect.poll(() => inserted).toHaveLength(1);
    await accept(B);
    passMs(EVENT_MS);
    slow.resolve();
    await flush.settled();
    passMs(0);
    await flush.settled();
    expect(sitesOf(inserted)).toEqual([A, B]);
  });

  it("inserts all sites at once, and each day separately", async () => {
    const { flush, eventStore, inserted } = await makeWorld();
    const sites = Array.from({ length: 50 }, (_, i) => siteId(`${i}.test`));
    for (const site of [...sites, ...sites]) await eventStore.append(anEvent({ siteId: site, pathname: site }));
    await eventStore.append(anEvent({ siteId: A, at: "2026-03-16T00:00:00.000Z" }));
    expect(await flush.run()).toBe(true);
    expect(inserted.map(({ day, sites: of }) => [day, of])).toEqual([
      ["2026-03-15", sites],
      ["2026-03-16", [A]],
    ]);
    const [file] = decodeEvents(inserted[0]?.parquet ?? new Uint8Array());
    const { texts = [], places } = file?.text(SITE_COLUMN) ?? {};
    expect(Array.from(places ?? [], (place) => texts[place])).toEqual(sites.flatMap((site) => [site, site]));
  });

  it("inserts nothing again if only the files have failed", async () => {
    const stores = memoryStores();
    let isFull = true;
    const put: ObjectStore["put"] = (key, bytes) => (isFull ? Promise.reject(new Error("full")) : stores.objects.put(key, bytes));
    const { flush, inserted, accept } = await makeWorld({ ...stores, objects: { ...stores.objects, put } });
    await accept(A);
    expect(await flush.run()).toBe(false);
    isFull = false;
    expect(await flush.run()).toBe(true);
    expect(inserted).toHaveLength(1);
  });

  it("marks an insert as a possible repetition after a failure and after a restart, and only then", async () => {
    const stores = memoryStores();
    const { flush, inserted, behavior, accept } = await makeWorld(stores);
    await accept(A);
    behavior.insert = fail;
    expect(await flush.run()).toBe(false);
    expect(await flush.run()).toBe(false);
    const next = await makeWorld(stores);
    expect(await next.flush.run()).toBe(true);
    expect([...inserted, ...next.inserted].map(({ isRepeated }) => isRepeated)).toEqual([false, true, true]);
    expect(new Set([...inserted, ...next.inserted].map(({ segment }) => segment)).size).toBe(1);
  });

  it("leaves one segment, however many attempts fail", async () => {
    const { flush, eventStore, inserted, behavior, accept } = await makeWorld();
    behavior.insert = fail;
    for (let i = 0; i < 20; i++) {
      await accept(A);
      await flush.run();
    }
    expect(eventStore.sealedSegments).toHaveLength(1);
    behavior.insert = async () => {};
    inserted.length = 0;
    expect(await flush.run()).toBe(true);
    expect(inserted).toHaveLength(2);
    expect(eventStore.unflushedEvents).toBe(0);
  });

  it("leaves no segment that is larger than a flush, however long attempts fail", async () => {
    const { flush, eventStore, inserted, behavior, accept } = await makeWorld(memoryStores(), 10);
    behavior.insert = fail;
    for (let i = 0; i < 25; i++) {
      await accept(A);
      await flush.run();
    }
    behavior.insert = async () => {};
    inserted.length = 0;
    expect(await flush.run()).toBe(true);
    const rows = inserted.map(({ parquet }) => countEvents(parquet) ?? 0);
    expect(Math.max(...rows)).toBeLessThanOrEqual(10);
    expect(rows.reduce((sum, count) => sum + count, 0)).toBe(25);
    expect(eventStore.unflushedEvents).toBe(0);
  });

  it("is retried within seconds, however long the server was down", async () => {
    const { flush, inserted, behavior, accept, passMs } = await makeWorld();
    behavior.insert = fail;
    await accept(A);
    for (let i = 0; i < 100; i++) {
      passMs(CLICKHOUSE_RETRY_MS_MAX);
      await flush.settled();
    }
    expect(inserted).toHaveLength(100);
  });

  it("ends a hanging insert when the process stops", async () => {
    const { flush, inserted, behavior, accept } = await makeWorld();
    behavior.insert = (_, signal) => new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(DOWN)));
    await accept(A);
    const late = new AbortController();
    const stopped = flush.stop(late.signal);
    await expect.poll(() => inserted).toHaveLength(1);
    late.abort();
    await stopped;
  });
});

describe("a delivery", () => {
  it("a delivery does not wait for the events of other sites", async () => {
    const { flush, inserted, behavior, accept } = await makeWorld();
    const slow = createDeferred<void>();
    behavior.insert = () => slow.promise;
    await accept(A);
    const ended: string[] = [];
    const running = flush.run().then(() => ended.push("flush"));
    const delivery = flush.deliver(B).then(() => ended.push("delivery"));
    await expect.poll(() => inserted).toHaveLength(1);
    // Whatever the delivery waits for, the flush ends now, so that a delivery that waits for it fails the test and does not hang.
    await setImmediate();
    slow.resolve();
    await Promise.all([running, delivery]);
    expect(ended).toEqual(["delivery", "flush"]);
  });

  it("a delivery shares its flush with all deliveries that begin meanwhile", async () => {
    const { flush, inserted, accept } = await makeWorld();
    await accept(A);
    await Promise.all(Array.from({ length: 10 }, () => flush.deliver(A)));
    expect(inserted).toHaveLength(1);
  });

  it("a delivery includes an event that was accepted while a flush ran", async () => {
    const { flush, eventStore, inserted, behavior, accept } = await makeWorld();
    const slow = createDeferred<void>();
    behavior.insert = () => slow.promise;
    await accept(A);
    const running = flush.run();
    await expect.poll(() => inserted).toHaveLength(1);
    await accept(A);
    const delivered = flush.deliver(A);
    slow.resolve();
    await delivered;
    await running;
    expect(inserted).toHaveLength(2);
    expect(eventStore.hasUnflushed(A)).toBe(false);
  });

  it("a delivery rejects with the reason of the failure, at once while no attempt is due, and succeeds when the server is back", async () => {
    const { flush, inserted, behavior, accept, passMs } = await makeWorld();
    behavior.insert = fail;
    await accept(A);
    await expect(flush.deliver(A)).rejects.toBe(DOWN);
    for (let i = 0; i < 10; i++) await expect(flush.deliver(A)).rejects.toBe(DOWN);
    expect(inserted).toHaveLength(1);
    behavior.insert = async () => {};
    passMs(CLICKHOUSE_RETRY_MS_MAX);
    await flush.deliver(A);
    expect(inserted).toHaveLength(2);
  });
});
