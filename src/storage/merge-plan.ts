/** Chooses the files of a site's day that are merged together: keeps both the number of files and the rewriting of events low. */
import type { PartitionFile } from "./partition.ts";
import { sizeGroups } from "./size-groups.ts";

/** The maximum size of a merged file. A file of half that size is not merged again. */
export const MERGED_FILE_BYTES_MAX = 8 * 1024 * 1024;
const FULL_FILE_BYTES = MERGED_FILE_BYTES_MAX / 2;

/** Files of the current day are merged within size tiers, each this many times as large as the one below. */
const TIER_FACTOR = 4;
const LOWEST_TIER_BYTES = 16 * 1024;

export interface DayOfFiles {
  /** Excludes superseded files; oldest first. */
  readonly files: readonly PartitionFile[];
  /** False for files that must not be merged, e.g. unreadable ones. */
  readonly isMergeable: (file: PartitionFile) => boolean;
  /** The day gets no more files. */
  readonly isPast: boolean;
  /** More files than this are merged. */
  readonly filesMax: number;
}

/**
 * Groups of neighbours, each to become one file. A merged file stands for its whole range of segments, so a file that stays
 * parts the groups before and after it. A past day with too many files is merged once and for all. On a day that grows, the
 * newest files of like size are merged when there are too many of them, so that an event is rewritten once a tier and not with
 * every flush; such a day has at most about `filesMax` files a tier.
 */
export function planMerges({ files, isMergeable, isPast, filesMax }: DayOfFiles): PartitionFile[][] {
  const isOpen = (file: PartitionFile) => file.sizeBytes < FULL_FILE_BYTES && isMergeable(file);
  const runs = runsOf(files, isOpen);
  if (isPast) return runs.flat().length > filesMax ? runs.flatMap(packed) : [];
  const newest = runs.at(-1) ?? [];
  let fromBytes = 0;
  for (let toBytes = LOWEST_TIER_BYTES; fromBytes < FULL_FILE_BYTES; toBytes *= TIER_FACTOR) {
    const upTo = endOf(newest, ({ sizeBytes }) => sizeBytes < toBytes);
    const alike = upTo.filter(({ sizeBytes }) => sizeBytes >= fromBytes);
    if (alike.length > filesMax) return packed(upTo);
    fromBytes = toBytes;
  }
  return [];
}

/** Neighbours that satisfy the condition. */
function runsOf(files: readonly PartitionFile[], condition: (file: PartitionFile) => boolean): PartitionFile[][] {
  const runs: PartitionFile[][] = [[]];
  for (const file of files) {
    if (condition(file)) runs.at(-1)?.push(file);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

/** The last files, as far back as all satisfy the condition. */
const endOf = (files: readonly PartitionFile[], condition: (file: PartitionFile) => boolean): readonly PartitionFile[] =>
  files.slice(files.findLastIndex((file) => !condition(file)) + 1);

/** A run in groups that make a merged file each. */
const packed = (run: readonly PartitionFile[]): PartitionFile[][] =>
  sizeGroups(run, ({ sizeBytes }) => sizeBytes, MERGED_FILE_BYTES_MAX).filter((group) => group.length > 1);
