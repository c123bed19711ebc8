/** Which days of which sites are in which block of the engine's tables, in one life of the engine, and who needs the blocks. */
import type { SiteId, UtcDay } from "../../storage/event.ts";
import type { KeptProps } from "./props-share.ts";

/** Days of a site that the engine holds as one. */
export interface CachedBlock {
  readonly id: number;
  readonly siteId: SiteId;
  readonly days: UtcDay[];
  /** What its rows take as Parquet, roughly. */
  parquetBytes: number;
  /** Queries and loads that need it now. */
  pins: number;
  /** It was loaded for one pass over a long range, and no other query has used it. */
  onePass: boolean;
  readonly props: KeptProps;
  /** Its days were deleted or are loaded anew: no query gets it any more, and it is dropped when none needs it. */
  outdated: boolean;
}

export interface CachedDay {
  readonly block: CachedBlock;
  /** How many of each journal segment's events the block already has. */
  readonly delivered: Map<number, number>;
}

/** Whether the properties of events are needed, too. */
interface Need {
  readonly withProperties?: boolean;
}

/** Needs a block, and its properties where they are wanted, until it is unpinned as often. */
export function pin(block: CachedBlock, { withProperties }: Need): void {
  block.pins++;
  if (withProperties) block.props.pins++;
}

export function unpin(block: CachedBlock, { withProperties }: Need): void {
  block.pins--;
  if (withProperties) block.props.pins--;
}

export class CachedBlocks {
  /** Of the engine that holds them. */
  readonly generation: number;
  readonly #nextId: () => number;
  readonly #sites = new Map<SiteId, Map<UtcDay, CachedDay>>();
  /** In order of last use. */
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

  day(siteId: SiteId, day: UtcDay): CachedDay | undefined {
    return this.#sites.get(siteId)?.get(day);
  }

  /** The blocks that hold days of the site from `firstDay` to `lastDay`. */
  between(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Set<CachedBlock> {
    const days = [...(this.#sites.get(siteId) ?? [])].filter(([day]) => firstDay <= day && day <= lastDay);
    return new Set(days.map(([, { block }]) => block));
  }

  /** A block of the site that has room for so much, or a new one: every table that a query reads costs it a millisecond or two. */
  withRoom(siteId: SiteId, parquetBytes: number, need: Need & { readonly onePass: boolean; readonly blockBytesMax: number }): CachedBlock {
    for (const block of this.#blocks) {
      const isOfItsKind = block.siteId === siteId && block.onePass === need.onePass && !(need.withProperties && block.props.bytes === null);
      if (isOfItsKind && block.parquetBytes + parquetBytes <= need.blockBytesMax) return block;
    }
    const block: CachedBlock = {
      id: this.#nextId(),
      siteId,
      days: [],
      parquetBytes: 0,
      pins: 0,
      onePass: need.onePass,
      props: { bytes: 0, pins: 0 },
      outdated: false,
    };
    this.#blocks.add(block);
    return block;
  }

  /** Notes that a block holds a day. */
  addDay(block: CachedBlock, day: UtcDay, delivered: Map<number, number>): void {
    block.days.push(day);
    let days = this.#sites.get(block.siteId);
    if (!days) this.#sites.set(block.siteId, (days = new Map()));
    days.set(day, { block, delivered });
  }

  /** The block was used for more than one pass. */
  touch(block: CachedBlock): void {
    block.onePass = false;
    this.#blocks.delete(block);
    this.#blocks.add(block);
  }

  /** No day is found in the block any more. */
  forget(block: CachedBlock): void {
    this.#blocks.delete(block);
    const days = this.#sites.get(block.siteId);
    for (const day of block.days) days?.delete(day);
    if (days?.size === 0) this.#sites.delete(block.siteId);
  }

  /** Blocks that are not pinned, in the order of eviction. */
  *evictable(): Iterable<CachedBlock> {
    // Those loaded for one pass first, the latest before the earlier ones: another pass over the same range begins with these.
    const onePass = [...this.#blocks].filter((block) => block.onePass).reverse();
    for (const block of [...onePass, ...this.#blocks]) if (block.pins === 0 && this.#blocks.has(block)) yield block;
  }
}
