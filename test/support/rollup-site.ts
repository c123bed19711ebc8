/** A real event store with a store of rollups beside it: for events and rollups of any days. */
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import { addDays, daysBetween } from "../../src/storage/calendar.ts";
import { type LocalDate, type SiteId, startOfDayMs } from "../../src/storage/event.ts";
import { EventStore } from "../../src/storage/event-store.ts";
import { createMemoryObjectStore } from "./memory-object-store.ts";
import { createMemorySegmentLog } from "./memory-segment-log.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";
import { rollupFolder } from "../../src/storage/rollup.ts";
import type { SegmentLog } from "../../src/storage/segment.ts";
import type { JsonRollup } from "./json-rollups.ts";
import { rollupsBeside } from "./rollups-beside.ts";
import { anEvent, siteId } from "./stored-event.ts";

/** The first day of salt period 20480, a multiple of 4096, if a period is a day. Days of tests are counted from it. */
export const START = "2026-01-27" as LocalDate;
export const at = (days: number): LocalDate => addDays(START, days);

export const SITE = siteId("a.test");

export interface RollupSiteParts {
  readonly objects?: ObjectStore;
  readonly segmentLog?: SegmentLog;
  readonly definitions?: string;
  readonly sessionWindowMinutes?: number;
  readonly saltRotationDays?: number;
  /** When the process started: a floor for the numbers of new segments. */
  readonly nowMs?: number;
}

/** An event, in files and rollups by its unique page. */
export interface SentEvent {
  readonly day: LocalDate;
  readonly page: string;
}

export type RollupSite = Awaited<ReturnType<typeof openRollupSite>>;

export async function openRollupSite({
  objects = createMemoryObjectStore(),
  segmentLog = createMemorySegmentLog(),
  definitions = "1",
  sessionWindowMinutes = 30,
  saltRotationDays = 1,
  nowMs = 1,
}: RollupSiteParts = {}) {
  const parquet = inlineParquetWriter;
  const { eventStore } = await EventStore.open({ segmentLog, objects, parquet, isSiteId, listingsMax: 10, nowMs, onStray: () => {} });
  const beside = rollupsBeside(eventStore, objects, { definitions, sessionWindowMinutes, saltRotationDays, arrivals: "" });
  const { rollups, log, reads } = beside;
  const sent: SentEvent[] = [];
  const versions = (first = START, last = at(1000), site = SITE) => beside.versions(site, first, last);

  return {
    objects,
    segmentLog,
    eventStore,
    log,
    reads,
    rollups,
    versions,
    originOfDays: (first: number, last: number, site = SITE) => beside.originOfDays(site, at(first), at(last)),
    /** All events that were appended, or may have been. */
    sent: sent as readonly SentEvent[],
    pages: (first: LocalDate, last: LocalDate, site = SITE) => beside.pages(site, first, last),
    async append(days: readonly number[], site: SiteId = SITE): Promise<void> {
      const events = days.map(at).map((date) => {
        const pathname = `/${nowMs}-${sent.length}`;
        sent.push({ day: date, page: pathname });
        return anEvent({ siteId: site, date, timestampMs: startOfDayMs(date), pathname });
      });
      await Promise.all(events.map((event) => eventStore.append(event)));
    },
    async flush(): Promise<void> {
      await eventStore.seal();
      for (const segment of [...eventStore.sealedSegments]) {
        for (const site of [...segment.sites.keys()]) await eventStore.commitFlush(segment, site);
        await eventStore.drop(segment);
      }
    },
    /** Merges all files of a day. */
    async merge(number: number, site: SiteId = SITE): Promise<void> {
      const [partition] = await eventStore.withSnapshot(site, at(number), at(number), async (partitions) => partitions);
      const files = await Promise.all(
        (partition?.files ?? []).map(async (file) => ({
          key: file.key,
          siteId: site,
          bytes: (await eventStore.read(file)) ?? new Uint8Array(),
        })),
      );
      const merged = await parquet.merge(files);
      if ("unreadable" in merged) throw new Error(merged.reason);
      await eventStore.replaceFiles(site, at(number), partition?.files ?? [], merged.bytes);
    },
    /** Stores a rollup of these days as they are now. */
    async store(first: number, last: number, header: Partial<JsonRollup> = {}, site: SiteId = SITE): Promise<string> {
      if (!(await beside.store(site, at(first), at(last), header))) throw new Error("the rollup was not stored");
      return `${first}–${last}`;
    },
    /** The days of all stored rollups, and other names. */
    async stored(site: SiteId = SITE): Promise<string[]> {
      const names = (await objects.list(rollupFolder(site))).map(({ key }) => key.slice(rollupFolder(site).length + 1));
      return names.map(spanOfName);
    },
    /** What covers a range: rollups and the rest, by days. */
    async cover(first: number, last: number, measures: readonly string[] = ["main"], site: SiteId = SITE) {
      const range = rangeOfDays(at(first), at(last));
      const { rollups: found, rest } = await rollups.coverage(site, range, await versions(range.firstDay, range.lastDay, site), {
        measures,
        arrivals: "",
      });
      return {
        rollups: found.map((key) => spanOfName(key.slice(rollupFolder(site).length + 1))),
        rest: rest.map(({ firstDay, lastDay }) => span(firstDay, lastDay)),
      };
    },
  };
}

const span = (first: LocalDate, last: LocalDate): string => `${daysBetween(START, first)}–${daysBetween(START, last)}`;

function spanOfName(name: string): string {
  const [, first, last] = /^(.{10})_(.{10})_[0-9a-f]{8}_[0-9a-f]{8}\.parquet$/.exec(name) ?? [];
  return first && last ? span(first as LocalDate, last as LocalDate) : name;
}
