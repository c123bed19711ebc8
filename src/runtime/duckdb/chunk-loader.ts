/** Loads the chunks of a range one at a time, in an order that lets concurrent queries over the same range share them. */
import type { PartitionCache } from "./cache/partition-cache.ts";
import type { SiteId } from "../../storage/event.ts";
import type { Asker } from "../query/asker.ts";
import type { Chunk } from "./chunks.ts";
import type { MemoryAdmission, NamedChunk } from "./memory-admission.ts";

export interface ChunkLoaderOptions {
  readonly partitionCache: PartitionCache;
  readonly admission: MemoryAdmission;
  readonly siteId: SiteId;
  /** The custom properties of events are read. */
  readonly withProperties: boolean;
  readonly withSessions: boolean;
  readonly asker: Asker;
}

/** Unique among the chunks of a site. */
export const chunkName = ({ range }: Chunk): string => `${range.firstDay} ${range.lastDay}`;

export class ChunkLoader {
  readonly #options: ChunkLoaderOptions;

  constructor(options: ChunkLoaderOptions) {
    this.#options = options;
  }

  /** Runs the task with the chunk's blocks, which stay loaded until it ends. */
  load<T>(chunk: Chunk, task: (blocks: readonly number[]) => Promise<T>): Promise<T> {
    const { partitionCache, admission, siteId, withProperties, withSessions, asker } = this.#options;
    const { signal, isGuest } = asker;
    const loading = { signal, isGuest: isGuest, withinBudget: false, onePass: true, withProperties, withSessions };
    return admission.run(this.#named(chunk), asker, () => partitionCache.withDays(siteId, chunk.range, loading, task));
  }

  /** Equal for all queries of the site. A chunk has the same size for all, unless events have arrived. */
  #named(chunk: Chunk): NamedChunk {
    return { name: JSON.stringify([this.#options.siteId, chunkName(chunk), chunk.bytes]), bytes: chunk.bytes };
  }

  /** Cached chunks first, then those that another query is loading, then the one after the last. */
  *inSharedOrder(chunks: readonly Chunk[]): Iterable<Chunk> {
    const { partitionCache, admission, siteId } = this.#options;
    const left = new Set(chunks);
    let lastDay = "";
    while (left.size > 0) {
      const waiting = [...left];
      const next =
        waiting.find(({ days }) => partitionCache.areCached(siteId, days)) ??
        waiting.find((chunk) => admission.isWorkedOn(this.#named(chunk).name)) ??
        waiting.find(({ range }) => range.firstDay > lastDay) ??
        waiting[0];
      if (!next) return;
      left.delete(next);
      lastDay = next.range.firstDay;
      yield next;
    }
  }
}
