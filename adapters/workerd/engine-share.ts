/** A part of a shared engine with its own block ids, for one of several users. */
import type { Block, BlockSource, Engine, EngineQuery, PartialTable } from "../../src/runtime/duckdb/engine.ts";
import type { SiteId } from "../../src/storage/event.ts";

let idsMade = 0;

/** Maps the ids of a share to ids that are unique in the engine. */
function ownIds(): { idOf(id: number): number; all(): number[] } {
  const ids = new Map<number, number>();
  return {
    idOf(id) {
      const known = ids.get(id);
      if (known !== undefined) return known;
      ids.set(id, ++idsMade);
      return idsMade;
    },
    all: () => [...ids.values()],
  };
}

/** Runs a call of the engine, with a signal that also aborts when the share is lost. */
type Around = <T>(call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Closing a share drops only what it loaded. `around` runs every other call. */
export function shareOf(engine: Engine, around: Around = (call, signal = new AbortController().signal) => call(signal)): Engine {
  const [blocks, partialAggregates] = [ownIds(), ownIds()];
  const shared = (query: EngineQuery): EngineQuery => ({
    ...query,
    blocks: query.blocks.map(blocks.idOf),
    ...(query.partials && { partials: { ...query.partials, id: partialAggregates.idOf(query.partials.id) } }),
  });
  return {
    generation: 0,
    append: (block: Block, source: BlockSource) => around(() => engine.append({ ...block, id: blocks.idOf(block.id) }, source)),
    storeSessions: (ids: readonly number[], signal: AbortSignal) =>
      around((signalOfCall) => engine.storeSessions(ids.map(blocks.idOf), signalOfCall), signal),
    dropProps: (ids: readonly number[]) => around(() => engine.dropProps(ids.map(blocks.idOf))),
    propsTexts: (siteId: SiteId, numbers: readonly number[]) => around(() => engine.propsTexts(siteId, numbers)),
    drop: (ids: readonly number[]) => around(() => engine.drop(ids.map(blocks.idOf))),
    query: (query: EngineQuery, signal: AbortSignal) => around((signalOfCall) => engine.query(shared(query), signalOfCall), signal),
    queryColumns: (query: EngineQuery, signal: AbortSignal) =>
      around((signalOfCall) => engine.queryColumns(shared(query), signalOfCall), signal),
    storePartial: (table: PartialTable, part: number, query: EngineQuery, signal: AbortSignal) =>
      around(
        (signalOfCall) => engine.storePartial({ ...table, id: partialAggregates.idOf(table.id) }, part, shared(query), signalOfCall),
        signal,
      ),
    dropPartials: (id: number, parts: readonly number[] | "all") => around(() => engine.dropPartials(partialAggregates.idOf(id), parts)),
    behavioralFailure: () => around(() => engine.behavioralFailure()),
    async close() {
      for (const id of partialAggregates.all()) await engine.dropPartials(id, "all");
      await engine.drop(blocks.all());
    },
  };
}
