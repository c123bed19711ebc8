/** The index of cached blocks: which block holds which day of a site, and which blocks are pinned. */
import type { EventValue } from "../../query/sql.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { type Partition, type PartitionFile, sizeGroups } from "../../../storage/partitions.ts";
import { GUESTS_CACHE_SHARE_MAX, JOINED_BYTES_MAX } from "../../base/config/limits.ts";
import { type Engine, EngineFullError } from "../engine.ts";
import type { EngineMemory } from "./engine-memory.ts";

/** Days of one site that the engine loads and drops together. */
export interface CachedBlock {
  readonly id: number;
  readonly siteId: SiteId;
  readonly days: LocalDate[];
  /** It holds one day, which may get more events, with all columns. */
  readonly grows: boolean;
  /** The further columns that it has, if it does not grow. */
  readonly columns: Set<EventValue>;
  /** Approximate size of its rows as Parquet. */
  parquetBytes: number;
  /** The number of queries and loads that use it now. */
  pins: number;
  /** It was loaded for a one-pass scan of a long range, and no other query has used it since. */
  onePass: boolean;
  isOfGuests: boolean;
  readonly props: KeptProps;
  /** Its days were deleted or reloaded. New queries do not see it; it is dropped when it is no longer pinned. */
  outdated: boolean;
}

export interface CachedDay {
  readonly block: CachedBlock;
  /** Number of events that the block already contains, by journal segment. */
  readonly delivered: Map<number, number>;
}

interface Need {
  /** The further columns that a query reads. */
  readonly columns: ReadonlySet<EventValue>;
}

interface Use extends Need {
  readonly onePass: boolean;
  readonly isGuest?: boolean;
}

/** Protects a block, and its properties if they are needed, from eviction. Each `pin` needs an `unpin`. */
export function pin(block: CachedBlock, { columns }: Need): void {
  block.pins++;
  if (columns.has("props")) block.props.pins++;
}

export function unpin(block: CachedBlock, { columns }: Need): void {
  block.pins--;
  if (columns.has("props")) block.props.pins--;
}

/** The columns that the block does not have. */
export const lackingIn = ({ grows, columns: present }: CachedBlock, { columns }: Need): EventValue[] =>
  grows ? [] : [...columns].filter((column) => !present.has(column));

export class CachedBlocks {
  readonly #nextId: () => number;
  readonly #sites = new Map<SiteId, Map<LocalDate, CachedDay>>();
  /** Least recently used first. */
  readonly #blocks = new Set<CachedBlock>();

  constructor(nextId: () => number) {
    this.#nextId = nextId;
  }

  get all(): ReadonlySet<CachedBlock> {
    return this.#blocks;
  }

