/** The cache of partitions in the engine: loads the days that a query needs from files and journal, and evicts the least recently used. */
import type { EventValue } from "../../query/sql.ts";
import type { EventStore } from "../../../storage/event-store.ts";
import type { EpochMs, EventText, LocalDate, SiteId } from "../../../storage/event.ts";
import {
  type JournaledEvents,
  PARQUET_BYTES_PER_EVENT,
  type Partition,
  type PartitionFile,
  type PartitionVersion,
  partitionVersionOf,
} from "../../../storage/partitions.ts";
import { SiteLocks } from "../../../storage/site-locks.ts";
import { BLOCK_BYTES_MAX, BLOCKS_OF_BUDGET_MIN, LOAD_BYTES_MAX } from "../../base/config/limits.ts";
import type { Log } from "../../base/metrics/log.ts";
import type { LeftOutFiles } from "../../base/metrics/storage-faults.ts";
import { type BlockFile, type BlockSource, DroppedError, type Engine, type EngineUsage } from "../engine.ts";
import type { DateRange } from "../../query/date-range.ts";
import {
  type CachedBlock,
  CachedBlocks,
  type CachedDay,
  CacheEviction,
  groupIntoBlocks,
  lackingIn,
  type Loading,
  parquetBytesOf,
  pin,
  PropsShare,
  unpin,
} from "./cached-blocks.ts";
import { EngineMemory } from "./engine-memory.ts";
import { PartRows } from "./part-rows.ts";

/** Estimated size of a further column relative to the Parquet files of its events. Measured: 0.005 to 0.1, by the number of its texts. */
const COLUMN_SHARE_OF_PARQUET = 1 / 10;

/** So long after its date began in UTC, a day may still get events: wherever the site is, and a while longer. */
const RECENT_MS = 36 * 3_600_000;

/** What the engine reads of the event store, which may be in another thread. */
export type StoredEvents = Pick<EventStore, "withSnapshot" | "read">;

type Days = Pick<DateRange, "firstDay" | "lastDay">;

/** What a site has of the days that a query wants, and of all days of the blocks that hold some of them. */
interface Snapshot {
  readonly wanted: readonly Partition[];
  readonly all: readonly Partition[];
}

interface LoadOptions {
  readonly loading: Loading;
  readonly columns: ReadonlySet<EventValue>;
  readonly pinOnce: (block: CachedBlock) => void;
}

interface PartitionCacheOptions {
  readonly engine: Engine;
  readonly eventStore: StoredEvents;
  readonly budgetBytes: number;
  readonly sessionGapMs: number;
  readonly now: () => EpochMs;
  readonly leftOutFiles: Pick<LeftOutFiles, "note" | "forget">;
  readonly log: Log;
}

export class PartitionCache {
  readonly partRows: PartRows;
  readonly #options: PartitionCacheOptions;
  readonly #memory: EngineMemory;
  readonly #propsShare: PropsShare;
  readonly #eviction: CacheEviction;
  readonly #blocks: CachedBlocks;
  readonly #locks = new SiteLocks();
  #blocksCreated = 0;

