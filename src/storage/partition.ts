/** A partition is one site and date: its files, each for a range of journal segments, and its unflushed events. */
import type { LocalDate } from "./event.ts";
import type { EventText } from "./event-text.ts";
import type { ObjectKey } from "./object-store.ts";

/** A file of one partition: the events of one site and date that journal segments `first` to `last` held. */
export interface PartitionFile {
  readonly day: LocalDate;
  readonly first: number;
  readonly last: number;
  readonly key: ObjectKey;
  readonly sizeBytes: number;
}

/** A partition's events in one segment. */
export interface JournaledEvents {
  readonly segment: number;
  /** Ordered by sequence number. Grows while the segment is open. */
  readonly events: readonly EventText[];
  /** Files contain all of them, although the journal has not released them. */
  readonly inFiles: boolean;
}

export interface Partition {
  readonly day: LocalDate;
  /** Excludes superseded files; oldest first. */
  readonly files: readonly PartitionFile[];
  /** Oldest first. */
  readonly journaled: readonly JournaledEvents[];
}

/** True if files contain a segment's events: all of them, because files are written atomically. */
export const isInFiles = (segment: number, files: readonly PartitionFile[]): boolean =>
  files.some(({ first, last }) => first <= segment && segment <= last);

const supersedes = (outer: PartitionFile, inner: PartitionFile): boolean =>
  outer !== inner && outer.first <= inner.first && inner.last <= outer.last;

/** Files whose range no other file's range contains, oldest first. A merged file supersedes its parts. */
export const withoutSuperseded = (files: readonly PartitionFile[]): readonly PartitionFile[] =>
  files.length === 1 ? files : files.filter((file) => !files.some((other) => supersedes(other, file))).sort((a, b) => a.first - b.first);
