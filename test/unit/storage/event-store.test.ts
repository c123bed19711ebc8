/** The event store: it combines journal and files, serializes changes to a site and notifies observers before each change. */
import { describe, expect, it } from "vitest";
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../../src/storage/event.ts";
import { EventStore } from "../../../src/storage/event-store.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { encodeEvents, inlineParquetWriter } from "../../../src/storage/parquet-events.ts";
import { type Partition, partitionKey } from "../../../src/storage/partitions.ts";
import { createDeferred } from "../../support/deferred.ts";
import { memoryStores, type Stores } from "../../support/mortal-stores.ts";
import { anEvent, eventTexts, siteId } from "../../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const [FIRST, LAST] = ["2026-03-14", "2026-03-16"] as [LocalDate, LocalDate];
const DAY = "2026-03-15" as LocalDate;
const [A, B] = [siteId("a.test"), siteId("b.test")];

const eventsOf = (site: SiteId, count: number, fields: Partial<StoredEvent> = {}): StoredEvent[] =>
  Array.from({ length: count }, () => anEvent({ siteId: site, ...fields }));

async function openStore({ objects, segmentLog }: Stores = memoryStores(), nowMs = NOW_MS) {
  const { eventStore } = await EventStore.open({
    segmentLog,
    objects,
    parquet: inlineParquetWriter,
    isSiteId,
    listingsMax: 10,
    nowMs,
    onStray: () => {},
  });
  return {
    eventStore,
    append: (events: readonly StoredEvent[]) => Promise.all(events.map((event) => eventStore.append(event))),
    async flush(): Promise<void> {
      await eventStore.seal();
      for (const segment of [...eventStore.sealedSegments]) {
        for (const site of [...segment.sites.keys()]) await eventStore.commitFlush(segment, site);
        await eventStore.drop(segment);
      }
    },
    /** What a site has, as numbers: of each day the files, and the events of the journal that no file has. */
    async look(site: SiteId): Promise<[LocalDate, number, number][]> {
      const unflushed = ({ journaled }: Partition) =>
        journaled.reduce((sum, { events, inFiles }) => sum + (inFiles ? 0 : events.length), 0);
      return eventStore.withSnapshot(site, FIRST, LAST, async (partitions) =>
        partitions.map((partition) => [partition.day, partition.files.length, unflushed(partition)]),
      );
    },
  };
}

