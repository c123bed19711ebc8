/** A share of an engine, for one of several that use it: with block ids of its own. */
import type { Block, BlockSource, Engine, EngineExtension, EngineQuery } from "../../src/runtime/engine/engine.ts";

let blocksMade = 0;

/** Closing a share drops what it loaded and leaves the others' alone. */
export function shareOf(engine: Engine): Engine {
  const ids = new Map<number, number>();
  const idOf = (block: number): number => {
    const known = ids.get(block);
    if (known !== undefined) return known;
    ids.set(block, ++blocksMade);
    return blocksMade;
  };
  const shared = (query: EngineQuery): EngineQuery => ({ ...query, blocks: query.blocks.map(idOf) });
  return {
    generation: 0,
    append: (block: Block, source: BlockSource) => engine.append({ ...block, id: idOf(block.id) }, source),
    drop: (blocks: readonly number[]) => engine.drop(blocks.map(idOf)),
    query: (query: EngineQuery, signal: AbortSignal) => engine.query(shared(query), signal),
    queryNumbers: (query: EngineQuery, signal: AbortSignal) => engine.queryNumbers(shared(query), signal),
    loadExtension: (extension: EngineExtension) => engine.loadExtension(extension),
    async close() {
      await engine.drop([...ids.values()]);
    },
  };
}
