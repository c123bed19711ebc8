/** The Parquet files of each site: the listing of its folder, cached once read. */
import type { EventText, LocalDate, SiteId } from "./event.ts";
import { deleteObjects, type ObjectKey, type ObjectStore } from "./object-store.ts";
import { LruMap } from "./lru-map.ts";
import { countEvents, type ParquetWriter } from "./parquet-events.ts";
import {
  dayFolder,
  dayOfFolder,
  EVENTS_FOLDER,
  isContinued,
  parsePartitionKey,
  type PartitionFile,
  partitionKey,
  siteFolder,
  siteOfFolders,
  withoutSuperseded,
} from "./partition.ts";

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
}

/** A file by its day and range of segments. */
export type FileOfDay = Pick<PartitionFile, "day" | "first" | "last">;

/** A file and its content. */
export interface WrittenFile {
  readonly file: PartitionFile;
  readonly bytes: Uint8Array;
}

type Listing = Map<LocalDate, PartitionFile[]>;

/** Calls for one site that read and write must not overlap: `EventStore` ensures that. */
export class Partitions {
  readonly #options: PartitionsOptions;
  readonly #listings: LruMap<SiteId, Listing>;
  #sites: Promise<Set<SiteId>> | null = null;

  constructor(options: PartitionsOptions) {
    this.#options = options;
    this.#listings = new LruMap({ max: options.listingsMax });
  }

  /** Every site that has a folder. */
  async sites(): Promise<ReadonlySet<SiteId>> {
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

  /** The days on which a site has files. */
  async days(siteId: SiteId): Promise<LocalDate[]> {
    return [...(await this.#listing(siteId)).keys()];
  }

  /** The files that hold a site's day, oldest first. */
  async files(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    return withoutSuperseded((await this.#listing(siteId)).get(day) ?? []);
  }

  /** The files of each day of a site from `firstDay` to `lastDay` that has some. */
  async filesBetween(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<ReadonlyMap<LocalDate, readonly PartitionFile[]>> {
    const between = new Map<LocalDate, readonly PartitionFile[]>();
    for (const [day, files] of await this.#listing(siteId)) {
      if (firstDay <= day && day <= lastDay) between.set(day, withoutSuperseded(files));
    }
    return between;
  }

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

  /** Writes the merge of several files of a site's day, which supersedes them. The caller removes them. */
  async writeMerged(siteId: SiteId, files: readonly PartitionFile[], bytes: Uint8Array): Promise<void> {
    const [oldest, newest] = [files[0], files.at(-1)];
    if (!oldest || !newest) throw new Error("a merge needs at least one file");
    const { day, first } = oldest;
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