describe("the event store", () => {
  it("returns events of files and journal together, by the date stored with each event", async () => {
    const { eventStore, append, flush, look } = await openStore();
    await append([...eventsOf(A, 2), ...eventsOf(A, 1, { date: LAST }), ...eventsOf(B, 1)]);
    await flush();
    await append(eventsOf(A, 3, { date: FIRST }));
    await append(eventsOf(A, 4));
    expect(await look(A)).toEqual([
      [FIRST, 0, 3],
      [DAY, 1, 4],
      [LAST, 1, 0],
    ]);
    expect(await eventStore.days(A)).toEqual([FIRST, DAY, LAST]);
    expect([...(await eventStore.sites())].sort()).toEqual([A, B]);
    expect([eventStore.unflushedSites(), eventStore.unflushedEvents]).toEqual([[A], 7]);
  });

  it("counts a segment's events once after a crash between the file write and the end of the flush", async () => {
    const stores = memoryStores();
    const before = await openStore(stores);
    await before.append(eventsOf(A, 2));
    const [segment = 0] = await stores.segmentLog.list();
    await stores.objects.put(partitionKey(A, DAY, segment, segment), encodeEvents(eventsOf(A, 2)));
    const after = await openStore(stores, NOW_MS + 1);
    expect(await after.look(A)).toEqual([[DAY, 1, 0]]);
    expect(after.eventStore.unflushedEvents).toBe(2);
    await after.flush();
    expect([await after.look(A), after.eventStore.unflushedEvents]).toEqual([[[DAY, 1, 0]], 0]);
  });

  it("releases no events of a site while a snapshot of it is in use, and other sites do not wait", async () => {
    const { eventStore, append, flush, look } = await openStore();
    await append([...eventsOf(A, 2), ...eventsOf(B, 2)]);
    const [taken, end] = [createDeferred<void>(), createDeferred<void>()];
    const snapshot = eventStore.withSnapshot(A, FIRST, LAST, async ([partition]) => {
      taken.resolve();
      await end.promise;
      return partition?.journaled.map(({ events }) => events.length);
    });
    await taken.promise;
    const flushed = flush();
    expect(await look(B)).toEqual([[DAY, 0, 2]]);
    expect(eventStore.unflushedEvents).toBe(4);
    end.resolve();
    expect(await snapshot).toEqual([2]);
    await flushed;
    expect(eventStore.unflushedEvents).toBe(0);
  });

  it("notifies observers before it releases or deletes events, and when a site has no files left", async () => {
    const { eventStore, append, flush } = await openStore();
    const told: unknown[] = [];
    eventStore.observe({
      async beforeRelease(site, segment, days) {
        told.push(["release", site, segment, [...days].map(([day, events]) => [day, events.length]), eventStore.unflushedEvents]);
      },
      beforeDelete: async (...range) => void told.push(["delete", ...range]),
      onSiteWithoutFiles: (site) => void told.push(["empty", site]),
    });
    await append([...eventsOf(A, 2), ...eventsOf(A, 1, { date: FIRST })]);
    await flush();
    await eventStore.deleteDays(A, FIRST, FIRST);
    await eventStore.deleteDays(A, FIRST, LAST);
    expect(told).toEqual([
      [
        "release",
        A,
        NOW_MS,
        [
          [DAY, 2],
          [FIRST, 1],
        ],
        3,
      ],
      ["delete", A, FIRST, FIRST],
      ["delete", A, FIRST, LAST],
      ["empty", A],
    ]);
  });

  it("adds a file of events that were never in the journal, notifies observers, and replaces it when it is added again", async () => {
    const stores = memoryStores();
    const { eventStore, append, flush, look } = await openStore(stores);
    const told: unknown[] = [];
    eventStore.observe({
      beforeRelease: async (site, segment, days) => void told.push([site, segment, [...days].map(([day, { length }]) => [day, length])]),
    });
    await append(eventsOf(A, 1));
    await flush();
    const made = eventTexts(eventsOf(B, 3));
    for (let round = 0; round < 2; round++) await eventStore.addFile(B, { day: DAY, first: 1, last: 60 }, made);
    await eventStore.addFile(B, { day: DAY, first: 61, last: 120 }, made);
    expect(told.slice(1)).toEqual([
      [B, 1, [[DAY, 3]]],
      [B, 1, [[DAY, 3]]],
      [B, 61, [[DAY, 3]]],
    ]);
    for (const looked of [look, (await openStore(stores)).look]) {
      expect(await looked(B)).toEqual([[DAY, 2, 0]]);
      expect(await looked(A)).toEqual([[DAY, 1, 0]]);
    }
    expect(await eventStore.deleteDays(B, FIRST, LAST)).toMatchObject({ events: 6, days: 1 });
    expect(await eventStore.sites()).toEqual(new Set([A]));
  });

  it("notifies observers of a release only after the last step that can fail, so that none sees an event twice", async () => {
    const stores = memoryStores();
    const listing = createDeferred<string[]>();
    let listings = 0;
    const objects: ObjectStore = {
      ...stores.objects,
      folders: (folder) => (listings++ === 0 ? listing.promise : stores.objects.folders(folder)),
      async put(key, bytes) {
        await stores.objects.put(key, bytes);
        // Once the flush waits for the sites.
        setImmediate(() => listing.reject(new Error("the disk cannot be read")));
      },
    };
    const { eventStore, append, flush } = await openStore({ ...stores, objects });
    const released: unknown[] = [];
    eventStore.observe({ beforeRelease: async (_site, _segment, days) => void released.push(days.get(DAY)?.length) });
    await append(eventsOf(A, 2));
    await Promise.all([expect(eventStore.sites()).rejects.toThrow(), expect(flush()).rejects.toThrow()]);
    expect([released, eventStore.unflushedEvents]).toEqual([[], 2]);
    await flush();
    expect([released, eventStore.unflushedEvents]).toEqual([[2], 0]);
  });

  it("looks for superseded files beside a snapshot, which waits for it no more than it for the snapshot", async () => {
    const { eventStore, append, flush } = await openStore();
    await append(eventsOf(A, 1));
    await flush();
    const isRead = createDeferred<void>();
    const snapshot = eventStore.withSnapshot(A, FIRST, LAST, () => isRead.promise);
    expect(await eventStore.deleteSuperseded(A, DAY)).toHaveLength(1);
    isRead.resolve();
    await snapshot;
  });

  it("notifies observers before files are merged or deleted, and keeps the files if one rejects", async () => {
    const { eventStore, append, flush, look } = await openStore();
    for (let part = 0; part < 3; part++) {
      await append(eventsOf(A, 1));
      await flush();
    }
    const files = await eventStore.deleteSuperseded(A, DAY);
    const told: unknown[] = [];
    let isRejecting = true;
    const tell = async (...about: unknown[]) => {
      told.push([...about, (await look(B)).length]);
      if (isRejecting) throw new Error("not yet");
    };
    eventStore.observe({ beforeMerge: (...about) => tell(...about), beforeDelete: (...about) => tell(...about) });
    const merge = () => eventStore.replaceFiles(A, DAY, files.slice(0, 2), encodeEvents(eventsOf(A, 2)));
    await expect(merge()).rejects.toThrow("not yet");
    await expect(eventStore.deleteDays(A, FIRST, LAST)).rejects.toThrow("not yet");
    expect(await look(A)).toEqual([[DAY, 3, 0]]);
    isRejecting = false;
    expect(await merge()).toBe(true);
    expect(await look(A)).toEqual([[DAY, 2, 0]]);
    expect(told).toEqual([
      [A, DAY, files, 0],
      [A, FIRST, LAST, 0],
      [A, DAY, files, 0],
    ]);
  });

  it("deletes only files that a flush of the journal cannot write again", async () => {
    const stores = memoryStores();
    const { eventStore, append, flush, look } = await openStore(stores);
    await append(eventsOf(A, 2));
    await flush();
    await append(eventsOf(A, 3));
    // As a flush of the open segment would write it.
    const key = partitionKey(A, DAY, NOW_MS + 1, NOW_MS + 1);
    await stores.objects.put(key, encodeEvents(eventsOf(A, 3)));
    expect(await eventStore.isJournaled(A, DAY, DAY)).toBe(true);
    expect(await eventStore.isJournaled(A, FIRST, FIRST)).toBe(false);
    expect(await eventStore.deleteDays(A, FIRST, LAST)).toEqual({ events: 2, days: 1, unreadable: [] });
    expect((await stores.objects.list("events")).map((object) => object.key)).toEqual([key]);
    expect(await look(A)).toEqual([[DAY, 1, 0]]);
  });

  it("replaces files by their merged file, and changes nothing if one of them was deleted meanwhile", async () => {
    const { eventStore, append, flush, look } = await openStore();
    for (let part = 0; part < 2; part++) {
      await append(eventsOf(A, 1));
      await flush();
    }
    const parts = await eventStore.deleteSuperseded(A, DAY);
    expect(parts).toHaveLength(2);
    expect(await eventStore.replaceFiles(A, DAY, parts, encodeEvents(eventsOf(A, 2)))).toBe(true);
    expect(await look(A)).toEqual([[DAY, 1, 0]]);
    expect(await eventStore.replaceFiles(A, DAY, parts, encodeEvents(eventsOf(A, 2)))).toBe(false);
    expect(await eventStore.deleteDays(A, DAY, DAY)).toEqual({ events: 2, days: 1, unreadable: [] });
    expect([...(await eventStore.sites())]).toEqual([]);
  });
});