  constructor(options: PartitionCacheOptions) {
    this.#options = options;
    this.#blocks = new CachedBlocks(() => ++this.#blocksCreated);
    this.#memory = new EngineMemory(options);
    this.partRows = new PartRows(this.#memory);
    this.#propsShare = new PropsShare(options.engine, this.#memory);
    this.#eviction = new CacheEviction({
      engine: options.engine,
      memory: this.#memory,
      propsShare: this.#propsShare,
    });
  }

  /** Memory use of the engine after the last change. */
  get memoryBytes(): number {
    return this.#memory.memoryBytes;
  }

  /** See `EngineMemory`. */
  get propertyTextBytesMax(): number {
    return this.#memory.propertyTextBytesMax;
  }

  get dayCount(): number {
    return this.#blocks.dayCount;
  }

  /** The versions of the site's partitions from `firstDay` to `lastDay`, oldest first. Days without events have none. */
  versionsOf(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Promise<PartitionVersion[]> {
    return this.#options.eventStore.withSnapshot(siteId, firstDay, lastDay, async (partitions) => partitions.map(partitionVersionOf));
  }

  /** True if days with this much Parquet in total are expected to fit into the budget. */
  shouldFit(parquetBytes: number): boolean {
    return this.#memory.shouldFit(parquetBytes, this.#blocks.parquetBytes);
  }

  /** True if all these days, which must have events, are cached. */
  areCached(siteId: SiteId, days: readonly LocalDate[]): boolean {
    return days.every((day) => this.#blocks.day(siteId, day));
  }

  /**
   * Runs the task with the ids of pinned blocks that hold every event of the site from `firstDay` to `lastDay` accepted before the
   * call, and maybe of other days: queries filter by time. Rejects as `Loading` says.
   */
  async withDays<T>(siteId: SiteId, range: Days, loading: Loading, task: (blocks: readonly number[]) => Promise<T>): Promise<T> {
    // One after the other, so that no day is loaded twice.
    const pinned = await this.#locks.run(siteId, () => this.#pinDays(siteId, range, loading));
    try {
      return await task([...pinned].map(({ id }) => id));
    } finally {
      this.#eviction.unpinAll(pinned, loading);
    }
  }

  /** The snapshot has all days of the blocks that hold some of these: a block gets a column for all its days. */
  #pinDays(siteId: SiteId, { firstDay, lastDay }: Days, loading: Loading): Promise<Set<CachedBlock>> {
    const held = [...this.#blocks.between(siteId, firstDay, lastDay)].flatMap(({ days }) => days);
    const earliest = held.reduce((first, day) => (day < first ? day : first), firstDay);
    const latest = held.reduce((last, day) => (day > last ? day : last), lastDay);
    return this.#options.eventStore.withSnapshot(siteId, earliest, latest, (partitions) =>
      this.#pinAll(siteId, { firstDay, lastDay }, partitions, loading),
    );
  }

  /** Runs a task while all texts of the site keep their codes, whatever blocks are dropped: an empty one holds the dictionary. */
  async withTexts<T>(siteId: SiteId, task: () => Promise<T>): Promise<T> {
    const { engine, sessionGapMs } = this.#options;
    const id = ++this.#blocksCreated;
    this.#memory.note(await engine.append({ id, siteId, sessionGapMs, propsBytesMax: 0, grows: false }, { files: [] }));
    try {
      return await task();
    } finally {
      // An engine that cannot drop a block has failed, with all that it holds.
      await engine.drop([id]).then(
        (usage) => this.#memory.note(usage),
        () => {},
      );
    }
  }

  async #pinAll(siteId: SiteId, { firstDay, lastDay }: Days, all: readonly Partition[], loading: Loading): Promise<Set<CachedBlock>> {
    loading.signal.throwIfAborted();
    const blocks = this.#blocks;
    const partitions = all.filter(({ day }) => firstDay <= day && day <= lastDay);
    const pinned = new Set<CachedBlock>();
    /** The columns to load, with those of outdated blocks: if one has a file that cannot be read, each column that it lacks loads all of it again. */
    const columns = new Set(loading.columns);
    const pinOnce = (block: CachedBlock) => {
      if (pinned.has(block)) return;
      pinned.add(block);
      pin(block, loading);
      if (!loading.onePass) blocks.touch(block, loading.isGuest);
    };
    try {
      do {
        for (const group of this.#groupsOf(await this.#pinCached(siteId, partitions, loading, pinOnce))) {
          loading.signal.throwIfAborted();
          await this.#eviction.makeRoom(blocks, parquetBytesOf(group));
          await this.#load(blocks, siteId, group, { loading, columns, pinOnce });
          await this.#eviction.keepToBudget(blocks, loading);
        }
      } while (await this.#areOutdated(pinned, { all, wanted: partitions }, loading, columns));
      for (const partition of partitions) await this.#deliverJournaled(blocks, siteId, partition);
      await this.#eviction.keepToBudget(blocks, loading);
      if (loading.columns.has("props")) {
        // Cached blocks outside this range may lose their properties.
        await this.#propsShare.limit(blocks.all);
        this.#propsShare.check(pinned, blocks.all);
      }
      return pinned;
    } catch (error) {
      this.#eviction.unpinAll(pinned, loading);
      throw error;
    }
  }

  /** Adds the columns that pinned blocks lack. Unpins and outdates those that cannot get them, and adds theirs to `had`; true if there were any. */
  async #areOutdated(pinned: Set<CachedBlock>, snapshot: Snapshot, loading: Loading, had: Set<EventValue>): Promise<boolean> {
    let areAny = false;
    for (const block of pinned) {
      const columns = lackingIn(block, loading);
      if (columns.length === 0) continue;
      loading.signal.throwIfAborted();
      if (await this.#addColumns(block, columns, snapshot)) {
        await this.#eviction.keepToBudget(this.#blocks, loading);
        continue;
      }
      areAny = true;
      for (const column of block.columns) had.add(column);
      pinned.delete(block);
      unpin(block, loading);
      await this.#eviction.outdate(this.#blocks, block);
    }
    return areAny;
  }

  /**
   * False if the block's files have changed since it was loaded, as they do if one could not be read for a while, or if the properties of
   * all its days are too large, but those of the wanted ones may not be.
   */
  async #addColumns(block: CachedBlock, columns: readonly EventValue[], { all, wanted }: Snapshot): Promise<boolean> {
    const { engine } = this.#options;
    const files = block.days.flatMap((day) => all.find((partition) => partition.day === day)?.files ?? []);
    await this.#eviction.makeRoom(this.#blocks, block.parquetBytes * columns.length * COLUMN_SHARE_OF_PARQUET);
    const read = await this.#read(files);
    if (read.length < files.length) return false;
    if (columns.includes("props")) block.props.bytes = 0;
    try {
      const { propsBytes, ...usage } = await engine.addColumns(block.id, columns, read);
      for (const column of columns) block.columns.add(column);
      await this.#noteProps(block, propsBytes, usage);
      const areDropped = columns.includes("props") && block.props.bytes === null;
      return !areDropped || block.days.every((day) => wanted.some((partition) => partition.day === day));
    } catch (error) {
      if (error instanceof DroppedError) return false;
      throw error;
    }
  }

  async #noteProps(block: CachedBlock, propsBytes: number | null, usage: EngineUsage): Promise<void> {
    this.#memory.note(usage);
    // Properties that were dropped during the call stay dropped.
    if (block.props.bytes !== null) block.props.bytes = propsBytes;
    if (block.props.bytes === null) block.columns.delete("props");
    await this.#propsShare.limit(this.#blocks.all);
  }

  /** Days that grow have a block each. */
  #groupsOf(missing: readonly Partition[]): Partition[][] {
    const growing = missing.filter((partition) => this.#grows(partition));
    const settled = missing.filter((partition) => !this.#grows(partition));
    return [...groupIntoBlocks(settled, this.#blockBytesMax()), ...growing.map((partition) => [partition])];
  }

  #grows({ day, journaled }: Partition): boolean {
    return journaled.some(({ inFiles }) => !inFiles) || Date.parse(day) + RECENT_MS > this.#options.now();
  }

  /** Pins the cached days that are usable, and returns the days to load. */
  async #pinCached(
    siteId: SiteId,
    partitions: readonly Partition[],
    loading: Loading,
    pinOnce: (block: CachedBlock) => void,
  ): Promise<Partition[]> {
    const blocks = this.#blocks;
    for (const partition of partitions) {
      const cached = blocks.day(siteId, partition.day);
      if (cached && !this.#isUsable(cached, partition, loading)) await this.#eviction.outdate(blocks, cached.block);
    }
    const missing: Partition[] = [];
    for (const partition of partitions) {
      const cached = blocks.day(siteId, partition.day);
      if (cached) pinOnce(cached.block);
      else missing.push(partition);
    }
    return missing;
  }

  /** A block that grows may have lost its properties, or no longer need to grow; another one does not get the day's new events. */
  #isUsable({ block, delivered }: CachedDay, partition: Partition, { columns }: Loading): boolean {
    if (block.grows) return !(columns.has("props") && block.props.bytes === null) && this.#grows(partition);
    return partition.journaled.every(({ segment, events }) => events.length <= (delivered.get(segment) ?? 0));
  }

  /** Small enough for several blocks to fit into the budget, so that eviction can free a part of it. */
  #blockBytesMax(): number {
    return Math.min(BLOCK_BYTES_MAX, this.#options.budgetBytes / BLOCKS_OF_BUDGET_MIN);
  }

  async #load(
    blocks: CachedBlocks,
    siteId: SiteId,
    group: readonly Partition[],
    { loading, columns, pinOnce }: LoadOptions,
  ): Promise<void> {
    const grows = group.some((partition) => this.#grows(partition));
    const use = { ...loading, columns };
    const block = grows ? blocks.create(siteId, use, true) : blocks.withRoom(siteId, parquetBytesOf(group), use);
    // From here on, so that nothing evicts it before the query reads it.
    pinOnce(block);
    let isWhole = block.days.length > 0;
    try {
      // In steps, so that the files of many days are not all in memory at once.
      for (const step of groupIntoBlocks(group, LOAD_BYTES_MAX)) {
        loading.signal.throwIfAborted();
        const read = await this.#read(
          step.flatMap(({ files }) => files),
          (key) => this.#leaveOut(key, "a partition file is gone"),
        );
        isWhole = false;
        const unreadable = await this.#append(block, { files: read, columns: [...columns] });
        for (const { key } of read) if (!unreadable.has(key)) this.#options.leftOutFiles.forget(key);
        if (loading.columns.has("props")) this.#propsShare.check([block], blocks.all);
        this.#addDays(blocks, block, step);
        isWhole = true;
      }
    } catch (error) {
      if (!isWhole) this.#eviction.abandon(blocks, block);
      throw error;
    }
  }

  /** Days that are loaded from their files. */
  #addDays(blocks: CachedBlocks, block: CachedBlock, days: readonly Partition[]): void {
    block.parquetBytes += parquetBytesOf(days);
    for (const { day, journaled } of days) {
      const inFiles = journaled.filter((run) => run.inFiles);
      const delivered = new Map(inFiles.map(({ segment }) => [segment, Number.POSITIVE_INFINITY]));
      blocks.addDay(block, day, { delivered });
    }
  }

  async #read(files: readonly PartitionFile[], onGone: (key: string) => void = () => {}): Promise<BlockFile[]> {
    const { eventStore } = this.#options;
    const found: BlockFile[] = [];
    for (const file of files) {
      const bytes = await eventStore.read(file);
      if (bytes) found.push({ key: file.key, date: file.day, bytes });
      else onGone(file.key);
    }
    return found;
  }

  /** Returns the unreadable files. */
  async #append(block: CachedBlock, source: BlockSource): Promise<ReadonlySet<string>> {
    const { engine, sessionGapMs } = this.#options;
    const { propsBytesMax } = this.#memory;
    const { id, siteId, grows } = block;
    const { unreadable, propsBytes, ...usage } = await engine.append({ id, siteId, sessionGapMs, propsBytesMax, grows }, source);
    await this.#noteProps(block, propsBytes, usage);
    for (const { key, reason } of unreadable) this.#leaveOut(key, "a partition file cannot be read", { reason });
    return new Set(unreadable.map(({ key }) => key));
  }

  #leaveOut(file: string, what: string, fields: { readonly reason?: string } = {}): void {
    const { leftOutFiles, log } = this.#options;
    leftOutFiles.note(file);
    log.error(`${what}; its events are missing from reports`, { file, ...fields });
  }

  async #deliverJournaled(blocks: CachedBlocks, siteId: SiteId, { day, journaled }: Partition): Promise<void> {
    for (const segmentEvents of journaled) {
      const cached = blocks.day(siteId, day);
      if (cached) await this.#deliver(blocks, cached, day, segmentEvents);
    }
  }

  /** Adds the events of a segment that a cached day does not have yet. */
  async #deliver(
    blocks: CachedBlocks,
    { block, delivered }: CachedDay,
    date: LocalDate,
    { segment, events }: Pick<JournaledEvents, "segment" | "events">,
  ): Promise<void> {
    const before = delivered.get(segment) ?? 0;
    if (events.length <= before) return;
    const fresh = events.slice(before);
    try {
      await this.#append(block, { date, events: fresh });
    } catch (error) {
      // The block may or may not have the events now.
      this.#eviction.abandon(blocks, block);
      throw error;
    }
    block.parquetBytes += fresh.length * PARQUET_BYTES_PER_EVENT;
    delivered.set(segment, before + fresh.length);
  }

  /** Drops the blocks with days whose files are about to be deleted. Running queries finish with the data they started with. */
  forgetDays(siteId: SiteId, { firstDay, lastDay }: Days): void {
    this.partRows.forgetSite(siteId);
    for (const block of this.#blocks.between(siteId, firstDay, lastDay))
      if (!block.outdated) void this.#eviction.outdate(this.#blocks, block);
  }

  /**
   * Adds the remaining events of a segment to cached days before the journal releases it. Days that do not grow, and others, will load them
   * from files.
   */
  async deliverRest(siteId: SiteId, segment: number, days: ReadonlyMap<LocalDate, readonly EventText[]>): Promise<void> {
    const blocks = this.#blocks;
    for (const [day, events] of days) {
      const cached = blocks.day(siteId, day);
      if (!cached) continue;
      if (!cached.block.grows && events.length > (cached.delivered.get(segment) ?? 0)) {
        await this.#eviction.outdate(blocks, cached.block);
        continue;
      }
      cached.block.pins++;
      try {
        await this.#deliver(blocks, cached, day, { segment, events });
        cached.delivered.delete(segment);
      } catch {
        // The block was abandoned: the next query loads its days again.
      } finally {
        cached.block.pins--;
      }
    }
    // Cached days also grow without queries, so memory is freed here, too.
    await this.#eviction.makeRoom(blocks, 0).catch(() => {
      // The next query retries, and reports the error.
    });
  }
}
