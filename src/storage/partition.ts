/** Partitions: the events of a site and a day, their Parquet files by name, and which files to merge (docs/data-format.md, "Partitions"). */
import { type EventText, isLocalDate, type LocalDate, type SiteId } from "./event.ts";
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

/** The folder of all partitions. */
export const EVENTS_FOLDER = "events";

/** Prefix of a site's folder. */
export const SITE_FOLDER_PREFIX = "site_id=";
const DAY_FOLDER_PREFIX = "date=";

/** Ends a folder name that continues in the folder below it. No site id and no escape contains it. */
const CONTINUED = "~";

/** Room left for the prefix and the continuation mark within the 255 bytes a file system allows a name. */
const FOLDER_NAME_CHARS_MAX = 240;

/**
 * Capital letters and `:` are percent-escaped, so names that differ only in case stay apart on file
 * systems that fold case; so is a trailing dot, which some drop. Readers of hive-style folders undo it.
 */
function escapeSiteId(siteId: SiteId): string[] {
  const last = siteId.length - 1;
  return [...siteId].map((char, i) =>
    /[A-Z:]/.test(char) || (char === "." && i === last) ? `%${char.charCodeAt(0).toString(16).toUpperCase()}` : char,
  );
}

/**
 * Encodes a site, a day and a range of journal segments in the key of a Parquet file.
 *
 * The folder of a site below another, e.g. `rollups/site_id=example.com`. Ids too long for one name take nested folders.
 */
export function siteFolderIn(parent: ObjectKey, siteId: SiteId): ObjectKey {
  const names = [SITE_FOLDER_PREFIX];
  for (const char of escapeSiteId(siteId)) {
    const name = names[names.length - 1] ?? "";
    if (name.length + char.length > FOLDER_NAME_CHARS_MAX) {
      names[names.length - 1] = name + CONTINUED;
      names.push(char);
    } else {
      names[names.length - 1] = name + char;
    }
  }
  return [parent, ...names].join("/");
}

/** The folder of a site's partitions, e.g. `events/site_id=example.com`. */
export const siteFolder = (siteId: SiteId): ObjectKey => siteFolderIn(EVENTS_FOLDER, siteId);

/** Undoes `siteFolder` for the names below `events`; null if they are not (yet) a complete site id. */
export function siteOfFolders(names: readonly string[], isSiteId: (text: string) => text is SiteId): SiteId | null {
  const joined = names.join("").replaceAll(CONTINUED, "");
  if (!joined.startsWith(SITE_FOLDER_PREFIX)) return null;
  const text = joined
    .slice(SITE_FOLDER_PREFIX.length)
    .replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  if (!isSiteId(text)) return null;
  return siteFolder(text) === [EVENTS_FOLDER, ...names].join("/") ? text : null;
}

/** True if a folder name below `events` continues in the folders below it. */
export const isContinued = (name: string): boolean => name.endsWith(CONTINUED);

/** The key of the file that holds a site's events of a day from segments `first` to `last`. */
export function partitionKey(siteId: SiteId, day: LocalDate, first: number, last: number): ObjectKey {
  return `${dayFolder(siteId, day)}/${first}-${last}.parquet`;
}

/** The range of segments in a key; null if it has none. */
export function segmentsOfKey(key: ObjectKey): { readonly first: number; readonly last: number } | null {
  const match = /(?:^|\/)(\d{1,15})-(\d{1,15})\.parquet$/.exec(key);
  if (!match) return null;
  const [first, last] = [Number(match[1]), Number(match[2])];
  return first <= last ? { first, last } : null;
}

/** The folder of a site's day. */
export const dayFolder = (siteId: SiteId, day: LocalDate): ObjectKey => `${siteFolder(siteId)}/${DAY_FOLDER_PREFIX}${day}`;

/** The day of a folder below a site's; null if the name is not a day folder. */
export function dayOfFolder(name: string): LocalDate | null {
  const day = name.startsWith(DAY_FOLDER_PREFIX) ? name.slice(DAY_FOLDER_PREFIX.length) : "";
  return isLocalDate(day) ? day : null;
}

/** Parses a key below a site's folder; null if it is not a partition file. */
export function parsePartitionKey(siteId: SiteId, key: ObjectKey, sizeBytes: number): PartitionFile | null {
  const day = /^date=([^/]+)\/[^/]+$/.exec(key.slice(siteFolder(siteId).length + 1))?.[1];
  const segments = segmentsOfKey(key);
  return day !== undefined && isLocalDate(day) && segments ? { day, ...segments, key, sizeBytes } : null;
}

/** Groups neighbours in order, up to a size; a larger item is a group of its own. */
export function sizeGroups<Item>(items: readonly Item[], bytesOf: (item: Item) => number, groupBytesMax: number): Item[][] {
  const groups: Item[][] = [];
  let groupBytes = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (groupBytes + bytesOf(item) > groupBytesMax) {
      groups.push([]);
      groupBytes = 0;
    }
    groups.at(-1)?.push(item);
    groupBytes += bytesOf(item);
  }
  return groups;
}

/** The maximum size of a merged file. A file of half that size is not merged again. */
export const MERGED_FILE_BYTES_MAX = 8 * 1024 * 1024;
const FULL_FILE_BYTES = MERGED_FILE_BYTES_MAX / 2;

/** Files of the current day are merged within size tiers, each this many times as large as the one below. */
const TIER_FACTOR = 4;
const LOWEST_TIER_BYTES = 16 * 1024;

interface DayOfFiles {
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
 * Chooses the files of a site's day that are merged together: keeps both the number of files and the rewriting of events low.
 *
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
