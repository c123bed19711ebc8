/** What is evicted when the engine's memory is short, and how blocks are dropped that no query may use any more. */
import type { CachedBlock, CachedBlocks } from "./cached-blocks.ts";
import { EngineFullError, type Engine } from "./engine.ts";
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

  /** Evicts until so much more Parquet fits, or only pinned blocks are left. Rejects when texts alone fill the memory. */
  async makeRoom(blocks: CachedBlocks, parquetBytes: number): Promise<void> {
    const { engine, memory, propsShare, partialAggregates } = this.#options;
    if (memory.hasRoomFor(parquetBytes)) return;
    for (const block of blocks.evictable()) {
      if (memory.hasRoomFor(parquetBytes)) return;
      blocks.forget(block);
      memory.note(await engine.drop([block.id]));
    }
    // Unused properties must not cause a query to be rejected.
    if (!memory.hasRoomFor(parquetBytes)) await propsShare.limit(blocks.all, 0);
    // Otherwise texts referenced only by partial aggregates would never be released.
    while (!memory.hasRoomFor(parquetBytes) && !memory.hasRoomBesideTexts && (await partialAggregates.dropOldest()));
    memory.checkTexts();
  }

  /** Evicts what exceeds the budget. `withinBudget` rejects with `EngineFullError` when what is needed exceeds it. */
  async keepToBudget(blocks: CachedBlocks, { withinBudget }: { readonly withinBudget: boolean }): Promise<void> {
    await this.makeRoom(blocks, 0);
    if (withinBudget && !this.#options.memory.hasRoomFor(0))
      throw new EngineFullError("the days do not fit into the engine's memory together");
  }

  /** Abandons a block that may be partly loaded. A query that still names it fails and is executed again. */
  abandon(blocks: CachedBlocks, block: CachedBlock): void {
    blocks.forget(block);
    void this.#drop(block);
  }

  /** No query gets the block any more. Resolves when it is dropped, if none needs it now. */
  async outdate(blocks: CachedBlocks, block: CachedBlock): Promise<void> {
    block.outdated = true;
    blocks.forget(block);
    if (block.pins === 0) await this.#drop(block);
  }

  /** Called after a block is unpinned. */
  dropIfOutdated(block: CachedBlock): void {
    if (block.outdated && block.pins === 0) void this.#drop(block);
  }

  async #drop(block: CachedBlock): Promise<void> {
    const { engine, memory } = this.#options;
    try {
      memory.note(await engine.drop([block.id]));
    } catch {
      // An engine that cannot drop a block is being restarted, which drops them all.
    }
  }
}
