/** Events in partition files, and what the program needs to compute their measures from them. */
import { firstDateOfPeriod, periodOf, addDays, type Calendar } from "../../src/storage/calendar.ts";
import type { LocalDate, SiteId, StoredEvent } from "../../src/storage/event.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { encodeEvents } from "../../src/storage/parquet-events.ts";
import { type PartitionFile, partitionKey, partitionVersionOf } from "../../src/storage/partitions.ts";
import type { RollupOrigin } from "../../src/storage/rollup.ts";
import type { RolledMeasures } from "../../src/runtime/duckdb/rollups/rollup-execution.ts";
import { eventsToRead } from "../../src/runtime/duckdb/rollups/rollup-maker.ts";
import { originOf } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import { type DateRange, rangeOfDays } from "../../src/runtime/query/date-range.ts";

/** Writes a file for each list of events and each of their days, in the order of the lists. Returns the files by day, oldest first. */
export async function storeFiles(
  objects: ObjectStore,
  siteId: SiteId,
  lists: readonly (readonly StoredEvent[])[],
): Promise<ReadonlyMap<LocalDate, readonly PartitionFile[]>> {
  const files = new Map<LocalDate, PartitionFile[]>();
  for (const day of [...new Set(lists.flat().map(({ date }) => date))].sort()) {
    const ofDay: PartitionFile[] = [];
    for (const [i, events] of lists.entries()) {
      const found = events.filter(({ date }) => date === day);
      if (found.length === 0) continue;
      const [bytes, key] = [encodeEvents(found), partitionKey(siteId, day, i + 1, i + 1)];
      await objects.put(key, bytes);
      ofDay.push({ day, first: i + 1, last: i + 1, key, sizeBytes: bytes.length });
    }
    files.set(day, ofDay);
  }
  return files;
}

/** The salt periods of days in order. */
export const periodsOf = (days: readonly LocalDate[], rotationDays: number): DateRange =>
  rangeOfDays(
    firstDateOfPeriod(periodOf(days[0] as LocalDate, rotationDays), rotationDays),
    addDays(firstDateOfPeriod(periodOf(days.at(-1) as LocalDate, rotationDays) + 1, rotationDays), -1),
  );

/** The request for a rollup of all these files. */
export function rollupOfFiles(
  siteId: SiteId,
  files: ReadonlyMap<LocalDate, readonly PartitionFile[]>,
  rolled: RolledMeasures,
  calendar: Calendar,
  settings: { readonly sessionWindowMinutes: number; readonly saltRotationDays: number },
) {
  const days = Array.from(files, ([day, ofDay]) => partitionVersionOf({ day, files: ofDay, journaled: [] }));
  const range = periodsOf([...files.keys()], settings.saltRotationDays);
  const origin: RollupOrigin = originOf(siteId, { ...range, days }, { ...settings, definitions: rolled.definitions, arrivals: "" });
  return { origin, range, events: eventsToRead([range], days, rolled, calendar) };
}
