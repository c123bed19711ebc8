/** The cache of partitions in the engine: loads the days that a query needs from files and journal, and evicts the least recently used. */
import type { EventStore } from "../../../storage/event-store.ts";
import type { EventText, LocalDate, SiteId } from "../../../storage/event.ts";
import {
  type JournaledEvents,
  PARQUET_BYTES_PER_EVENT,
  type Partition,
  type PartitionFile,
  type PartitionVersion,
  partitionVersionOf,
  sizeGroups,
} from "../../../storage/partitions.ts";
import { SiteLocks } from "../../../storage/site-locks.ts";
import { BLOCK_BYTES_MAX, BLOCKS_OF_BUDGET_MIN, LOAD_BYTES_MAX } from "../../base/config/limits.ts";
import type { Log } from "../../base/metrics/log.ts";
import type { LeftOutFiles } from "../../base/metrics/storage-faults.ts";
import { type BlockFile, type BlockSource, type Engine, EngineFullError } from "../engine.ts";
import type { DateRange } from "../../query/date-range.ts";
import {
  type CachedBlock,
  CachedBlocks,
  type CachedDay,
  CacheEviction,
  groupIntoBlocks,
  grow,
  type Loading,
  parquetBytesOf,
  pin,
  PropsShare,
  unpin,
} from "./cached-blocks.ts";
import { EngineMemory } from "./engine-memory.ts";
import { PartRows } from "./part-rows.ts";

/** Estimated size of stored sessions relative to the Parquet files of their events. Measured: 0.3 with three events per session. */
const SESSIONS_SHARE_OF_PARQUET = 1 / 2;

/** What the engine reads of the event store, which may be in another thread. */
export type StoredEvents = Pick<EventStore, "withSnapshot" | "read">;

interface PartitionCacheOptions {
  readonly engine: Engine;
  readonly eventStore: StoredEvents;
  readonly budgetBytes: number;
  readonly sessionGapMs: number;
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
  async withDays<T>(
    siteId: SiteId,
    { firstDay, lastDay }: { readonly firstDay: LocalDate; readonly lastDay: LocalDate },
    loading: Loading,
    task: (blocks: readonly number[]) => Promise<T>,
  ): Promise<T> {
    const { eventStore } = this.#options;
    // One after the other, so that no day is loaded twice.
    const pinned = await this.#locks.run(siteId, () =>
      eventStore.withSnapshot(siteId, firstDay, lastDay, (partitions) => this.#pinAll(siteId, partitions, loading)),
    );
    try {
      return await task([...pinned].map(({ id }) => id));
    } finally {
      this.#eviction.unpinAll(pinned, loading);
    }
  }

