/**
 * Partitions: the events of a site and a day, their Parquet files by name, which files to merge (docs/data-format.md, "Partitions"), and
 * the listing of a site's folder, cached once read.
 */
import { type EventText, isLocalDate, type LocalDate, type SiteId } from "./event.ts";
import { LruMap } from "./lru-map.ts";
import { deleteObjects, type ObjectKey, type ObjectStore } from "./object-store.ts";
import { countEvents, type ParquetWriter } from "./parquet-events.ts";

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

/** Partitions: the events of a site and a day, their Parquet files by name, and which files to merge (docs/data-format.md, "Partitions"). */
export interface Partition {
  readonly day: LocalDate;
  /** Excludes superseded files; oldest first. */
  readonly files: readonly PartitionFile[];
  /** Oldest first. */
  readonly journaled: readonly JournaledEvents[];
}

/**
 * Files of imports have numbers from here on, a million for each import: above those of the demo site, which counts minutes, and below
 * those of journal segments, which begin at the time of their process's start.
 */
const IMPORT_NUMBERS_FROM = 1_000_000_000;

/** Files that an import can have. */
export const IMPORT_NUMBERS = 1_000_000;

/** The lowest number of a journal segment: a clock that is set earlier is wrong by decades. */
export const SEGMENT_NUMBER_MIN = 1_000_000_000_000;

/** The highest number of an import. */
export const IMPORT_NUMBER_MAX = (SEGMENT_NUMBER_MIN - IMPORT_NUMBERS_FROM) / IMPORT_NUMBERS;

/** The number in the name of an import's `index`-th file, counted from 0. Imports are counted from 1. */
export const importFileNumber = (importNumber: number, index: number): number =>
  IMPORT_NUMBERS_FROM + (importNumber - 1) * IMPORT_NUMBERS + index;

