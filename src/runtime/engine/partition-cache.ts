/** Which partitions are cached in the engine: loads those that a query needs from files and journal, and evicts the least recently used. */
import type { SiteId, UtcDay } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import type { EventText } from "../../storage/event-text.ts";
import type { JournaledEvents, Partition, PartitionFile } from "../../storage/partition.ts";
import { sizeGroups } from "../../storage/size-groups.ts";
import { BLOCKS_OF_BUDGET_MIN, BLOCK_BYTES_MAX, LOAD_BYTES_MAX } from "../config/limits.ts";
import type { Log } from "../metrics/log.ts";
import { CacheEviction } from "./cache-eviction.ts";
import { CachedBlocks, pin, unpin, type CachedBlock, type CachedDay } from "./cached-blocks.ts";
import { EngineLostError, type BlockFile, type BlockSource, type Engine } from "./engine.ts";
import { EngineMemory } from "./engine-memory.ts";
import { PartialAggregates } from "./partial-aggregates.ts";
import { PARQUET_BYTES_PER_EVENT, partitionVersionOf, type PartitionVersion } from "./partition-version.ts";
import { PropsShare } from "./props-share.ts";

export interface PartitionCacheOptions {
  readonly engine: Engine;
  readonly eventStore: EventStore;
  readonly budgetBytes: number;
  readonly sessionGapMs: number;
  readonly log: Log;
}

/** What is loaded of a day. */
type LoadedDay = Pick<Partition, "day" | "files">;

