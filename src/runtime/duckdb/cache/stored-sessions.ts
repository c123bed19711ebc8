/** Has the engine store the sessions of cached blocks, while there is room: session reports then share them (see `Engine.storeSessions`). */
import type { CacheEviction } from "./cache-eviction.ts";
import type { CachedBlock, CachedBlocks } from "./cached-blocks.ts";
import { EngineFullError, type Engine } from "../engine.ts";
import type { EngineMemory } from "./engine-memory.ts";

/** Estimated size of stored sessions relative to the Parquet files of their events. Measured: 0.3 with three events per session. */
const SESSIONS_SHARE_OF_PARQUET = 1 / 2;

export class StoredSessions {
  readonly #engine: Engine;
  readonly #memory: EngineMemory;
  readonly #eviction: CacheEviction;

  constructor(engine: Engine, memory: EngineMemory, eviction: CacheEviction) {
    this.#engine = engine;
    this.#memory = memory;
    this.#eviction = eviction;
  }

  /**
   * Stores those of rows that were added since the last time. Other blocks are evicted for them; without enough memory, queries group the
   * events.
   */
  async store(blocks: CachedBlocks, wanted: Iterable<CachedBlock>, signal: AbortSignal): Promise<void> {
    const missing = [...wanted].filter(({ bytesWithoutSessions }) => bytesWithoutSessions > 0);
    const bytes = missing.reduce((sum, block) => sum + block.bytesWithoutSessions, 0) * SESSIONS_SHARE_OF_PARQUET;
    if (missing.length === 0 || !(await this.#eviction.evictFor(blocks, bytes))) return;
    try {
      const ids = missing.map(({ id }) => id);
      this.#memory.note(await this.#engine.storeSessions(ids, signal));
      for (const block of missing) block.bytesWithoutSessions = 0;
    } catch (error) {
      if (!(error instanceof EngineFullError)) throw error;
    }
  }
}
