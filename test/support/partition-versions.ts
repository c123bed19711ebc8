/** Versions of partitions, for tests of what depends on them alone. */
import type { PartitionFile, PartitionVersion } from "../../src/storage/partitions.ts";
import { addDays } from "../../src/storage/calendar.ts";
import type { LocalDate } from "../../src/storage/event.ts";

/** `first-last` ranges of segments as files of a day. */
export const filesOf = (day: LocalDate, ranges: readonly (readonly [first: number, last: number])[]): PartitionFile[] =>
  ranges.map(([first, last]) => ({ day, first, last, key: `${day}/${first}-${last}`, sizeBytes: 1000 }));

export function versionOf(day: LocalDate, fields: Partial<PartitionVersion> = {}): PartitionVersion {
  return { day, bytes: 1000, version: "1-1", files: filesOf(day, [[1, 1]]), hasUnflushed: false, ...fields };
}

/** The days with these numbers, counted from a date. */
export const versionsFrom = (first: LocalDate, numbers: readonly number[], fields: Partial<PartitionVersion> = {}): PartitionVersion[] =>
  numbers.map((number) =>
    versionOf(addDays(first, number), { ...fields, files: fields.files ?? filesOf(addDays(first, number), [[1, 1]]) }),
  );
