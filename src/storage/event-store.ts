/**
 * The single owner of stored events: the journal, the files and a lock per site. All reads and changes of a site's events go
 * through here, so this file decides which steps exclude each other, and their order, on which crash safety depends.
 */
import type { EpochMs, EventText, LocalDate, SiteId, StoredEvent } from "./event.ts";
import { Journal, type JournalDamage } from "./journal.ts";
import type { ObjectKey } from "./object-store.ts";
import type { ParquetWriter } from "./parquet-events.ts";
import {
  type CopiedFile,
  type FileOfDay,
  IMPORT_NUMBERS,
  importFileNumber,
  isInFiles,
  type Partition,
  type PartitionFile,
  Partitions,
  type PartitionsOptions,
  type PartitionVersion,
  partitionVersionOf,
  type WrittenFile,
} from "./partitions.ts";
import type { Segment, SegmentLog } from "./segment.ts";
import { SiteLocks } from "./site-locks.ts";

interface ReplicationOptions {
  /** A database that answers reports in place of the files. */
  readonly replica?: EventReplica | undefined;
  readonly parquet: ParquetWriter;
}

/** Sends stored events to the replica, if there is one: those of a segment in one insert for each day, because inserts should be few. */
class Replication {
  readonly #options: ReplicationOptions;

  constructor(options: ReplicationOptions) {
    this.#options = options;
  }

  /** See `EventStore.replicate`. */
  async insertSegment(segment: Segment, signal: AbortSignal | undefined): Promise<void> {
    const { replica, parquet } = this.#options;
    if (!replica || segment.replication === "done") return;
    const isRepeated = segment.replication === "begun";
    segment.replication = "begun";
    for (const [day, { sites, events }] of segment.byDay()) {
      const encoded = await parquet.encode(events);
      await replica.insert({ sites, day, segment: segment.number, isFile: false, parquet: encoded, isRepeated }, signal);
    }
    segment.replication = "done";
  }

  async insertFile(siteId: SiteId, { file: { day, first: segment }, bytes: parquet }: WrittenFile): Promise<void> {
    await this.#options.replica?.insert({ sites: [siteId], day, segment, isFile: true, parquet, isRepeated: true });
  }

  /** See `EventReplica.delete`. */
  async delete(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, exceptSegments: readonly number[]): Promise<void> {
    await this.#options.replica?.delete(siteId, firstDay, lastDay, exceptSegments);
  }

  /** False without a replica. */
  get isWanted(): boolean {
    return this.#options.replica !== undefined;
  }

  /** See `EventReplica.deleteSegments`. */
  async deleteSegments(siteId: SiteId, first: number, last: number): Promise<void> {
    await this.#options.replica?.deleteSegments(siteId, first, last);
  }

  /** See `EventReplica.deleteExpired`. */
  async deleteExpired(expired: ExpiredDays, exceptSegments: readonly number[]): Promise<void> {
    await this.#options.replica?.deleteExpired(expired, exceptSegments);
  }
}

interface EventStoreOptions extends PartitionsOptions, ReplicationOptions {
  readonly segmentLog: SegmentLog;
  /** Start of the process: a floor for the numbers of new segments. */
  readonly nowMs: EpochMs;
  /** Called whenever the disk does not confirm appended events. */
  readonly onSyncFailure?: (error: unknown) => void;
  /** Sites of which imports have sums of days, in place of events or beside them. */
  readonly sitesWithDaySums?: () => ReadonlySet<SiteId>;
}

export interface DeletedDays {
  /** Each event counts once, even if several files contain it. */
  readonly events: number;
  /** Days whose files were deleted. */
  readonly days: number;
  /** Files that could not be read, so their events are not counted. */
  readonly unreadable: readonly ObjectKey[];
}

/** What is copied: the files of a site that count, or all of them. */
export interface SiteCopies {
  readonly from: SiteId;
  readonly to: SiteId;
  readonly which: "all" | "shown";
}

