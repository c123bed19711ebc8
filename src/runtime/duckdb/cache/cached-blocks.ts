/** The index of cached blocks in one generation of the engine: which block holds which day of a site, and which blocks are pinned. */
import type { SiteId, LocalDate } from "../../../storage/event.ts";
import { GUESTS_CACHE_SHARE_MAX } from "../../base/config/limits.ts";
import type { KeptProps } from "./props-share.ts";

/** Days of one site that the engine loads and drops together. */
export interface CachedBlock {
  readonly id: number;
  readonly siteId: SiteId;
  readonly days: LocalDate[];
  /** Approximate size of its rows as Parquet. */
  parquetBytes: number;
  /** The part of these rows that came since the block's sessions were stored last. */
  bytesWithoutSessions: number;
  /** The number of queries and loads that use it now. */
  pins: number;
  /** It was loaded for a one-pass scan of a long range, and no other query has used it since. */
  onePass: boolean;
  /** It is dropped when it is no longer pinned. */
  temporary: boolean;
  /** Only guests' queries have used it. */
  isOfGuests: boolean;
  readonly props: KeptProps;
  /** Its days were deleted or reloaded. New queries do not see it; it is dropped when it is no longer pinned. */
  outdated: boolean;
}

export interface CachedDay {
  readonly block: CachedBlock;
  /** Number of events that the block already contains, by journal segment. */
  readonly delivered: Map<number, number>;
  /** All its files were read. The events of a file that is missing or unreadable are not in the block. */
  readonly isComplete: boolean;
}

interface Need {
  /** The events' custom properties are needed. */
  readonly withProperties?: boolean;
}

/** The use of a block that days are loaded into. */
interface Use extends Need {
  readonly onePass: boolean;
  readonly isGuest?: boolean;
  readonly temporary?: boolean;
  readonly blockBytesMax: number;
}

/** Protects a block, and its properties if they are needed, from eviction. Each `pin` needs an `unpin`. */
export function pin(block: CachedBlock, { withProperties }: Need): void {
  block.pins++;
  if (withProperties) block.props.pins++;
}

export function unpin(block: CachedBlock, { withProperties }: Need): void {
  block.pins--;
  if (withProperties) block.props.pins--;
}

/** Records that a block got rows. */
export function grow(block: CachedBlock, parquetBytes: number): void {
  block.parquetBytes += parquetBytes;
  block.bytesWithoutSessions += parquetBytes;
}

export class CachedBlocks {
  /** The engine's generation that holds these blocks. */
  readonly generation: number;
  readonly #nextId: () => number;
  readonly #sites = new Map<SiteId, Map<LocalDate, CachedDay>>();
  /** Least recently used first. */
  readonly #blocks = new Set<CachedBlock>();

  constructor(generation: number, nextId: () => number) {
    this.generation = generation;
    this.#nextId = nextId;
  }

  get all(): ReadonlySet<CachedBlock> {
    return this.#blocks;
  }

  get dayCount(): number {
    let count = 0;
    for (const days of this.#sites.values()) count += days.size;
    return count;
  }

  get parquetBytes(): number {
    let bytes = 0;
    for (const block of this.#blocks) bytes += block.parquetBytes;
    return bytes;
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
   * A block of the site with room for this much more Parquet, or a new one. Fewer blocks are faster: each table costs a query one or two
   * milliseconds.
   */
  withRoom(siteId: SiteId, parquetBytes: number, use: Use): CachedBlock {
    const { onePass, temporary = false, isGuest = false, withProperties, blockBytesMax } = use;
    for (const block of this.#blocks) {
      const isSameUse = block.onePass === onePass && block.temporary === temporary && block.isOfGuests === isGuest;
      const isSuitable = block.siteId === siteId && isSameUse && !(withProperties && block.props.bytes === null);
      if (isSuitable && block.parquetBytes + parquetBytes <= blockBytesMax) return block;
    }
    const block: CachedBlock = {
      id: this.#nextId(),
      siteId,
      days: [],
      parquetBytes: 0,
      bytesWithoutSessions: 0,
      pins: 0,
      onePass,
      temporary,
      isOfGuests: isGuest,
      props: { bytes: 0, pins: 0 },
      outdated: false,
    };
    this.#blocks.add(block);
    return block;
  }

  /** Records that a block holds a day. */
  addDay(block: CachedBlock, day: LocalDate, { delivered, isComplete }: Omit<CachedDay, "block">): void {
    block.days.push(day);
    let days = this.#sites.get(block.siteId);
    if (!days) this.#sites.set(block.siteId, (days = new Map()));
    days.set(day, { block, delivered, isComplete });
  }

  /**
   * Makes the block the most recently used one, and no longer a one-pass or temporary block. Guests' queries do not keep blocks of others
   * for longer.
   */
  touch(block: CachedBlock, isGuest = false): void {
    if (isGuest && !block.isOfGuests) return;
    block.onePass = false;
    block.temporary = false;
    block.isOfGuests = isGuest;
    this.#blocks.delete(block);
    this.#blocks.add(block);
  }

  /** Removes the block and its days from the index. */
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
    let ofGuests = 0;
    for (const block of this.#blocks) if (block.isOfGuests) ofGuests += block.parquetBytes;
    return ofGuests >= this.parquetBytes * GUESTS_CACHE_SHARE_MAX;
  }
}
