/** The size and version of a partition, without loading it: the version changes whenever an event is added or deleted. */
import type { LocalDate } from "../../../storage/event.ts";
import type { Partition, PartitionFile } from "../../../storage/partition.ts";

export interface PartitionVersion {
  readonly day: LocalDate;
  /** Approximate size as Parquet. */
  readonly bytes: number;
  /** Identifies the exact set of the day's events. A version never recurs after an event is added or deleted. */
  readonly version: string;
  /** Its files, oldest first. */
  readonly files: readonly PartitionFile[];
  /** Some of its events are in no file yet. */
  readonly hasUnflushed: boolean;
}

/** Size of an event in a Parquet file, as measured. */
export const PARQUET_BYTES_PER_EVENT = 24;

/** Built from file ranges and event counts: files never change, and segments only grow. */
export function partitionVersionOf({ day, files, journaled }: Partition): PartitionVersion {
  const unflushed = journaled.filter(({ inFiles }) => !inFiles);
  const bytesInFiles = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    day,
    bytes: unflushed.reduce((sum, { events }) => sum + events.length * PARQUET_BYTES_PER_EVENT, bytesInFiles),
    version: [
      ...files.map(({ first, last }) => `${first}-${last}`),
      ...unflushed.map(({ segment, events }) => `${segment}:${events.length}`),
    ].join(),
    files,
    hasUnflushed: unflushed.some(({ events }) => events.length > 0),
  };
}