  /** Runs a task while all texts of the site keep their codes, whatever blocks are dropped: an empty one holds the dictionary. */
  async withTexts<T>(siteId: SiteId, task: () => Promise<T>): Promise<T> {
    const { engine, sessionGapMs } = this.#options;
    const id = ++this.#blocksCreated;
    this.#memory.note(await engine.append({ id, siteId, sessionGapMs, propsBytesMax: 0 }, { files: [] }));
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

  async #pinAll(siteId: SiteId, partitions: readonly Partition[], loading: Loading): Promise<Set<CachedBlock>> {
    loading.signal.throwIfAborted();
    const blocks = this.#blocks;
    const pinned = new Set<CachedBlock>();
    const pinOnce = (block: CachedBlock) => {
      if (pinned.has(block)) return;
      pinned.add(block);
      pin(block, loading);
      if (!loading.onePass) blocks.touch(block, loading.isGuest);
    };
    try {
      const missing = await this.#pinCached(siteId, partitions, loading, pinOnce);
      for (const group of groupIntoBlocks(missing, this.#blockBytesMax())) {
        loading.signal.throwIfAborted();
        await this.#eviction.makeRoom(blocks, parquetBytesOf(group));
        pinOnce(await this.#load(blocks, siteId, group, loading));
        await this.#eviction.keepToBudget(blocks, loading);
      }
      for (const partition of partitions) await this.#deliverJournaled(blocks, siteId, partition);
      await this.#eviction.keepToBudget(blocks, loading);
      if (loading.withProperties) this.#propsShare.check(pinned, blocks.all);
      if (loading.withSessions) await this.#storeSessions(blocks, pinned, loading.signal);
      return pinned;
    } catch (error) {
      this.#eviction.unpinAll(pinned, loading);
      throw error;
    }
  }

  /** Pins the cached days that are usable, and returns the days to load. */
  async #pinCached(
    siteId: SiteId,
    partitions: readonly Partition[],
    { withProperties }: Loading,
    pinOnce: (block: CachedBlock) => void,
  ): Promise<Partition[]> {
    const blocks = this.#blocks;
    const missing: Partition[] = [];
    for (const partition of partitions) {
      const block = blocks.day(siteId, partition.day)?.block;
      const isUsable = block && !(withProperties && block.props.bytes === null);
      if (isUsable) pinOnce(block);
      else missing.push(partition);
      if (block && !isUsable) await this.#eviction.outdate(blocks, block);
    }
    return missing;
  }

  /** Small enough for several blocks to fit into the budget, so that eviction can free a part of it. */
  #blockBytesMax(): number {
    return Math.min(BLOCK_BYTES_MAX, this.#options.budgetBytes / BLOCKS_OF_BUDGET_MIN);
  }

  async #load(blocks: CachedBlocks, siteId: SiteId, group: readonly Partition[], loading: Loading): Promise<CachedBlock> {
    const parquetBytes = parquetBytesOf(group);
    const block = blocks.withRoom(siteId, parquetBytes, { ...loading, blockBytesMax: this.#blockBytesMax() });
    let isUnchanged = block.days.length > 0;
    pin(block, loading);
    try {
      const files = group.flatMap((day) => day.files);
      // In steps, so that the files of a large day are not all in memory at once.
      for (const step of sizeGroups(files, ({ sizeBytes }) => sizeBytes, LOAD_BYTES_MAX)) {
        const read = await this.#read(step);
        isUnchanged = false;
        const unreadable = await this.#append(blocks, block, { files: read });
        for (const { key } of read) if (!unreadable.has(key)) this.#options.leftOutFiles.forget(key);
        if (loading.withProperties) this.#propsShare.check([block], blocks.all);
      }
    } catch (error) {
      if (!isUnchanged) this.#eviction.abandon(blocks, block);
      throw error;
    } finally {
      unpin(block, loading);
    }
    grow(block, parquetBytes);
    for (const { day, journaled } of group) {
      const inFiles = journaled.filter((run) => run.inFiles);
      const delivered = new Map(inFiles.map(({ segment }) => [segment, Number.POSITIVE_INFINITY]));
      blocks.addDay(block, day, { delivered });
    }
    return block;
  }

  /**
   * Stores the sessions of rows that were added since the last time: session reports then share them (see `Engine.storeSessions`). Other
   * blocks are evicted for them; without enough memory, queries group the events.
   */
  async #storeSessions(blocks: CachedBlocks, wanted: Iterable<CachedBlock>, signal: AbortSignal): Promise<void> {
    const missing = [...wanted].filter(({ bytesWithoutSessions }) => bytesWithoutSessions > 0);
    const bytes = missing.reduce((sum, block) => sum + block.bytesWithoutSessions, 0) * SESSIONS_SHARE_OF_PARQUET;
    if (missing.length === 0 || !(await this.#eviction.evictFor(blocks, bytes))) return;
    try {
      const ids = missing.map(({ id }) => id);
      this.#memory.note(await this.#options.engine.storeSessions(ids, signal));
      for (const block of missing) block.bytesWithoutSessions = 0;
    } catch (error) {
      if (!(error instanceof EngineFullError)) throw error;
    }
  }

  async #read(files: readonly PartitionFile[]): Promise<BlockFile[]> {
    const { eventStore } = this.#options;
    const found: BlockFile[] = [];
    for (const file of files) {
      const bytes = await eventStore.read(file);
      if (bytes) found.push({ key: file.key, date: file.day, bytes });
      else this.#leaveOut(file.key, "a partition file is gone");
    }
    return found;
  }

  /** Returns the unreadable files. */
  async #append(blocks: CachedBlocks, block: CachedBlock, source: BlockSource): Promise<ReadonlySet<string>> {
    const { engine, sessionGapMs } = this.#options;
    const { propsBytesMax } = this.#memory;
    const target = { id: block.id, siteId: block.siteId, sessionGapMs, propsBytesMax };
    const { unreadable, propsBytes, ...usage } = await engine.append(target, source);
    this.#memory.note(usage);
    // Properties that were dropped during the call stay dropped.
    if (block.props.bytes !== null) block.props.bytes = propsBytes;
    await this.#propsShare.limit(blocks.all);
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
      await this.#append(blocks, block, { date, events: fresh });
    } catch (error) {
      // The block may or may not have the events now.
      this.#eviction.abandon(blocks, block);
      throw error;
    }
    grow(block, fresh.length * PARQUET_BYTES_PER_EVENT);
    delivered.set(segment, before + fresh.length);
  }

  /** Drops the blocks with days whose files are about to be deleted. Running queries finish with the data they started with. */
  forgetDays(siteId: SiteId, { firstDay, lastDay }: Pick<DateRange, "firstDay" | "lastDay">): void {
    this.partRows.forgetSite(siteId);
    for (const block of this.#blocks.between(siteId, firstDay, lastDay))
      if (!block.outdated) void this.#eviction.outdate(this.#blocks, block);
  }

  /** Adds the remaining events of a segment to cached days before the journal releases it. Other days will load them from files. */
  async deliverRest(siteId: SiteId, segment: number, days: ReadonlyMap<LocalDate, readonly EventText[]>): Promise<void> {
    const blocks = this.#blocks;
    for (const [day, events] of days) {
      const cached = blocks.day(siteId, day);
      if (!cached) continue;
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