/** A file of an import by its day and number. */
export interface ImportFile {
  readonly day: LocalDate;
  readonly number: number;
}

const FIRST_DAY = "0001-01-01" as LocalDate;
const LAST_DAY = "9999-12-31" as LocalDate;

export class EventStore {
  readonly #journal: Journal;
  readonly #partitions: Partitions;
  readonly #locks = new SiteLocks();
  readonly #observers: StoreObserver[] = [];
  readonly #replication: Replication;
  readonly #sitesWithDaySums: () => ReadonlySet<SiteId>;

  private constructor(journal: Journal, options: EventStoreOptions) {
    const { isHidden = () => false, sitesWithDaySums = () => new Set<SiteId>() } = options;
    this.#sitesWithDaySums = () => new Set([...sitesWithDaySums()].filter((siteId) => !isHidden(siteId)));
    this.#journal = journal;
    this.#partitions = new Partitions(options);
    this.#replication = new Replication(options);
  }

  /** Recovers the journal of an earlier process. Files are listed on first use. */
  static async open(options: EventStoreOptions): Promise<{ eventStore: EventStore; damage: readonly JournalDamage[] }> {
    const { journal, damage } = await Journal.open(options.segmentLog, options.nowMs, options.onSyncFailure);
    return { eventStore: new EventStore(journal, options), damage };
  }

  observe(observer: StoreObserver): void {
    this.#observers.push(observer);
  }

  /** Resolves once the event is durable and visible to queries; rejects when it is neither. */
  append(event: StoredEvent): Promise<void> {
    return this.#journal.append(event);
  }

  /** Events in the journal that are in no file yet. */
  get unflushedEvents(): number {
    return this.#journal.size;
  }

  /** Bytes of journal lines; an event counts from its append until its segment is dropped. */
  get unflushedBytes(): number {
    return this.#journal.bytes;
  }

  hasUnflushed(siteId: SiteId): boolean {
    return this.#journal.unflushedDays(siteId).length > 0;
  }

  /** Sites with events that are in no file yet. */
  unflushedSites(): SiteId[] {
    return this.#journal.unflushedSites();
  }

