/** What a site has on a day and where it lies, without loading it: files, and events of the journal that are in no file yet. */
import type { UtcDay } from "../../storage/event.ts";
import type { EventText } from "../../storage/event-text.ts";
import type { PartitionFile } from "../../storage/partition-path.ts";

export interface PartitionVersion {
  readonly day: UtcDay;
  /** As Parquet, roughly. */
  readonly bytes: number;
  /** Names the day's events: once one has come or gone, the day never has the same version again. */
  readonly version: string;
}

/** What an event takes in a Parquet file, as measured. */
export const PARQUET_BYTES_PER_EVENT = 24;

/** A segment's events of one site and day. */
export interface UnflushedEvents {
  readonly segment: number;
  readonly events: readonly EventText[];
}

/** Whether files already have a segment's events although its flush has not ended: then they have all of them. */
export const isInFiles = (segment: number, files: readonly PartitionFile[]): boolean =>
  files.some(({ first, last }) => first <= segment && segment <= last);

/** Files never change, and a segment's events only grow in number. */
export function partitionVersionOf(day: UtcDay, files: readonly PartitionFile[], journaled: readonly UnflushedEvents[]): PartitionVersion {
  const unflushed = journaled.filter(({ segment }) => !isInFiles(segment, files));
  const inFiles = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    day,
    bytes: unflushed.reduce((sum, { events }) => sum + events.length * PARQUET_BYTES_PER_EVENT, inFiles),
    version: [
      ...files.map(({ first, last }) => `${first}-${last}`),
      ...unflushed.map(({ segment, events }) => `${segment}:${events.length}`),
    ].join(),
  };
}
