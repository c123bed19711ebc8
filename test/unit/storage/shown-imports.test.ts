/** Files of imports in the event store: they count only while their import is shown, are merged among themselves, and go with their days. */
import { describe, expect, it } from "vitest";
import { isSiteId } from "../../../src/runtime/base/config/names.ts";
import type { LocalDate, SiteId } from "../../../src/storage/event.ts";
import { EventStore } from "../../../src/storage/event-store.ts";
import { encodeEvents, inlineParquetWriter } from "../../../src/storage/parquet-events.ts";
import {
  IMPORT_NUMBER_MAX,
  IMPORT_NUMBERS,
  importFileNumber,
  importOf,
  type PartitionFile,
  partitionKey,
  planMerges,
  SEGMENT_NUMBER_MIN,
} from "../../../src/storage/partitions.ts";
import { createDeferred } from "../../support/deferred.ts";
import { memoryStores } from "../../support/mortal-stores.ts";
import { anEvent, eventTexts, siteId } from "../../support/stored-event.ts";

const NOW_MS = Date.parse("2026-03-15T12:00:00Z");
const [EARLIER, DAY] = ["2026-03-14", "2026-03-15"] as [LocalDate, LocalDate];
const A = siteId("a.test");

const textsOf = (count: number) => eventTexts(Array.from({ length: count }, () => anEvent({ siteId: A })));

async function openStore(stores = memoryStores(), shown = new Set<number>()) {
  const { eventStore } = await EventStore.open({
    ...stores,
    parquet: inlineParquetWriter,
    isSiteId,
    listingsMax: 10,
    nowMs: NOW_MS,
    onStray: () => {},
    isShown: (importNumber) => shown.has(importNumber),
  });
  const add = (importNumber: number, index: number, day: LocalDate, events: number) =>
    eventStore.addImportFile(A, { day, number: importFileNumber(importNumber, index) }, textsOf(events));
  const show = (importNumber: number) => eventStore.changeShown(A, importNumber, true, async () => void shown.add(importNumber));
  const hide = (importNumber: number) => eventStore.changeShown(A, importNumber, false, async () => void shown.delete(importNumber));
  /** The days that count, with the number of each one's files. */
  const look = () =>
    eventStore.withSnapshot(A, EARLIER, DAY, async (partitions) => partitions.map(({ day, files }) => [day, files.length] as const));
  const flushed = async (day: LocalDate): Promise<void> => {
    await eventStore.append(anEvent({ siteId: A, date: day }));
    await eventStore.seal();
    for (const segment of [...eventStore.sealedSegments]) {
      await eventStore.commitFlush(segment, A);
      await eventStore.drop(segment);
    }
  };
  return { eventStore, add, show, hide, look, flushed, shown };
}

const file = (first: number, last = first): PartitionFile => ({ day: DAY, first, last, key: `${first}-${last}`, sizeBytes: 1 });

describe("the numbers of imports' files", () => {
  it("say whose a file is", () => {
    for (const n of [1, 2, 53, IMPORT_NUMBER_MAX]) {
      for (const index of [0, 1, IMPORT_NUMBERS - 1]) expect(importOf(file(importFileNumber(n, index)))).toBe(n);
      expect(importOf(file(importFileNumber(n, 0), importFileNumber(n, IMPORT_NUMBERS - 1)))).toBe(n);
    }
    expect(importFileNumber(IMPORT_NUMBER_MAX, IMPORT_NUMBERS - 1)).toBe(SEGMENT_NUMBER_MIN - 1);
  });

  it("are none of the journal's and of the demo site's, nor of a file that holds events of several", () => {
    const ofOthers = [file(1), file(52_704_000), file(SEGMENT_NUMBER_MIN), file(NOW_MS)];
    const ofSeveral = [file(importFileNumber(1, 0), importFileNumber(2, 0)), file(importFileNumber(3, 0), NOW_MS)];
    expect([...ofOthers, ...ofSeveral].map(importOf)).toEqual([null, null, null, null, null, null]);
  });

  it("keep merges within an import", () => {
    const numbers = [1, 2, importFileNumber(1, 0), importFileNumber(1, 1), importFileNumber(2, 0), NOW_MS, NOW_MS + 1];
    const merges = planMerges({ files: numbers.map((number) => file(number)), isMergeable: () => true, isPast: true, filesMax: 1 });
    expect(merges.map((group) => group.map(({ first }) => first))).toEqual([
      [1, 2],
      [importFileNumber(1, 0), importFileNumber(1, 1)],
      [NOW_MS, NOW_MS + 1],
    ]);
  });
});

