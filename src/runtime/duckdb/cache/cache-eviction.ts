/** Evicts cached blocks when the engine's memory is short, and drops outdated blocks. */
import { unpin, type CachedBlock, type CachedBlocks } from "./cached-blocks.ts";
import { EngineFullError, type Engine } from "../engine.ts";
import type { EngineMemory } from "./engine-memory.ts";
import type { PartialAggregates } from "./partial-aggregates.ts";
import type { PropsShare } from "./props-share.ts";

export interface CacheEvictionOptions {
  readonly engine: Engine;
  readonly memory: EngineMemory;
  readonly propsShare: PropsShare;
  readonly partialAggregates: PartialAggregates;
}

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
    const { memory, propsShare, partialAggregates } = this.#options;
    if (await this.evictFor(blocks, parquetBytes)) return;
    // Drop unused properties before rejecting a query.
    await propsShare.limit(blocks.all, 0);
    // The engine keeps a site's texts while the site has partial aggregates.
    while (!memory.hasRoomFor(parquetBytes) && !memory.hasRoomBesideTexts && (await partialAggregates.dropOldest()));
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

  /** Unpins blocks, and drops those that are outdated or temporary when nothing else uses them. */
  unpinAll(blocks: CachedBlocks, pinned: Iterable<CachedBlock>, need: { readonly withProperties?: boolean }): void {
    for (const block of pinned) {
      unpin(block, need);
      if (block.pins > 0) continue;
      if (block.outdated) void this.#drop(block);
      else if (block.temporary && blocks.all.has(block)) void this.outdate(blocks, block);
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