  get dayCount(): number {
    return [...this.#sites.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get parquetBytes(): number {
    return [...this.#blocks].reduce((sum, { parquetBytes }) => sum + parquetBytes, 0);
  }

  day(siteId: SiteId, day: LocalDate): CachedDay | undefined {
    return this.#sites.get(siteId)?.get(day);
  }

  /** The blocks that hold days of the site from `firstDay` to `lastDay`, both included. */
  between(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate): Set<CachedBlock> {
    const days = [...(this.#sites.get(siteId) ?? [])].filter(([day]) => firstDay <= day && day <= lastDay);
    return new Set(days.map(([, { block }]) => block));
  }

  /**
   * A small block of the site with these columns, to which this much Parquet is added, or a new one. Each table costs a query one or two
   * milliseconds; but a query reads whole blocks, also of a few of their days.
   */
  withRoom(siteId: SiteId, parquetBytes: number, use: Use): CachedBlock {
    const { onePass, isGuest = false } = use;
    for (const block of this.#blocks) {
      const isSameUse = block.onePass === onePass && block.isOfGuests === isGuest;
      const isSuitable = block.siteId === siteId && !block.grows && isSameUse && lackingIn(block, use).length === 0;
      if (isSuitable && block.parquetBytes + parquetBytes <= JOINED_BYTES_MAX) return block;
    }
    return this.create(siteId, use, false);
  }

  create(siteId: SiteId, { columns, onePass, isGuest = false }: Use, grows: boolean): CachedBlock {
    const block: CachedBlock = {
      id: this.#nextId(),
      siteId,
      days: [],
      grows,
      columns: new Set(grows ? [] : columns),
      parquetBytes: 0,
      pins: 0,
      onePass,
      isOfGuests: isGuest,
      props: { bytes: grows || columns.has("props") ? 0 : null, pins: 0 },
      outdated: false,
    };
    this.#blocks.add(block);
    return block;
  }

  addDay(block: CachedBlock, day: LocalDate, { delivered }: Omit<CachedDay, "block">): void {
    block.days.push(day);
    let days = this.#sites.get(block.siteId);
    if (!days) this.#sites.set(block.siteId, (days = new Map()));
    days.set(day, { block, delivered });
  }

  /**
   * Makes the block the most recently used one, and no longer a one-pass block. Guests' queries do not keep blocks of others
   * for longer.
   */
  touch(block: CachedBlock, isGuest = false): void {
    if (isGuest && !block.isOfGuests) return;
    block.onePass = false;
    block.isOfGuests = isGuest;
    this.#blocks.delete(block);
    this.#blocks.add(block);
  }

  forget(block: CachedBlock): void {
    this.#blocks.delete(block);
    const days = this.#sites.get(block.siteId);
    for (const day of block.days) days?.delete(day);
    if (days?.size === 0) this.#sites.delete(block.siteId);
  }

  /** Blocks that are not pinned, in the order of eviction. Each must be forgotten before the next. */
  *evictable(): Iterable<CachedBlock> {
    for (let next = this.#nextToEvict(); next; next = this.#nextToEvict()) yield next;
  }

  #nextToEvict(): CachedBlock | undefined {
    const free = [...this.#blocks].filter(({ pins }) => pins === 0);
    // One-pass blocks first, the latest first: another scan of the same range starts with the earliest blocks.
    const onePass = free.findLast((block) => block.onePass);
    const ofGuests = this.#haveGuestsTheirShare() ? free.find(({ isOfGuests }) => isOfGuests) : undefined;
    return onePass ?? ofGuests ?? free[0];
  }

  #haveGuestsTheirShare(): boolean {
    const ofGuests = [...this.#blocks].reduce((sum, { isOfGuests, parquetBytes }) => sum + (isOfGuests ? parquetBytes : 0), 0);
    return ofGuests >= this.parquetBytes * GUESTS_CACHE_SHARE_MAX;
  }
}

/** The part of a partition that determines how it is grouped. */
type LoadedDay = Pick<Partition, "day" | "files">;

const bytesOfFiles = (files: readonly PartitionFile[]): number => files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

export const parquetBytesOf = (days: readonly LoadedDay[]): number => bytesOfFiles(days.flatMap(({ files }) => files));

/** Groups consecutive days up to a size: small sites get few tables, large sites load in small steps. */
export const groupIntoBlocks = <Day extends LoadedDay>(missing: readonly Day[], blockBytesMax: number): Day[][] =>
  sizeGroups(missing, ({ files }) => bytesOfFiles(files), blockBytesMax);

/** Options of loading days into the engine: what may be evicted for them, and when they are refused. */
export interface Loading {
  /** Once aborted, nothing more is loaded; loaded days stay cached. */
  readonly signal: AbortSignal;
  /** Data loaded for a guest's query is evicted before other data beyond a share of the cache. */
  readonly isGuest?: boolean;
  /** Reject with `EngineFullError` if the days do not fit into the budget. */
  readonly withinBudget: boolean;
  /** A one-pass scan: blocks loaded for it are evicted first, so a scan of more than fits does not evict other blocks. */
  readonly onePass: boolean;
  /** The further columns to load. Custom properties reject with `EngineFullError` if they do not fit. */
  readonly columns: ReadonlySet<EventValue>;
}

/** The state of a block's properties. */
interface KeptProps {
  /** Their size; null if they are not loaded, or were dropped. */
  bytes: number | null;
  /** The number of queries and loads that use them now. */
  pins: number;
}

type BlockWithProps = Pick<CachedBlock, "id" | "props" | "columns">;

/** Limits the memory of custom properties: blocks keep theirs up to a share of the budget, and the largest are dropped first. */
export class PropsShare {
  readonly #engine: Engine;
  readonly #memory: EngineMemory;

  constructor(engine: Engine, memory: EngineMemory) {
    this.#engine = engine;
    this.#memory = memory;
  }

  #excess(blocks: Iterable<BlockWithProps>, bytesMax = this.#memory.propsBytesMax): number {
    return [...blocks].reduce((sum, { props }) => sum + (props.bytes ?? 0), -bytesMax);
  }

  /** Drops unpinned properties beyond the limit, the largest first, so that as many blocks as possible keep theirs. */
  async limit(blocks: ReadonlySet<BlockWithProps>, bytesMax?: number): Promise<void> {
    let excess = this.#excess(blocks, bytesMax);
    if (excess <= 0) return;
    // Skip blocks without properties: the engine may not know them yet, and would then ignore the call but keep what is loaded later.
    const unpinned = [...blocks]
      .filter(({ props }) => props.pins === 0 && (props.bytes ?? 0) > 0)
      .sort((a, b) => (b.props.bytes ?? 0) - (a.props.bytes ?? 0));
    const dropped: number[] = [];
    for (const { id, props, columns } of unpinned) {
      if (excess <= 0) break;
      excess -= props.bytes ?? 0;
      props.bytes = null;
      columns.delete("props");
      dropped.push(id);
    }
    this.#memory.note(await this.#engine.dropProps(dropped));
  }

  /** Throws `EngineFullError` unless all `wanted` blocks have kept their properties and all blocks together are within the limit. */
  check(wanted: Iterable<BlockWithProps>, blocks: Iterable<BlockWithProps>): void {
    const isKept = [...wanted].every(({ props }) => props.bytes !== null);
    if (!isKept || this.#excess(blocks) > 0)
      throw new EngineFullError("the properties of the range do not fit into their share of the engine's memory");
  }
}

interface CacheEvictionOptions {
  readonly engine: Engine;
  readonly memory: EngineMemory;
  readonly propsShare: PropsShare;
}

/** Evicts cached blocks when the engine's memory is short, and drops outdated blocks. */
export class CacheEviction {
  readonly #options: CacheEvictionOptions;

  constructor(options: CacheEvictionOptions) {
    this.#options = options;
  }

  /** Evicts blocks until this much more Parquet fits; false if it does not although only pinned blocks are left. */
  async evictFor(blocks: CachedBlocks, parquetBytes: number): Promise<boolean> {
    const { engine, memory } = this.#options;
    if (memory.hasRoomFor(parquetBytes)) return true;
    for (const block of blocks.evictable()) {
      if (memory.hasRoomFor(parquetBytes)) return true;
      blocks.forget(block);
      memory.note(await engine.drop([block.id]));
    }
    return memory.hasRoomFor(parquetBytes);
  }

  /** Evicts like `evictFor`, then drops whatever else may be dropped. Rejects with `EngineFullError` if texts alone exceed the budget. */
  async makeRoom(blocks: CachedBlocks, parquetBytes: number): Promise<void> {
    const { memory, propsShare } = this.#options;
    if (await this.evictFor(blocks, parquetBytes)) return;
    // Drop unused properties before rejecting a query.
    await propsShare.limit(blocks.all, 0);
    memory.checkTexts();
  }

  /** Evicts blocks beyond the budget. With `withinBudget`, rejects with `EngineFullError` if the pinned blocks alone exceed it. */
  async keepToBudget(blocks: CachedBlocks, { withinBudget }: { readonly withinBudget: boolean }): Promise<void> {
    await this.makeRoom(blocks, 0);
    if (withinBudget && !this.#options.memory.hasRoomFor(0))
      throw new EngineFullError("the days do not fit into the engine's memory together");
  }

  /** Drops a block that may be only partly loaded. Queries that use it fail and are retried. */
  abandon(blocks: CachedBlocks, block: CachedBlock): void {
    blocks.forget(block);
    void this.#drop(block);
  }

  /**
   * Hides the block from new queries, and drops it now or, if it is pinned, when it is unpinned. Resolves once a drop that starts now is
   * done.
   */
  async outdate(blocks: CachedBlocks, block: CachedBlock): Promise<void> {
    block.outdated = true;
    blocks.forget(block);
    if (block.pins === 0) await this.#drop(block);
  }

  /** Unpins blocks, and drops those that are outdated when nothing else uses them. */
  unpinAll(pinned: Iterable<CachedBlock>, need: Need): void {
    for (const block of pinned) {
      unpin(block, need);
      if (block.pins === 0 && block.outdated) void this.#drop(block);
    }
  }

  async #drop(block: CachedBlock): Promise<void> {
    const { engine, memory } = this.#options;
    try {
      memory.note(await engine.drop([block.id]));
    } catch {
      // An engine that cannot drop a block is restarting, which drops all blocks.
    }
  }
}