const bytesOfFiles = (files: readonly PartitionFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const parquetBytesOf = (days: readonly LoadedDay[]): number => bytesOfFiles(days.flatMap(({ files }) => files));

/** Consecutive days go together up to a size: few tables for small sites, small steps for large ones. */
export const groupIntoBlocks = <Day extends LoadedDay>(missing: readonly Day[], blockBytesMax: number): Day[][] =>
  sizeGroups(missing, ({ files }) => bytesOfFiles(files), blockBytesMax);

/** How days are to be loaded. */
export interface Loading {
  /** Once aborted, nothing more is loaded; loaded days stay cached. */
  readonly signal: AbortSignal;
  /** Rejects with `EngineFullError` when they do not fit into the budget. */
  readonly withinBudget: boolean;
  /** They are wanted for this once: what is loaded for it is evicted first, so that a pass over more than fits leaves the rest in place. */
  readonly onePass: boolean;
  /** The properties of events are to be kept, or it rejects with `EngineFullError`. */
  readonly withProperties?: boolean;
}

export class PartitionCache {
  readonly partialAggregates: PartialAggregates;
  readonly #options: PartitionCacheOptions;
  readonly #memory: EngineMemory;
  readonly #propsShare: PropsShare;
  readonly #eviction: CacheEviction;
  #blocks: CachedBlocks;
  #blocksMade = 0;

  constructor(options: PartitionCacheOptions) {
    this.#options = options;
    this.#blocks = this.#noBlocks();
    this.#memory = new EngineMemory(options);
    this.partialAggregates = new PartialAggregates(options, this.#memory);
    this.#propsShare = new PropsShare(options.engine, this.#memory);
    this.#eviction = new CacheEviction({
      engine: options.engine,
      memory: this.#memory,
      propsShare: this.#propsShare,
      partialAggregates: this.partialAggregates,
    });
    options.eventStore.observe({
      beforeRelease: (siteId, segment, days) => this.#takeRest(siteId, segment, days),
      beforeDelete: (siteId, firstDay, lastDay) => this.#forgetDays(siteId, firstDay, lastDay),
    });
  }

  #noBlocks(): CachedBlocks {
    return new CachedBlocks(this.#options.engine.generation, () => ++this.#blocksMade);
  }

  /** Bytes that the engine holds, as of the last change. */
  get residentBytes(): number {
    return this.#memory.residentBytes;
  }

  /** See `EngineMemory`. */
  get propertyTextBytesMax(): number {
    return this.#memory.propertyTextBytesMax;
  }

  /** The number of cached partitions. */
  get dayCount(): number {
    return this.#blocks.dayCount;
  }

  /** What a site has from `firstDay` to `lastDay`, oldest first, of the days that have events. */
  versionsOf(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<PartitionVersion[]> {
    return this.#options.eventStore.withSnapshot(siteId, firstDay, lastDay, async (partitions) => partitions.map(partitionVersionOf));
  }

  /** Whether days with so much Parquet should fit into the budget together. */
  shouldFit(parquetBytes: number): boolean {
    return this.#memory.shouldFit(parquetBytes, this.#blocks.parquetBytes);
  }

  /** Whether days that have events are loaded. */
  areCached(siteId: SiteId, days: readonly UtcDay[]): boolean {
    return days.every((day) => this.#blocks.day(siteId, day));
  }

  /**
   * Runs the task with the ids of the blocks that hold every event of the site from `firstDay` to
   * `lastDay` accepted before the call (and maybe events of other days, so queries bound their range).
   */
  async withDays<T>(
    siteId: SiteId,
    { firstDay, lastDay }: { readonly firstDay: UtcDay; readonly lastDay: UtcDay },
    loading: Loading,
    task: (blocks: readonly number[]) => Promise<T>,
  ): Promise<T> {
    const { eventStore } = this.#options;
    const pinned = await eventStore.withSnapshot(siteId, firstDay, lastDay, (partitions) => this.#pinAll(siteId, partitions, loading));
    try {
      return await task([...pinned].map(({ id }) => id));
    } finally {
      for (const block of pinned) {
        unpin(block, loading);
        this.#eviction.dropIfOutdated(block);
      }
    }
  }

  async #pinAll(siteId: SiteId, partitions: readonly Partition[], loading: Loading): Promise<Set<CachedBlock>> {
    loading.signal.throwIfAborted();
    if (this.#blocks.generation !== this.#options.engine.generation) this.#blocks = this.#noBlocks();
    const blocks = this.#blocks;
    const pinned = new Set<CachedBlock>();
    const pinOnce = (block: CachedBlock) => {
      if (pinned.has(block)) return;
      pinned.add(block);
      pin(block, loading);
      if (!loading.onePass) blocks.touch(block);
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
      this.#checkGeneration(blocks);
      return pinned;
    } catch (error) {
      for (const block of pinned) unpin(block, loading);
      throw error;
    }
  }

  /** Pins what is loaded as it is wanted, and gives the rest. */
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
      const isEnough = block && !(withProperties && block.props.bytes === null);
      if (isEnough) pinOnce(block);
      else missing.push(partition);
      if (block && !isEnough) await this.#eviction.outdate(blocks, block);
    }
    return missing;
  }

  #checkGeneration({ generation }: CachedBlocks): void {
    if (generation !== this.#options.engine.generation) throw new EngineLostError("the engine was restarted");
  }

  /** So small that blocks can make room for each other. */
  #blockBytesMax(): number {
    return Math.min(BLOCK_BYTES_MAX, this.#options.budgetBytes / BLOCKS_OF_BUDGET_MIN);
  }

  async #load(blocks: CachedBlocks, siteId: SiteId, group: readonly Partition[], loading: Loading): Promise<CachedBlock> {
    const parquetBytes = parquetBytesOf(group);
    const block = blocks.withRoom(siteId, parquetBytes, { ...loading, blockBytesMax: this.#blockBytesMax() });
    let isAsItWas = block.days.length > 0;
    pin(block, loading);
    try {
      const files = group.flatMap((day) => day.files);
      // A large day's files are not all in memory at a time.
      for (const step of sizeGroups(files, ({ sizeBytes }) => sizeBytes, LOAD_BYTES_MAX)) {
        const read = await this.#read(step);
        isAsItWas = false;
        await this.#append(blocks, block, { files: read });
        if (loading.withProperties) this.#propsShare.check([block], blocks.all);
      }
    } catch (error) {
      if (!isAsItWas) this.#eviction.abandon(blocks, block);
      throw error;
    } finally {
      unpin(block, loading);
    }
    block.parquetBytes += parquetBytes;
    for (const { day, journaled } of group) {
      const inFiles = journaled.filter((run) => run.inFiles);
      blocks.addDay(block, day, new Map(inFiles.map(({ segment }) => [segment, Number.POSITIVE_INFINITY])));
    }
    return block;
  }

  async #read(files: readonly PartitionFile[]): Promise<BlockFile[]> {
    const { eventStore, log } = this.#options;
    const found: BlockFile[] = [];
    for (const file of files) {
      const bytes = await eventStore.read(file);
      if (bytes) found.push({ key: file.key, date: file.day, bytes });
      else log.error("a partition file is gone; its events are missing from reports", { file: file.key });
    }
    return found;
  }

  /** Rejects when the engine was restarted meanwhile, which may have left it these rows alone: the block is to be abandoned. */
  async #append(blocks: CachedBlocks, block: CachedBlock, source: BlockSource): Promise<void> {
    const { engine, sessionGapMs, log } = this.#options;
    const { propsBytesMax } = this.#memory;
    const target = { id: block.id, siteId: block.siteId, sessionGapMs, propsBytesMax };
    const { unreadable, propsBytes, ...usage } = await engine.append(target, source);
    this.#memory.note(usage);
    this.#checkGeneration(blocks);
    // Once given up they stay so, also where that happened while the engine took this.
    if (block.props.bytes !== null) block.props.bytes = propsBytes;
    await this.#propsShare.limit(blocks.all);
    for (const { key, reason } of unreadable) {
      log.error("a partition file cannot be read; its events are missing from reports", { file: key, reason });
    }
  }

  async #deliverJournaled(blocks: CachedBlocks, siteId: SiteId, { day, journaled }: Partition): Promise<void> {
    for (const segmentEvents of journaled) {
      const cached = blocks.day(siteId, day);
      if (cached) await this.#deliver(blocks, cached, day, segmentEvents);
    }
  }

  /** Gives a loaded day the events of a segment that it does not have yet. */
  async #deliver(
    blocks: CachedBlocks,
    { block, delivered }: CachedDay,
    date: UtcDay,
    { segment, events }: Pick<JournaledEvents, "segment" | "events">,
  ): Promise<void> {
    const before = delivered.get(segment) ?? 0;
    if (events.length <= before) return;
    const fresh = events.slice(before);
    try {
      await this.#append(blocks, block, { date, events: fresh });
    } catch (error) {
      // Whether it has them now is not known.
      this.#eviction.abandon(blocks, block);
      throw error;
    }
    block.parquetBytes += fresh.length * PARQUET_BYTES_PER_EVENT;
    delivered.set(segment, before + fresh.length);
  }

  /** Drops days whose files are about to be deleted, and others in the same blocks. Running queries finish with the data they started with. */
  #forgetDays(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): void {
    this.partialAggregates.forgetSite(siteId);
    for (const block of this.#blocks.between(siteId, firstDay, lastDay))
      if (!block.outdated) void this.#eviction.outdate(this.#blocks, block);
  }

  /** Takes what the journal is about to release: loaded days get the rest of the segment's events now, the others will find them in files. */
  async #takeRest(siteId: SiteId, segment: number, days: ReadonlyMap<UtcDay, readonly EventText[]>): Promise<void> {
    const blocks = this.#blocks;
    for (const [day, events] of days) {
      const cached = blocks.day(siteId, day);
      if (!cached) continue;
      cached.block.pins++;
      try {
        await this.#deliver(blocks, cached, day, { segment, events });
        cached.delivered.delete(segment);
      } catch {
        // The engine may be gone, and with it all that is loaded; otherwise the days are loaded anew.
      } finally {
        cached.block.pins--;
      }
    }
    // Otherwise growing days would use more and more memory between queries.
    await this.#eviction.makeRoom(blocks, 0).catch(() => {
      // The next query retries, and reports the error.
    });
  }
}