describe("an import's files", () => {
  it("count from the moment the import is shown until it is hidden", async () => {
    const stores = memoryStores();
    const { eventStore, add, show, hide, look, flushed, shown } = await openStore(stores);
    await flushed(DAY);
    const before = await eventStore.versions(A, EARLIER, DAY);
    await add(1, 0, EARLIER, 2);
    await add(1, 1, DAY, 1);
    await add(2, 0, DAY, 1);
    expect(await eventStore.versions(A, EARLIER, DAY)).toEqual(before);
    expect(await eventStore.days(A)).toEqual([DAY]);
    await show(1);
    for (const looked of [look, (await openStore(stores, shown)).look]) {
      expect(await looked()).toEqual([
        [EARLIER, 1],
        [DAY, 2],
      ]);
    }
    expect(await eventStore.days(A)).toEqual([EARLIER, DAY]);
    await hide(1);
    expect(await eventStore.versions(A, EARLIER, DAY)).toEqual(before);
  });

  it("are shown and hidden at once, after the snapshots under way, and observers know of it before", async () => {
    const { eventStore, add, show, hide, look } = await openStore();
    await add(1, 0, EARLIER, 1);
    await add(1, 1, DAY, 1);
    const told: unknown[] = [];
    eventStore.observe({ beforeDelete: async (...range) => void told.push(range) });
    const [taken, end] = [createDeferred<void>(), createDeferred<void>()];
    const snapshot = eventStore.withSnapshot(A, EARLIER, DAY, async (partitions) => {
      taken.resolve();
      await end.promise;
      return partitions.length;
    });
    await taken.promise;
    const shown = show(1);
    expect(told).toEqual([]);
    end.resolve();
    expect(await snapshot).toBe(0);
    await shown;
    expect(await look()).toHaveLength(2);
    await hide(1);
    expect(told).toEqual([
      [A, EARLIER, DAY],
      [A, EARLIER, DAY],
    ]);
  });

  it("stay as they are if an observer rejects", async () => {
    const { eventStore, add, show, look } = await openStore();
    await add(1, 0, DAY, 1);
    eventStore.observe({ beforeDelete: () => Promise.reject(new Error("told to")) });
    await expect(show(1)).rejects.toThrow("told to");
    expect(await look()).toEqual([]);
  });

  it("are written again under the same number without another file", async () => {
    const { add, show, look } = await openStore();
    for (let round = 0; round < 2; round++) await add(1, 0, DAY, 1);
    await show(1);
    expect(await look()).toEqual([[DAY, 1]]);
  });

  it("are not merged while they are hidden, nor if they are hidden meanwhile", async () => {
    const { eventStore, add, show, hide } = await openStore();
    await add(1, 0, DAY, 1);
    await add(1, 1, DAY, 1);
    expect(await eventStore.deleteSuperseded(A, DAY)).toEqual([]);
    await show(1);
    const parts = await eventStore.deleteSuperseded(A, DAY);
    expect(parts).toHaveLength(2);
    await hide(1);
    expect(await eventStore.replaceFiles(A, DAY, parts, encodeEvents([anEvent({ siteId: A })]))).toBe(false);
  });

  it("are deleted without those of others, also those that an interrupted merge has left", async () => {
    const stores = memoryStores();
    const opened = await openStore(stores);
    await opened.flushed(DAY);
    await opened.add(2, 0, DAY, 1);
    for (const index of [0, 1]) await opened.add(1, index, DAY, 1);
    await stores.objects.put(
      partitionKey(A, DAY, importFileNumber(1, 0), importFileNumber(1, 1)),
      encodeEvents([anEvent({ siteId: A }), anEvent({ siteId: A })]),
    );
    const { eventStore, look, show } = await openStore(stores);
    expect(await eventStore.deleteImport(A, 1)).toBe(3);
    expect(await eventStore.deleteImport(A, 1)).toBe(0);
    await show(2);
    expect(await look()).toEqual([[DAY, 2]]);
  });

  it("are the last of a site", async () => {
    const { eventStore, add } = await openStore();
    const empty: SiteId[] = [];
    eventStore.observe({ onSiteWithoutFiles: (site) => void empty.push(site) });
    await add(1, 0, DAY, 1);
    expect([...(await eventStore.sites())]).toEqual([A]);
    await eventStore.deleteImport(A, 1);
    expect([empty, [...(await eventStore.sites())]]).toEqual([[A], []]);
  });

  it("are erased with their days, hidden or not", async () => {
    const { eventStore, add, show, look } = await openStore();
    await add(1, 0, EARLIER, 2);
    await add(1, 1, DAY, 3);
    expect(await eventStore.deleteDays(A, EARLIER, EARLIER)).toEqual({ events: 2, days: 1, unreadable: [] });
    await show(1);
    expect(await look()).toEqual([[DAY, 1]]);
  });
});
