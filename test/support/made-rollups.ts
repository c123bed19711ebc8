/** Rollups of events in files, made as the program makes them. */
import { isSiteId } from "../../src/runtime/base/config/names.ts";
import { createSha256, toHex } from "../../src/runtime/base/bytes.ts";
import { partitionVersionOf } from "../../src/storage/partitions.ts";
import { eventsToRead } from "../../src/runtime/duckdb/rollups/rollup-maker.ts";
import { rangeOfDays } from "../../src/runtime/query/date-range.ts";
import { rolledMeasures } from "../../src/runtime/reports/registry.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { fileOf, originOf } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import { utcCalendar } from "../../src/storage/calendar.ts";
import type { LocalDate, SiteId } from "../../src/storage/event.ts";
import { EventStore } from "../../src/storage/event-store.ts";
import { createMemorySegmentLog } from "./memory-segment-log.ts";
import type { ObjectKey, ObjectStore } from "../../src/storage/object-store.ts";
import { inlineParquetWriter } from "../../src/storage/parquet-events.ts";

export interface RollupSettings {
  readonly sessionWindowMinutes?: number;
  readonly saltRotationDays?: number;
  readonly hasExtension?: boolean;
}

/** An event store whose events are all in the files of `objects`. */
export async function openFilesStore(objects: ObjectStore): Promise<EventStore> {
  const { eventStore } = await EventStore.open({
    segmentLog: createMemorySegmentLog(),
    nowMs: 0,
    parquet: inlineParquetWriter,
    objects,
    isSiteId,
    listingsMax: 10,
    onStray: () => {},
  });
  return eventStore;
}

/** Stores the rollup of these days, which are whole salt periods: of the events, or as the sum of other rollups. Returns its key. */
export async function makeRollup(
  objects: ObjectStore,
  siteId: SiteId,
  [firstDay, lastDay]: readonly [LocalDate, LocalDate],
  { sessionWindowMinutes = 30, saltRotationDays = 1, hasExtension = true }: RollupSettings = {},
  parts: readonly ObjectKey[] = [],
): Promise<ObjectKey> {
  const eventStore = await openFilesStore(objects);
  const sha256 = await createSha256();
  const settings = { sessionWindowMinutes, saltRotationDays };
  const rolled = rolledMeasures({ ...settings, hasExtension, hash: (text) => toHex(sha256(text)) });
  const days = await eventStore.withSnapshot(siteId, firstDay, lastDay, async (partitions) => partitions.map(partitionVersionOf));
  const origin = originOf(siteId, { firstDay, lastDay, days }, { ...settings, definitions: rolled.definitions, arrivals: "" });
  const events = parts.length > 0 ? [] : [rangeOfDays(firstDay, lastDay)];
  const calculator = createInlineRollupCalculator(objects, { fileBytesMax: 0, unpackedBytesMax: 0, measureBytesMax: 0 });
  const made = await calculator.make(origin, parts, eventsToRead(events, days, rolled, utcCalendar));
  if (!("bytes" in made)) throw new Error(made.reason);
  const { key } = fileOf(origin);
  await objects.put(key, made.bytes);
  return key;
}
