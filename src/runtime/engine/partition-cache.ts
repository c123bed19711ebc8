/** Which days of which sites the engine holds: loads what a query needs, drops what was not used for longest. */
import type { Journal, Segment } from "../../storage/journal.ts";
import type { PartitionFile } from "../../storage/partition-path.ts";
import type { Partitions } from "../../storage/partitions.ts";
import type { SiteLocks } from "../../storage/site-locks.ts";
import { sizeGroups } from "../../storage/size-groups.ts";
import type { SiteId, UtcDay } from "../../storage/event.ts";
import { BLOCKS_OF_BUDGET_MIN, LOAD_BYTES_MAX, BLOCK_BYTES_MAX } from "../config/limits.ts";
import type { Log } from "../metrics/log.ts";
import { PARQUET_BYTES_PER_EVENT, partitionVersionOf, isInFiles, type PartitionVersion } from "./partition-version.ts";
import { EngineFullError, EngineLostError, type BlockSource, type Engine } from "./engine.ts";
import { EngineMemory } from "./engine-memory.ts";
import { PropsShare } from "./props-share.ts";
import { pin as pinBlock, unpin, type CachedBlock } from "./cached-block.ts";
import { PartialAggregates } from "./partial-aggregates.ts";

export interface PartitionCacheOptions {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly partitions: Partitions;
  readonly locks: SiteLocks;
  readonly budgetBytes: number;
  readonly sessionGapMs: number;
  readonly log: Log;
}

interface CachedDay {
  readonly block: CachedBlock;
  /** How many of each unflushed segment's events the block already has. */
  readonly delivered: Map<number, number>;
}

/** All that is resident in one life of the engine. Blocks are in order of last use. */
interface CacheContents {
  readonly generation: number;
  readonly sites: Map<SiteId, Map<UtcDay, CachedDay>>;
  readonly blocks: Set<CachedBlock>;
}

/** A day that has to be loaded, with the files that hold it. */
interface MissingDay {
  readonly day: UtcDay;
  readonly files: readonly PartitionFile[];
}