  /** All sites that have events, or sums of days. */
  async sites(): Promise<ReadonlySet<SiteId>> {
    return new Set([...(await this.#partitions.sites()), ...this.#journal.unflushedSites(), ...this.#sitesWithDaySums()]);
  }

  /** The days on which a site has events, oldest first, without those of imports that are not shown. */
  days(siteId: SiteId): Promise<LocalDate[]> {
    return this.#locks.share(siteId, () => this.#days(siteId));
  }

  /** See `Partitions.known`. */
  get catalog(): Partitions["known"] {
    return this.#partitions.known;
  }

  /**
   * Runs the task on what a site has from `firstDay` to `lastDay`, oldest day first: every event accepted before the call. Until it
   * ends, no file of the site is registered or deleted, and the journal releases none of its events. Others may have snapshots, too.
   */
  withSnapshot<T>(
    siteId: SiteId,
    firstDay: LocalDate,
    lastDay: LocalDate,
    task: (partitions: readonly Partition[]) => Promise<T>,
  ): Promise<T> {
    return this.#locks.share(siteId, async () => task(await this.#partitionsBetween(siteId, firstDay, lastDay)));
  }

  /** The versions of a site's days with events from `firstDay` to `lastDay`, oldest first. */
  versions(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<PartitionVersion[]> {
    return this.withSnapshot(siteId, firstDay, lastDay, async (partitions) => partitions.map(partitionVersionOf));
  }

  /** The bytes of a file; null if it was deleted. */
  read(file: PartitionFile): Promise<Uint8Array | null> {
    return this.#partitions.read(file);
  }

  async #days(siteId: SiteId): Promise<LocalDate[]> {
    const inFiles = await this.#partitions.shownDays(siteId);
    return [...new Set([...inFiles, ...this.#journal.unflushedDays(siteId)])].sort();
  }

  async #partitionsBetween(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<Partition[]> {
    const filesByDay = await this.#partitions.filesBetween(siteId, firstDay, lastDay);
    const journaledDays = new Set(this.#journal.unflushedDays(siteId).filter((day) => firstDay <= day && day <= lastDay));
    return [...new Set([...filesByDay.keys(), ...journaledDays])].sort().map((day) => {
      const files = filesByDay.get(day) ?? [];
      const runs = journaledDays.has(day) ? this.#journal.unflushed(siteId, day) : [];
      return { day, files, journaled: runs.map((run) => ({ ...run, inFiles: isInFiles(run.segment, files) })) };
    });
  }

  /** The journal segment that events are appended to. */
  get openSegment(): Journal["openSegment"] {
    return this.#journal.openSegment;
  }

  /** Segments that no more events are appended to, oldest first: they can be flushed. */
  get sealedSegments(): readonly Segment[] {
    return this.#journal.sealed;
  }

  /** True if accepted events become durable only by a flush: the disk did not confirm them. */
  get isUnsafe(): boolean {
    return this.#journal.isUnsafe;
  }

  /** Seals the open segment, and makes all sealed segments durable. */
  seal(): Promise<void> {
    return this.#journal.seal();
  }

  /** Makes the segments that are sealed already durable, as `seal` does: their files may be written then. */
  syncSealed(): Promise<void> {
    return this.#journal.syncSealed();
  }

  /**
   * Inserts a sealed segment's events into the replica, if there is one: all sites at once, so that inserts are few. May be retried. An
   * insert ends when the signal aborts. Deletions spare the events until the segment is dropped.
   */
  replicate(segment: Segment, signal?: AbortSignal): Promise<void> {
    return this.#replication.insertSegment(segment, signal);
  }

  /** Writes a sealed segment's events of a site to files, one for each day, and releases them from the journal. May be retried. */
  async commitFlush(segment: Segment, siteId: SiteId): Promise<void> {
    const days = segment.sites.get(siteId) ?? new Map<LocalDate, EventText[]>();
    const files: PartitionFile[] = [];
    const { number } = segment;
    for (const [day, events] of days) files.push((await this.#partitions.write(siteId, { day, first: number, last: number }, events)).file);
    await this.#locks.run(siteId, async () => {
      // First, because it may reject: observers that were told would take the same events once more when it is repeated.
      await this.#partitions.register(siteId, files);
      for (const observer of this.#observers) await observer.beforeRelease?.(siteId, segment.number, days);
      this.#journal.release(segment, siteId);
    });
  }

  /**
   * Stores events that never were in the journal, in a file of their own. Its range of numbers must be below those of all segments.
   * Writing the same again replaces the same file.
   */
  async addFile(siteId: SiteId, file: FileOfDay, events: readonly EventText[]): Promise<void> {
    const written = await this.#partitions.write(siteId, file, events);
    await this.#replication.insertFile(siteId, written);
    await this.#locks.run(siteId, async () => {
      await this.#partitions.register(siteId, [written.file]);
      for (const observer of this.#observers) await observer.beforeRelease?.(siteId, file.first, new Map([[file.day, events]]));
    });
  }

  /**
   * Stores events of an import in a file of its own; `importFileNumber` gives its number. The file must not be shown, so nothing changes
   * for others. Writing the same again replaces the same file. Durable once resolved.
   */
  async addImportFile(siteId: SiteId, { day, number }: ImportFile, events: readonly EventText[]): Promise<void> {
    const { file } = await this.#partitions.write(siteId, { day, first: number, last: number }, events);
    await this.#locks.run(siteId, () => this.#partitions.register(siteId, [file]));
  }

  /**
   * Runs a change after which an import is shown, or is not: no snapshot sees a part of it. Observers are told as of a deletion of the days,
   * so nothing that is made of their files counts any more. A rejection of theirs comes before the change. The replica has events before
   * the import is shown, and until it is not: what an interruption leaves there is always of an import that is not shown.
   */
  async changeShown(siteId: SiteId, importNumber: number, willBeShown: boolean, change: () => Promise<void>): Promise<void> {
    if (willBeShown) await this.#replicateImport(siteId, importNumber);
    await this.#change(siteId, importNumber, change);
    if (!willBeShown) await this.deleteReplicated(siteId, importNumber);
  }

  /** Runs a change after which more files of a shown import count, all of these days. Observers are told as of a deletion. */
  showMore(siteId: SiteId, days: readonly LocalDate[], change: () => Promise<void>): Promise<void> {
    return this.#locks.run(siteId, async () => {
      for (const day of days) for (const observer of this.#observers) await observer.beforeDelete?.(siteId, day, day);
      await change();
    });
  }

  /** Deletes what the replica has of an import that is not shown. */
  deleteReplicated(siteId: SiteId, importNumber: number): Promise<void> {
    const [first, last] = [importFileNumber(importNumber, 0), importFileNumber(importNumber, IMPORT_NUMBERS - 1)];
    return this.#replication.deleteSegments(siteId, first, last);
  }

  /** Begins with a deletion, because files that an earlier attempt inserted may have been merged since, and have other numbers. */
  async #replicateImport(siteId: SiteId, importNumber: number): Promise<void> {
    if (!this.#replication.isWanted) return;
    await this.deleteReplicated(siteId, importNumber);
    for (const file of await this.#locks.share(siteId, () => this.#partitions.countedFilesOfImport(siteId, importNumber))) {
      const bytes = await this.read(file);
      if (bytes === null) throw new Error(`${file.key} was merged with others meanwhile`);
      await this.#replication.insertFile(siteId, { file, bytes });
    }
  }

  #change(siteId: SiteId, importNumber: number, change: () => Promise<void>): Promise<void> {
    return this.#locks.run(siteId, async () => {
      const days = (await this.#partitions.filesOfImport(siteId, importNumber)).map(({ day }) => day).sort();
      const [firstDay, lastDay] = [days[0], days.at(-1)];
      if (firstDay !== undefined && lastDay !== undefined) {
        for (const observer of this.#observers) await observer.beforeDelete?.(siteId, firstDay, lastDay);
      }
      await change();
    });
  }

  /** The days of which an import has files, shown or not. */
  daysOfImport(siteId: SiteId, importNumber: number): Promise<ReadonlySet<LocalDate>> {
    return this.#locks.share(
      siteId,
      async () => new Set((await this.#partitions.filesOfImport(siteId, importNumber)).map(({ day }) => day)),
    );
  }

  /**
   * Deletes the files of an import from the `fromIndex`-th on. They must not be shown. Returns how many. Durable once resolved. After a
   * rejection some may be deleted; may be retried.
   */
  deleteImport(siteId: SiteId, importNumber: number, fromIndex = 0): Promise<number> {
    return this.#locks.run(siteId, async () => {
      const from = importFileNumber(importNumber, fromIndex);
      const files = (await this.#partitions.filesOfImport(siteId, importNumber)).filter(({ first }) => first >= from);
      await this.#partitions.remove(siteId, files);
      // Files that an interrupted deletion removed are not listed, but a power loss could bring them back.
      await this.#partitions.sync(siteId, FIRST_DAY, LAST_DAY);
      await this.#noteIfWithoutFiles(siteId);
      if (files.length > 0) await this.#noteLoss([siteId]);
      return files.length;
    });
  }

  /** The files of a site, hidden or not. See `Partitions.filesOf`. */
  filesOf(siteId: SiteId, which: "all" | "shown"): Promise<PartitionFile[]> {
    return this.#locks.share(siteId, () => this.#partitions.filesOf(siteId, which));
  }

  /** See `Partitions.copy`. The copy must be hidden, so nothing changes for others. Durable once resolved. */
  async copyFile(file: PartitionFile, from: SiteId, to: SiteId, copy: FileOfDay): Promise<CopiedFile | null> {
    const copied = await this.#partitions.copy(file, from, to, copy);
    if (copied) await this.#locks.run(to, () => this.#partitions.register(to, [copied.file]));
    return copied;
  }

  /** Deletes files that do not count. Durable once resolved. After a rejection some may be deleted; may be retried. */
  deleteHidden(siteId: SiteId, files: readonly PartitionFile[]): Promise<void> {
    return this.#locks.run(siteId, async () => {
      await this.#partitions.remove(siteId, files);
      await this.#partitions.sync(siteId, FIRST_DAY, LAST_DAY);
      await this.#noteIfWithoutFiles(siteId);
    });
  }

  /**
   * Runs a change by which sites begin or cease to be hidden: no snapshot sees a part of it. Observers are told as of a deletion of all days.
   * A rejection of theirs comes before the change.
   */
  changeHidden([siteId, otherId]: readonly [SiteId, SiteId], change: () => Promise<void>): Promise<void> {
    return this.#locks.run(siteId, () => this.#locks.run(otherId, () => this.#changeHidden([siteId, otherId], change)));
  }

  async #changeHidden(siteIds: readonly SiteId[], change: () => Promise<void>): Promise<void> {
    for (const siteId of siteIds) for (const observer of this.#observers) await observer.beforeDelete?.(siteId, FIRST_DAY, LAST_DAY);
    await change();
    await this.#noteLoss(siteIds);
  }

  async #noteLoss(siteIds: readonly SiteId[]): Promise<void> {
    for (const siteId of siteIds) for (const observer of this.#observers) await observer.afterLoss?.(siteId);
  }

  /**
   * Runs such a change after a site was copied into another. Resolves with false, without it, if `isWhole` returns false for the files of the
   * site, or the journal has some of its events.
   */
  hideCopied(
    { from, to, which }: SiteCopies,
    isWhole: (files: readonly PartitionFile[]) => boolean,
    change: () => Promise<void>,
  ): Promise<boolean> {
    const hide = async () => {
      const files = await this.#partitions.filesOf(from, which);
      const areFlushed = !this.#journal.isTorn && this.#journal.unflushedDays(from).length === 0;
      if (!areFlushed || !files.every((file) => this.isSettled(file)) || !isWhole(files)) return false;
      await this.#changeHidden([from, to], change);
      return true;
    };
    return this.#locks.run(from, () => this.#locks.run(to, hide));
  }

  async #noteIfWithoutFiles(siteId: SiteId): Promise<void> {
    if (!(await this.#partitions.forgetSiteWithoutFiles(siteId)) || this.#sitesWithDaySums().has(siteId)) return;
    for (const observer of this.#observers) observer.onSiteWithoutFiles?.(siteId);
  }

  /** Removes a segment from the journal that was released for all its sites. */
  drop(segment: Segment): Promise<void> {
    return this.#journal.drop(segment);
  }

  /**
   * True if no segment of the file is in the journal. A file that is not settled is being written, and would be written again
   * from the journal after a crash, so it is neither deleted nor merged.
   */
  isSettled({ first, last }: PartitionFile): boolean {
    return !this.#journal.hasSegmentWithin(first, last);
  }

  /** True if a restart could recover events of these days from the journal, accepted or not. A flush ends that. */
  isJournaled(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<boolean> {
    return this.withSnapshot(siteId, firstDay, lastDay, async (partitions) => {
      // A site's events may be released while their segment, which other sites share, is still there.
      const hasSegment = ({ files, journaled }: Partition) => journaled.length > 0 || !files.every((file) => this.isSettled(file));
      return this.#journal.isTorn || partitions.some(hasSegment);
    });
  }

  /**
   * Deletes the settled files of a site's days, also of imports that are not shown, from `firstDay` to `lastDay`, and what the replica has of them unless `filesOnly`.
   * Durable once resolved. After a rejection some may be deleted; may be retried.
   */
  deleteDays(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, filesOnly?: "filesOnly"): Promise<DeletedDays> {
    return this.#locks.run(siteId, async () => {
      const { days, files, superseded } = await this.#settledFiles(siteId, firstDay, lastDay);
      const counted = await this.#countEvents(files);
      for (const observer of this.#observers) await observer.beforeDelete?.(siteId, firstDay, lastDay);
      for (const observer of this.#observers) await observer.beforeErasure?.(siteId, firstDay, lastDay);
      if (!filesOnly) await this.#replication.delete(siteId, firstDay, lastDay, this.#journal.segmentNumbers);
      // Superseded files first: if a crash left only them, their events would count again.
      await this.#partitions.remove(siteId, superseded);
      await this.#partitions.remove(siteId, files);
      // Files that an interrupted deletion removed are not listed, but a power loss could bring them back.
      await this.#partitions.sync(siteId, firstDay, lastDay);
      await this.#noteIfWithoutFiles(siteId);
      if (days > 0) await this.#noteLoss([siteId]);
      return { ...counted, days };
    });
  }

  /** Deletes what the replica has of expired days, except events in the journal. */
  async deleteExpiredInReplica(expired: ExpiredDays): Promise<void> {
    await this.#replication.deleteExpired(expired, this.#journal.segmentNumbers);
  }

  async #settledFiles(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate) {
    const found = { days: 0, files: [] as PartitionFile[], superseded: [] as PartitionFile[] };
    for (const day of await this.#partitions.days(siteId)) {
      if (day < firstDay || day > lastDay) continue;
      const files = (await this.#partitions.allFiles(siteId, day)).filter((file) => this.isSettled(file));
      const superseded = (await this.#partitions.superseded(siteId, day)).filter((file) => this.isSettled(file));
      if (files.length + superseded.length > 0) found.days++;
      found.files.push(...files);
      found.superseded.push(...superseded);
    }
    return found;
  }

  async #countEvents(files: readonly PartitionFile[]): Promise<Pick<DeletedDays, "events" | "unreadable">> {
    let events = 0;
    const unreadable: ObjectKey[] = [];
    for (const file of files) {
      const inFile = await this.#partitions.countEvents(file);
      if (inFile === null) unreadable.push(file.key);
      else events += inFile;
    }
    return { events, unreadable };
  }

  /** Deletes superseded files of a site's day, which a crash has left; returns those shown, oldest first. Without any, it waits for no snapshot. */
  async deleteSuperseded(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    const files = await this.#locks.share(siteId, async () =>
      (await this.#partitions.superseded(siteId, day)).length === 0 ? this.#partitions.files(siteId, day) : null,
    );
    return files ?? this.#locks.run(siteId, () => this.#withoutSuperseded(siteId, day));
  }

  async #withoutSuperseded(siteId: SiteId, day: LocalDate): Promise<readonly PartitionFile[]> {
    const superseded = await this.#partitions.superseded(siteId, day);
    // The merged file may not be durable yet.
    if (superseded.length > 0) await this.#partitions.sync(siteId, day, day);
    await this.#partitions.remove(siteId, superseded);
    return this.#partitions.files(siteId, day);
  }

  /**
   * Replaces settled neighbours by their merge. Returns false, without a change, if one was deleted meanwhile. A file alone gets another
   * name: its range begins one number earlier, which no file and no segment may have.
   */
  replaceFiles(siteId: SiteId, day: LocalDate, parts: readonly PartitionFile[], merged: Uint8Array): Promise<boolean> {
    return this.#locks.run(siteId, async () => {
      const [alone, second] = parts;
      const first = alone && !second ? alone.first - 1 : alone?.first;
      if (alone === undefined || first === undefined) throw new Error("a merge needs at least one file");
      if (!second && (await this.#isTaken(siteId, day, first))) return false;
      // The merge must not restore erased events.
      const files = await this.#partitions.files(siteId, day);
      const now = new Set(files.map(({ key }) => key));
      if (!parts.every(({ key }) => now.has(key))) return false;
      for (const observer of this.#observers) await observer.beforeMerge?.(siteId, day, files);
      await this.#partitions.writeMerged(siteId, parts, merged, first);
      await this.#partitions.remove(siteId, parts);
      return true;
    });
  }

  async #isTaken(siteId: SiteId, day: LocalDate, number: number): Promise<boolean> {
    const files = [...(await this.#partitions.allFiles(siteId, day)), ...(await this.#partitions.superseded(siteId, day))];
    return isInFiles(number, files) || this.#journal.hasSegmentWithin(number, number);
  }

  /** Makes the events appended so far durable, where appends do not. Never rejects (see `isUnsafe`). */
  sync(): Promise<void> {
    return this.#journal.sync();
  }

  /** Waits for appends under way and closes the journal. Later appends fail. */
  close(): Promise<void> {
    return this.#journal.close();
  }
}

/**
 * The port to what follows the changes of stored events: rollups, the partition cache, the list of known sites.
 *
 * Called on changes of a site while its lock is held, so it must not call the store for that site.
 */
interface StoreObserver {
  /** A segment's events of a site are in files, and the journal, if it has them, is about to release them. Must not reject. */
  beforeRelease?(siteId: SiteId, segment: number, days: ReadonlyMap<LocalDate, readonly EventText[]>): Promise<void>;
  /** Some of a day's files, which are all of these, are about to be replaced by their merge. A rejection keeps them. */
  beforeMerge?(siteId: SiteId, day: LocalDate, files: readonly PartitionFile[]): Promise<void>;
  /** Files of the site's days from `firstDay` to `lastDay` are about to be deleted, shown or hidden. A rejection keeps them as they are. */
  beforeDelete?(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void>;
  /** All that is stored of these days is about to be deleted. A rejection keeps the events. */
  beforeErasure?(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<void>;
  /** Events of the site are deleted, or are another site's from now on. Must not reject. */
  afterLoss?(siteId: SiteId): Promise<void>;
  /** The site's last file was deleted. */
  onSiteWithoutFiles?(siteId: SiteId): void;
}

/** The events of a day that a journal segment or a file has. */
export interface ReplicatedEvents {
  /** All sites of the events. */
  readonly sites: readonly SiteId[];
  readonly day: LocalDate;
  readonly segment: number;
  /** The events are those of a file, and so of one site, instead of a segment with all its sites. */
  readonly isFile: boolean;
  /** A Parquet file like those of partitions. The events of a site follow each other, in their order. */
  readonly parquet: Uint8Array;
  /** An earlier attempt, maybe of another process, may have inserted the events. */
  readonly isRepeated: boolean;
  /** Identifies a file's insert and its repetitions, of which the replica executes one. */
  readonly token?: string;
  /** Sites whose events are left out. */
  readonly exceptSites?: readonly SiteId[];
}

/** Up to which day the events of each site are deleted; null for none. */
export interface ExpiredDays {
  readonly lastDay: LocalDate | null;
  /** Sites with another last day. */
  readonly exceptions: ReadonlyMap<SiteId, LocalDate | null>;
}

/** The port to a database that holds a copy of all stored events. `EventStore` keeps it complete. */
export interface EventReplica {
  /**
   * Resolves once the replica has the events durably. Inserting the same events again changes nothing. After a rejection it may have
   * them, or get them later.
   */
  insert(events: ReplicatedEvents, signal?: AbortSignal): Promise<void>;
  /** Deletes this node's events of the days, except those of the segments, which are still in the journal. Complete once resolved. */
  delete(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, exceptSegments: readonly number[]): Promise<void>;
  /** Deletes this node's events of a site that files with these numbers have. Complete once resolved. */
  deleteSegments(siteId: SiteId, first: number, last: number): Promise<void>;
  /** Deletes all days up to the last, of all sites at once, because each deletion is costly. */
  deleteExpired(expired: ExpiredDays, exceptSegments: readonly number[]): Promise<void>;
}
