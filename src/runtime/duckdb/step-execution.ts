/** Executes a step of a plan: in a single pass over loaded blocks, or as partial aggregates of one chunk after the other. */
import type { Calendar } from "../../storage/calendar.ts";
import type { EngineQuery } from "./engine.ts";
import type { PartitionCache } from "./cache/partition-cache.ts";
import type { QueryPartials } from "./cache/partial-aggregates.ts";
import { definitionOf, finalizeSql, partialColumns, singlePassSql, type AggregateQuery } from "../query/aggregate-query.ts";
import type { Asker } from "../query/asker.ts";
import { chunkName, type ChunkLoader } from "./chunk-loader.ts";
import type { Chunk } from "./chunks.ts";
import type { PlanStep } from "../query/plan.ts";
import { readableIn, readableInPartials, statement } from "./readable-texts.ts";

export interface StepContext<Result> {
  /** The site's. */
  readonly calendar: Calendar;
  readonly partitionCache: PartitionCache;
  /** Runs a query in the engine. */
  readonly query: (query: EngineQuery) => Promise<Result>;
  readonly asker: Asker;
}

/** The parts of an engine query that are not SQL. */
export const beyondSql = (
  { perVisitor, property, top }: AggregateQuery,
  { propertyTextBytesMax }: Pick<PartitionCache, "propertyTextBytesMax">,
): Pick<EngineQuery, "perVisitor" | "properties"> => ({
  ...(perVisitor && { perVisitor }),
  ...(property !== undefined && {
    properties: { key: property, bytesMax: propertyTextBytesMax, ...(top?.search !== undefined && { search: top.search }) },
  }),
});

/** The result of each query of the step. Runs them in sequence, so that each report uses an equal share of the engine. */
export async function executeSinglePass<Result>(
  { siteRange, queries }: PlanStep,
  blocks: readonly number[],
  context: StepContext<Result>,
): Promise<Result[]> {
  const { siteId, range } = siteRange;
  const results: Result[] = [];
  for (const query of queries) {
    const sql = query.perVisitor ? query.partial(range, context.calendar) : singlePassSql(query, range, context.calendar);
    const engineQuery = { siteId, blocks, ...statement(sql), ...beyondSql(query, context.partitionCache) };
    results.push(await context.query({ ...engineQuery, ...readableIn(sql, siteRange, context.asker) }));
  }
  return results;
}

/** The parts of a search among properties contain only its matches (`beyondSql`). */
const partsKeyOf = (query: AggregateQuery): string =>
  query.property === undefined || query.top?.search === undefined
    ? definitionOf(query)
    : JSON.stringify([definitionOf(query), query.top.search]);

/** A query, its stored partial aggregates, and the numbers of those of this range. */
interface OpenQuery {
  readonly query: AggregateQuery;
  readonly stored: QueryPartials;
  readonly partials: number[];
}

/**
 * The result of each query of the step. All queries share each chunk while it is loaded. Partial aggregates that are still valid are not
 * computed again.
 */
export async function executeInChunks<Result>(
  step: PlanStep,
  chunks: readonly Chunk[],
  loader: ChunkLoader,
  context: StepContext<Result>,
): Promise<Result[]> {
  const { siteId } = step.siteRange;
  const { partialAggregates } = context.partitionCache;
  const open: OpenQuery[] = step.queries.map((query) => ({
    query,
    stored: partialAggregates.open({ siteId, key: partsKeyOf(query), columns: partialColumns(query), isGuest: context.asker.isGuest }),
    partials: [],
  }));
  try {
    for (const chunk of loader.inSharedOrder(chunks)) await aggregateChunk(step, chunk, open, loader, context);
    const results: Result[] = [];
    for (const { query, stored, partials } of open) {
      const total = { siteId, blocks: [], partials: partialAggregates.partsOf(stored, partials), ...statement(finalizeSql(query)) };
      results.push(await context.query({ ...total, ...readableInPartials(query, context.asker) }));
    }
    return results;
  } finally {
    for (const { stored } of open) partialAggregates.release(stored);
  }
}

async function aggregateChunk(
  { siteRange }: PlanStep,
  chunk: Chunk,
  open: readonly OpenQuery[],
  loader: ChunkLoader,
  { calendar, partitionCache, asker }: Omit<StepContext<unknown>, "query">,
): Promise<void> {
  const { siteId } = siteRange;
  const { partialAggregates } = partitionCache;
  const named = { name: chunkName(chunk), version: chunk.version };
  const missing = open.filter(({ stored, partials }) => {
    const partial = partialAggregates.partOf(stored, named);
    if (partial !== undefined) partials.push(partial);
    return partial === undefined;
  });
  if (missing.length === 0) return;
  await loader.load(chunk, async (blocks) => {
    for (const { query, stored, partials } of missing) {
      const sql = query.partial(chunk.range, calendar);
      const asked = readableIn(sql, { ...siteRange, range: chunk.range }, asker);
      const engineQuery = { siteId, blocks, ...statement(sql), ...beyondSql(query, partitionCache), ...asked };
      // Queries that differ in their `top` alone share their parts.
      const partial = partialAggregates.partOf(stored, named) ?? (await partialAggregates.add(stored, named, engineQuery, asker.signal));
      partials.push(partial);
    }
  });
}