const bytesOfFiles = (files: readonly PartitionFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const parquetBytesOf = (days: readonly MissingDay[]): number => bytesOfFiles(days.flatMap(({ files }) => files));

/** Consecutive days go together up to a size: few tables for small sites, small steps for large ones. */
export const groupIntoBlocks = (missing: readonly MissingDay[], blockBytesMax: number): MissingDay[][] =>
  sizeGroups(missing, ({ files }) => bytesOfFiles(files), blockBytesMax);

/** How days are to be made resident. */
export interface Loading {
  /** Nothing more is loaded once it is aborted; what was loaded stays. */
  readonly signal: AbortSignal;
  /** Rejects with `EngineFullError` when they do not fit into the budget. */
  readonly withinBudget: boolean;
  /** They are wanted for this once: what is loaded for it is the first to go. So a question that goes through more than fits leaves the rest in place. */
  readonly onePass: boolean;
  /** The properties of events are to be kept, or it rejects with `EngineFullError`. */
  readonly withProperties?: boolean;
}

export class PartitionCache {
  readonly partialAggregates: PartialAggregates;
  readonly #options: PartitionCacheOptions;
  #partitionCache: CacheContents;
  readonly #memory: EngineMemory;
  readonly #propsShare: PropsShare;
  #blocksMade = 0;

  constructor(options: PartitionCacheOptions) {
    this.#options = options;
    this.#partitionCache = this.#nothing();
    this.#memory = new EngineMemory(options);
    this.partialAggregates = new PartialAggregates(options, this.#memory);
    this.#propsShare = new PropsShare(options.engine, this.#memory);
  }

  #nothing(): CacheContents {
    return { generation: this.#options.engine.generation, sites: new Map(), blocks: new Set() };
  }

  /** Bytes that the engine holds, as of the last change. */
  get residentBytes(): number {
    return this.#memory.residentBytes;
  }

  /** See `EngineMemory`. */
  get propertyTextBytesMax(): number {
    return this.#memory.propertyTextBytesMax;
  }

  /** How many days of sites are loaded. */
  get dayCount(): number {
    let count = 0;
    for (const days of this.#partitionCache.sites.values()) count += days.size;
    return count;
  }

  /** What a site has from `firstDay` to `lastDay`, oldest first, of the days that have events. */
  versionsOf(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<PartitionVersion[]> {
    return this.#options.locks.run(siteId, async () => {
      const { partitions, journal } = this.#options;
      const found: PartitionVersion[] = [];
      for (const day of await this.#daysWithEvents(siteId, firstDay, lastDay)) {
        found.push(partitionVersionOf(day, await partitions.files(siteId, day), journal.unflushed(siteId, day)));
      }
      return found;
    });
  }

  /** Whether days with so much Parquet should fit into the budget together. */
  shouldFit(parquetBytes: number): boolean {
    let resident = 0;
    for (const block of this.#partitionCache.blocks) resident += block.parquetBytes;
    return this.#memory.shouldFit(parquetBytes, resident);
  }

  /** Whether days that have events are loaded. */
  areCached(siteId: SiteId, days: readonly UtcDay[]): boolean {
    const partitionCache = this.#partitionCache.sites.get(siteId);
    return days.every((day) => partitionCache?.has(day));
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
    const pinned = await this.#options.locks.run(siteId, () => this.#pinPartitions(siteId, firstDay, lastDay, loading));
    try {
      return await task([...pinned].map(({ id }) => id));
    } finally {
      for (const block of pinned) {
        unpin(block, loading);
        if (block.outdated && block.pins === 0) void this.#drop(block);
      }
    }
  }

  async #pinPartitions(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, loading: Loading): Promise<Set<CachedBlock>> {
    loading.signal.throwIfAborted();
    if (this.#partitionCache.generation !== this.#options.engine.generation) this.#partitionCache = this.#nothing();
    const partitionCache = this.#partitionCache;
    const pinned = new Set<CachedBlock>();
    const pin = (block: CachedBlock) => {
      if (pinned.has(block)) return;
      pinned.add(block);
      pinBlock(block, loading);
      if (loading.onePass) return;
      block.onePass = false;
      partitionCache.blocks.delete(block);
      partitionCache.blocks.add(block);
    };
    try {
      const missing: MissingDay[] = [];
      for (const day of await this.#daysWithEvents(siteId, firstDay, lastDay)) {
        const resident = partitionCache.sites.get(siteId)?.get(day);
        const isEnough = resident && !(loading.withProperties && resident.block.props.bytes === null);
        if (resident && !isEnough) await this.#outdate(partitionCache, resident.block);
        if (isEnough) pin(resident.block);
        else missing.push({ day, files: await this.#options.partitions.files(siteId, day) });
      }
      for (const group of groupIntoBlocks(missing, this.#blockBytesMax())) {
        loading.signal.throwIfAborted();
        await this.#makeRoom(partitionCache, parquetBytesOf(group));
        pin(await this.#load(partitionCache, siteId, group, loading));
        await this.#checkBudget(partitionCache, loading);
      }
      for (const block of pinned) await this.#deliverUnflushed(partitionCache, block);
      await this.#checkBudget(partitionCache, loading);
      if (loading.withProperties) this.#propsShare.check(pinned, partitionCache.blocks);
      this.#checkGeneration(partitionCache);
      return pinned;
    } catch (error) {
      for (const block of pinned) unpin(block, loading);
      throw error;
    }
  }

  #checkGeneration({ generation }: CacheContents): void {
    if (generation !== this.#options.engine.generation) throw new EngineLostError("the engine was restarted");
  }

  async #checkBudget(partitionCache: CacheContents, { withinBudget }: Loading): Promise<void> {
    await this.#makeRoom(partitionCache, 0);
    if (withinBudget && !this.#memory.hasRoomFor(0)) throw new EngineFullError("the days do not fit into the engine's memory together");
  }

  /** So small that blocks can make room for each other. */
  #blockBytesMax(): number {
    return Math.min(BLOCK_BYTES_MAX, this.#options.budgetBytes / BLOCKS_OF_BUDGET_MIN);
  }

  async #daysWithEvents(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<UtcDay[]> {
    const { partitions, journal } = this.#options;
    const days = new Set([...(await partitions.days(siteId)), ...journal.unflushedDays(siteId)]);
    return [...days].filter((day) => firstDay <= day && day <= lastDay).sort();
  }

  async #load(partitionCache: CacheContents, siteId: SiteId, group: readonly MissingDay[], loading: Loading): Promise<CachedBlock> {
    const block = this.#blockWithRoom(partitionCache, siteId, parquetBytesOf(group), loading);
    const files = group.flatMap((day) => day.files);
    let isAsItWas = block.days.length > 0;
    pinBlock(block, loading);
    try {
      // A large day's files are not all in memory at a time.
      for (const step of sizeGroups(files, ({ sizeBytes }) => sizeBytes, LOAD_BYTES_MAX)) {
        const read = await this.#read(step);
        isAsItWas = false;
        await this.#append(partitionCache, block, { files: read });
        if (loading.withProperties) this.#propsShare.check([block], partitionCache.blocks);
      }
    } catch (error) {
      if (!isAsItWas) this.#abandon(partitionCache, block);
      throw error;
    } finally {
      unpin(block, loading);
    }
    block.parquetBytes += parquetBytesOf(group);
    let days = partitionCache.sites.get(siteId);
    if (!days) partitionCache.sites.set(siteId, (days = new Map()));
    for (const { day, files: dayFiles } of group) {
      block.days.push(day);
      const inFiles = this.#options.journal.unflushed(siteId, day).filter(({ segment }) => isInFiles(segment, dayFiles));
      days.set(day, { block, delivered: new Map(inFiles.map(({ segment }) => [segment, Number.POSITIVE_INFINITY])) });
    }
    return block;
  }

  async #read(files: readonly PartitionFile[]): Promise<{ key: string; bytes: Uint8Array }[]> {
    const { partitions, log } = this.#options;
    const found: { key: string; bytes: Uint8Array }[] = [];
    for (const file of files) {
      const bytes = await partitions.read(file);
      if (bytes) found.push({ key: file.key, bytes });
      else log.error("a partition file is gone; its events are missing from the figures", { file: file.key });
    }
    return found;
  }

  /** Every table a query reads costs it a millisecond or two, so days join a block of their site that has room. */
  #blockWithRoom(partitionCache: CacheContents, siteId: SiteId, parquetBytes: number, { onePass, withProperties }: Loading): CachedBlock {
    for (const block of partitionCache.blocks) {
      const isOfItsKind = block.siteId === siteId && block.onePass === onePass && !(withProperties && block.props.bytes === null);
      if (isOfItsKind && block.parquetBytes + parquetBytes <= this.#blockBytesMax()) return block;
    }
    const block: CachedBlock = {
      id: ++this.#blocksMade,
      siteId,
      days: [],
      parquetBytes: 0,
      pins: 0,
      onePass,
      props: { bytes: 0, pins: 0 },
      outdated: false,
    };
    partitionCache.blocks.add(block);
    return block;
  }

  /** Rejects when the engine was restarted meanwhile, which may have left it these rows alone: the block is to be abandoned. */
  async #append(partitionCache: CacheContents, block: CachedBlock, source: BlockSource): Promise<void> {
    const { engine, sessionGapMs } = this.#options;
    const { propsBytesMax } = this.#memory;
    const { unreadable, propsBytes, ...usage } = await engine.append(
      { id: block.id, siteId: block.siteId, sessionGapMs, propsBytesMax },
      source,
    );
    this.#memory.note(usage);
    this.#checkGeneration(partitionCache);
    // Once given up they stay so, also where that happened while the engine took this.
    if (block.props.bytes !== null) block.props.bytes = propsBytes;
    await this.#propsShare.limit(partitionCache.blocks);
    for (const { key, reason } of unreadable) {
      this.#options.log.error("a partition file cannot be read; its events are missing from the figures", { file: key, reason });
    }
  }

  async #deliverUnflushed(partitionCache: CacheContents, block: CachedBlock): Promise<void> {
    for (const day of block.days) {
      const resident = partitionCache.sites.get(block.siteId)?.get(day);
      if (resident) await this.#deliver(partitionCache, resident, block.siteId, day);
    }
  }

  async #deliver(partitionCache: CacheContents, { block, delivered }: CachedDay, siteId: SiteId, day: UtcDay): Promise<void> {
    for (const { segment, events } of this.#options.journal.unflushed(siteId, day)) {
      const before = delivered.get(segment) ?? 0;
      if (events.length <= before) continue;
      const fresh = events.slice(before);
      try {
        await this.#append(partitionCache, block, { events: fresh });
      } catch (error) {
        // Whether it has them now is not known.
        this.#abandon(partitionCache, block);
        throw error;
      }
      block.parquetBytes += fresh.length * PARQUET_BYTES_PER_EVENT;
      delivered.set(segment, before + fresh.length);
    }
  }

  async #makeRoom(partitionCache: CacheContents, parquetBytes: number): Promise<void> {
    const memory = this.#memory;
    if (memory.hasRoomFor(parquetBytes)) return;
    // Of those that were loaded in onePass the last one: the first ones are of more use to whoever comes the same way.
    const onePass = [...partitionCache.blocks].filter((block) => block.onePass).reverse();
    for (const block of [...onePass, ...partitionCache.blocks]) {
      if (memory.hasRoomFor(parquetBytes)) return;
      if (block.pins > 0 || !partitionCache.blocks.has(block)) continue;
      this.#forget(partitionCache, block);
      memory.note(await this.#options.engine.drop([block.id]));
    }
    // Nobody is to be refused for the sake of properties that nobody asks for.
    if (!memory.hasRoomFor(parquetBytes)) await this.#propsShare.limit(partitionCache.blocks, 0);
    // Texts that only partialAggregates hold would never go.
    while (!memory.hasRoomFor(parquetBytes) && !memory.hasRoomBesideTexts && (await this.partialAggregates.dropOldest()));
    memory.checkTexts();
  }

  /** Lets go of a block that may be half loaded. A query that still names it is told so and asks again. */
  #abandon(partitionCache: CacheContents, block: CachedBlock): void {
    this.#forget(partitionCache, block);
    void this.#drop(block);
  }

  async #drop(block: CachedBlock): Promise<void> {
    try {
      this.#memory.note(await this.#options.engine.drop([block.id]));
    } catch {
      // An engine that cannot drop a block is being restarted, which drops them all.
    }
  }

  #forget(partitionCache: CacheContents, block: CachedBlock): void {
    partitionCache.blocks.delete(block);
    const days = partitionCache.sites.get(block.siteId);
    for (const day of block.days) days?.delete(day);
    if (days?.size === 0) partitionCache.sites.delete(block.siteId);
  }

  /**
   * Lets go of a site's days from `firstDay` to `lastDay`, and of others in the same blocks, because their files are about
   * to be removed. The caller has the site's lock. Queries under way end with what they had at their start.
   */
  forgetDays(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): void {
    this.partialAggregates.forgetSite(siteId);
    const partitionCache = this.#partitionCache;
    for (const [day, { block }] of [...(partitionCache.sites.get(siteId) ?? [])]) {
      if (day >= firstDay && day <= lastDay && !block.outdated) void this.#outdate(partitionCache, block);
    }
  }

  /** Nobody gets the block any more. Resolves when it is dropped, if nobody needs it now. */
  async #outdate(partitionCache: CacheContents, block: CachedBlock): Promise<void> {
    block.outdated = true;
    this.#forget(partitionCache, block);
    if (block.pins === 0) await this.#drop(block);
  }

  /**
   * Ends the flush of a site's part of a segment: the files are written, so days that are resident get
   * the rest of the segment's events now, and the journal lets go of them.
   */
  async commitFlush(segment: Segment, siteId: SiteId, files: readonly PartitionFile[]): Promise<void> {
    const { locks, partitions, journal } = this.#options;
    await locks.run(siteId, async () => {
      const partitionCache = this.#partitionCache;
      for (const { day } of files) {
        const resident = partitionCache.sites.get(siteId)?.get(day);
        if (!resident) continue;
        resident.block.pins++;
        try {
          await this.#deliver(partitionCache, resident, siteId, day);
          resident.delivered.delete(segment.number);
        } catch {
          // The engine may be gone, and with it all that is resident; otherwise the days are loaded anew.
        } finally {
          resident.block.pins--;
        }
      }
      await partitions.register(siteId, files);
      journal.release(segment, siteId);
      // Or days that grow would take more and more memory while nobody asks.
      await this.#makeRoom(partitionCache, 0).catch(() => {
        // The next question tries again, and is told what is wrong.
      });
    });
  }
}
