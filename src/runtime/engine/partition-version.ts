/** What a site has on a day without loading it: how much, and a name that changes whenever an event comes or goes. */
import type { UtcDay } from "../../storage/event.ts";
import type { Partition } from "../../storage/partition.ts";

export interface PartitionVersion {
  readonly day: UtcDay;
  /** As Parquet, roughly. */
  readonly bytes: number;
  /** Names the day's events: once one has come or gone, the day never has the same version again. */
  readonly version: string;
}

/** What an event takes in a Parquet file, as measured. */
export const PARQUET_BYTES_PER_EVENT = 24;

/** Files never change, and a segment's events only grow in number. */
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
  };
}
