/** What is stored of a site and date: files, each for a range of journal segments, and events that the journal still holds. */
import type { UtcDay } from "./event.ts";
import type { EventText } from "./event-text.ts";
import type { ObjectKey } from "./object-store.ts";

/** A file of one partition: the events of one site and date that journal segments `first` to `last` held. */
export interface PartitionFile {
  readonly day: UtcDay;
  readonly first: number;
  readonly last: number;
  readonly key: ObjectKey;
  readonly sizeBytes: number;
}

/** A partition's events in one segment. */
export interface JournaledEvents {
  readonly segment: number;
  /** In order of arrival. It grows while the segment does. */
  readonly events: readonly EventText[];
  /** Whether the files have all of them, although the journal has not released them. */
  readonly inFiles: boolean;
}

export interface Partition {
  readonly day: UtcDay;
  /** Those that count, oldest first. */
  readonly files: readonly PartitionFile[];
  /** Oldest first. */
  readonly journaled: readonly JournaledEvents[];
}

/** Whether files have a segment's events. A file is written whole, so then they have all of them. */
export const isInFiles = (segment: number, files: readonly PartitionFile[]): boolean =>
  files.some(({ first, last }) => first <= segment && segment <= last);

const supersedes = (outer: PartitionFile, inner: PartitionFile): boolean =>
  outer !== inner && outer.first <= inner.first && inner.last <= outer.last;

/** Files whose range no other file's range contains: the ones that count, oldest first. A merged file supersedes its parts. */
export const withoutSuperseded = (files: readonly PartitionFile[]): PartitionFile[] =>
  files.filter((file) => !files.some((other) => supersedes(other, file))).sort((a, b) => a.first - b.first);