/** The import that a file is of; null for events of the journal and of the demo site. */
export function importOf({ first, last }: Pick<PartitionFile, "first" | "last">): number | null {
  const numberOf = (segment: number) => Math.floor((segment - IMPORT_NUMBERS_FROM) / IMPORT_NUMBERS) + 1;
  return first >= IMPORT_NUMBERS_FROM && last < SEGMENT_NUMBER_MIN && numberOf(first) === numberOf(last) ? numberOf(first) : null;
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
function dayOfFolder(name: string): LocalDate | null {
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
  const runs = runsOf(files, isOpen).flatMap(byImport);
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

/** Neighbours of one import, or of none, which can be hidden and deleted only as long as they share no file with others. */
function byImport(files: readonly PartitionFile[]): PartitionFile[][] {
  const groups: PartitionFile[][] = [];
  for (const file of files) {
    const group = groups.at(-1);
    if (group?.[0] && importOf(group[0]) === importOf(file)) group.push(file);
    else groups.push([file]);
  }
  return groups;
}

/** The last files, as far back as all satisfy the condition. */
const endOf = (files: readonly PartitionFile[], condition: (file: PartitionFile) => boolean): readonly PartitionFile[] =>
  files.slice(files.findLastIndex((file) => !condition(file)) + 1);

/** A run in groups that make a merged file each. */
const packed = (run: readonly PartitionFile[]): PartitionFile[][] =>
  sizeGroups(run, ({ sizeBytes }) => sizeBytes, MERGED_FILE_BYTES_MAX).filter((group) => group.length > 1);

export interface PartitionsOptions {
  readonly objects: ObjectStore;
  readonly parquet: ParquetWriter;
  readonly isSiteId: (text: string) => text is SiteId;
  /** The only site of this instance, where others have theirs. By default, all sites are its. */
  readonly onlySite?: SiteId;
  /** Cached listings, one per site; the least recently used is evicted first. */
  readonly listingsMax: number;
  /** Called with unexpected entries of the events folder, which are ignored. */
  readonly onStray: (key: string, fault: string) => void;
  /** Whether the `index`-th file of an import counts. By default, all do. */
  readonly isShown?: (importNumber: number, index: number) => boolean;
  /** Whether nothing of a site counts, because it is a copy that is being made, or was copied into another site. By default, no site is. */
  readonly isHidden?: (siteId: SiteId) => boolean;
}

/** A file by its day and range of segments. */
export type FileOfDay = Pick<PartitionFile, "day" | "first" | "last">;

/** A file and its content. */
export interface WrittenFile {
  readonly file: PartitionFile;
  readonly bytes: Uint8Array;
}

type Listing = Map<LocalDate, PartitionFile[]>;

export interface CopiedFile {
  readonly file: PartitionFile;
  readonly events: number;
}

/** A file whose events cannot be copied. */
export class UnreadableEvents extends Error {
  override readonly name = "UnreadableEvents";
  readonly key: ObjectKey;

  constructor(key: ObjectKey, reason: string) {
    super(`${key} cannot be read: ${reason}`);
    this.key = key;
  }
}

/** Calls for one site that read and write must not overlap: `EventStore` ensures that. */
export class Partitions {
  readonly #options: PartitionsOptions;
  readonly #listings: LruMap<SiteId, Listing>;
  #sites: Promise<Set<SiteId>> | null = null;

  constructor(options: PartitionsOptions) {
    this.#options = options;
    this.#listings = new LruMap({ max: options.listingsMax });
  }

  /** Every site that has a folder, without hidden ones. */
  async sites(): Promise<ReadonlySet<SiteId>> {
    const { isHidden } = this.#options;
    const all = await this.#allSites();
    return isHidden && [...all].some(isHidden) ? new Set([...all].filter((siteId) => !isHidden(siteId))) : all;
  }

  async #allSites(): Promise<Set<SiteId>> {
    this.#sites ??= this.#findSites().catch((error: unknown) => {
      this.#sites = null;
      throw error;
    });
    return this.#sites;
  }

  async #findSites(): Promise<Set<SiteId>> {
    const { onlySite } = this.#options;
    if (onlySite !== undefined) return new Set((await this.#listing(onlySite)).size > 0 ? [onlySite] : []);
    const found = new Set<SiteId>();
    for (const names of await this.#siteFolders([])) {
      const siteId = siteOfFolders(names, this.#options.isSiteId);
      if (siteId) found.add(siteId);
      else this.#options.onStray(`${EVENTS_FOLDER}/${names.join("/")}`, "is not the folder of a site; it is ignored");
    }
    return found;
  }

  async #siteFolders(above: readonly string[]): Promise<string[][]> {
    const names = await this.#options.objects.folders([EVENTS_FOLDER, ...above].join("/"));
    const found = names.map(async (name) => (isContinued(name) ? this.#siteFolders([...above, name]) : [[...above, name]]));
    return (await Promise.all(found)).flat();
  }

  /** The days on which a site has files, shown or not. */
  async days(siteId: SiteId): Promise<LocalDate[]> {
    return [...(await this.#listing(siteId)).keys()];
  }

  /** The days on which a site has files that are shown. */
  async shownDays(siteId: SiteId): Promise<LocalDate[]> {
    if (this.#options.isHidden?.(siteId)) return [];
    return [...(await this.#listing(siteId))].filter(([, files]) => files.some(this.#isShown)).map(([day]) => day);
  }

  /** The files that hold a site's day, shown or not, oldest first. */
  async allFiles(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    return withoutSuperseded((await this.#listing(siteId)).get(day) ?? []);
  }

  /** The files that hold what is shown of a site's day, oldest first. */
  async files(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    if (this.#options.isHidden?.(siteId)) return [];
    return (await this.allFiles(siteId, day)).filter(this.#isShown);
  }

  /** The files of each day of a site from `firstDay` to `lastDay` that has some to be shown. */
  async filesBetween(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<ReadonlyMap<LocalDate, readonly PartitionFile[]>> {
    const between = new Map<LocalDate, readonly PartitionFile[]>();
    if (this.#options.isHidden?.(siteId)) return between;
    for (const [day, all] of await this.#listing(siteId)) {
      if (day < firstDay || lastDay < day) continue;
      const files = withoutSuperseded(all.every(this.#isShown) ? all : all.filter(this.#isShown));
      if (files.length > 0) between.set(day, files);
    }
    return between;
  }

  /** The files of all days of a site, or those of its own and of imports that are shown, whether it is hidden or not. Excludes superseded ones. */
  async filesOf(siteId: SiteId, which: "all" | "shown"): Promise<PartitionFile[]> {
    const files = [...(await this.#listing(siteId)).values()].flatMap((ofDay) => withoutSuperseded(ofDay));
    return which === "all" ? files : files.filter(this.#isShown);
  }

  /**
   * Writes a copy of a file, whose events become those of another site. The caller registers it. null if the file is gone. Throws
   * `UnreadableEvents`.
   */
  async copy(file: PartitionFile, from: SiteId, to: SiteId, { day, first, last }: FileOfDay): Promise<CopiedFile | null> {
    const bytes = await this.read(file);
    if (bytes === null) return null;
    const copy = await this.#options.parquet.merge([{ key: file.key, siteId: from, bytes }], to);
    if ("unreadable" in copy) throw new UnreadableEvents(file.key, copy.reason);
    const key = partitionKey(to, day, first, last);
    await this.#put(to, key, copy.bytes);
    return { file: { day, first, last, key, sizeBytes: copy.bytes.length }, events: copy.events };
  }

  /** All files of an import, superseded or not. */
  async filesOfImport(siteId: SiteId, importNumber: number): Promise<PartitionFile[]> {
    return [...(await this.#listing(siteId)).values()].flat().filter((file) => importOf(file) === importNumber);
  }

  /** The files of an import that count when it is shown, oldest day first. */
  async countedFilesOfImport(siteId: SiteId, importNumber: number): Promise<PartitionFile[]> {
    const days = [...(await this.#listing(siteId))].sort(([a], [b]) => (a < b ? -1 : 1));
    return days.flatMap(([, files]) => withoutSuperseded(files).filter((file) => importOf(file) === importNumber));
  }

  /** The imports that a site has files of, each with the key of one of them. */
  async imports(siteId: SiteId): Promise<ReadonlyMap<number, ObjectKey>> {
    const found = new Map<number, ObjectKey>();
    for (const file of [...(await this.#listing(siteId)).values()].flat()) {
      const importNumber = importOf(file);
      if (importNumber !== null) found.set(importNumber, file.key);
    }
    return found;
  }

  readonly #isShown = (file: PartitionFile): boolean => {
    const { isShown } = this.#options;
    const importNumber = isShown ? importOf(file) : null;
    return importNumber === null || isShown?.(importNumber, file.first - importFileNumber(importNumber, 0)) === true;
  };

  /** Superseded files of a site's day, left by an interrupted merge. */
  async superseded(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    const all = (await this.#listing(siteId)).get(day) ?? [];
    const counting = new Set(withoutSuperseded(all));
    return all.filter((file) => !counting.has(file));
  }

  read(file: PartitionFile): Promise<Uint8Array | null> {
    return this.#options.objects.get(file.key);
  }

  /** Events by the file's footer; null if the file is missing or not Parquet. */
  async countEvents(file: PartitionFile): Promise<number | null> {
    const bytes = await this.read(file);
    return bytes && countEvents(bytes);
  }

  /** Writes the events of a site and day that segments `first` to `last` have. Writing the same again replaces the same file. */
  async write(siteId: SiteId, { day, first, last }: FileOfDay, events: readonly EventText[]): Promise<WrittenFile> {
    const bytes = await this.#options.parquet.encode(events);
    const key = partitionKey(siteId, day, first, last);
    await this.#put(siteId, key, bytes);
    return { file: { day, first, last, key, sizeBytes: bytes.length }, bytes };
  }

  /** A failed write may still have created the file, so the site is listed again: an erasure must find it. */
  async #put(siteId: SiteId, key: ObjectKey, bytes: Uint8Array): Promise<void> {
    try {
      await this.#options.objects.put(key, bytes);
    } catch (error) {
      this.#listings.delete(siteId);
      this.#sites = null;
      throw error;
    }
  }

  /** Writes the merge of files of a site's day, which supersedes them. The caller removes them. */
  async writeMerged(siteId: SiteId, files: readonly PartitionFile[], bytes: Uint8Array, first: number): Promise<void> {
    const [oldest, newest] = [files[0], files.at(-1)];
    if (!oldest || !newest) throw new Error("a merge needs at least one file");
    const { day } = oldest;
    const key = partitionKey(siteId, day, first, newest.last);
    await this.#put(siteId, key, bytes);
    await this.register(siteId, [{ day, first, last: newest.last, key, sizeBytes: bytes.length }]);
  }

  /** Adds written files to the cached listing of the site. */
  async register(siteId: SiteId, files: readonly PartitionFile[]): Promise<void> {
    (await this.#sites)?.add(siteId);
    const listing = this.#listings.peek(siteId);
    if (!listing) return;
    for (const file of files) {
      const others = (listing.get(file.day) ?? []).filter(({ key }) => key !== file.key);
      listing.set(file.day, [...others, file]);
    }
  }

  /** Removes files in any order, and their listing entries. After a rejection some may be removed; may be retried. */
  async remove(siteId: SiteId, files: readonly PartitionFile[]): Promise<void> {
    try {
      await deleteObjects(
        this.#options.objects,
        files.map(({ key }) => key),
      );
    } catch (error) {
      this.#listings.delete(siteId);
      throw error;
    }
    this.#forget(siteId, files);
  }

  /** Makes earlier writes and removals of the days' files durable, whichever process made them. */
  async sync(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void> {
    const { objects } = this.#options;
    if (!objects.sync) return;
    const days = (await objects.folders(siteFolder(siteId))).map(dayOfFolder);
    for (const day of days) if (day && firstDay <= day && day <= lastDay) await objects.sync(dayFolder(siteId, day));
    await objects.sync(siteFolder(siteId));
  }

  #forget(siteId: SiteId, files: readonly PartitionFile[]): void {
    const listing = this.#listings.peek(siteId);
    if (!listing) return;
    const removed = new Set(files.map(({ key }) => key));
    for (const day of new Set(files.map((file) => file.day))) {
      const remaining = (listing.get(day) ?? []).filter(({ key }) => !removed.has(key));
      if (remaining.length > 0) listing.set(day, remaining);
      else listing.delete(day);
    }
  }

  /** Removes a site without files from `sites`; returns whether it has none. */
  async forgetSiteWithoutFiles(siteId: SiteId): Promise<boolean> {
    if ((await this.#listing(siteId)).size > 0) return false;
    (await this.#sites)?.delete(siteId);
    return true;
  }

  /** Size of the cached listings; files of other sites are not counted. */
  get known(): { readonly partitions: number; readonly files: number } {
    let [partitions, files] = [0, 0];
    for (const [, listing] of this.#listings) {
      partitions += listing.size;
      for (const ofDay of listing.values()) files += ofDay.length;
    }
    return { partitions, files };
  }

  async #listing(siteId: SiteId): Promise<Listing> {
    const known = this.#listings.get(siteId);
    if (known) return known;
    const listing: Listing = new Map();
    for (const { key, sizeBytes } of await this.#options.objects.list(siteFolder(siteId))) {
      const file = parsePartitionKey(siteId, key, sizeBytes);
      if (!file) {
        this.#options.onStray(key, "is not a partition file; it is ignored");
        continue;
      }
      const files = listing.get(file.day);
      if (files) files.push(file);
      else listing.set(file.day, [file]);
    }
    this.#listings.set(siteId, listing);
    return listing;
  }
}

/** The size and version of a partition, without loading it: the version changes whenever an event is added or deleted. */
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
