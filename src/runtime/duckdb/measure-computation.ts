/** Computes the measures of a rollup from the events of a range, which are in the engine's memory only as long as it takes. */
import type { Columns } from "../../storage/columns.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { propertyMeasure } from "../../storage/rollup.ts";
import { ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX } from "../base/config/report-limits.ts";
import { EngineFullError, type Engine } from "./engine.ts";
import type { PartitionCache } from "./cache/partition-cache.ts";
import type { SiteRange } from "../query/scope.ts";
import type { ComputedMeasures } from "./rollups/rollup-calculator.ts";
import { allRows, singlePassSql, type AggregateQuery } from "../query/aggregate-query.ts";
import type { RolledMeasures } from "./rollups/rolled-measures.ts";
import { statement } from "./readable-texts.ts";
import { beyondSql } from "./step-execution.ts";

export interface MeasureContext {
  /** The site's. */
  readonly calendar: Calendar;
  readonly engine: Pick<Engine, "queryColumns">;
  readonly partitionCache: PartitionCache;
  readonly signal: AbortSignal;
}

/** The measure with the keys of custom properties: rows `value`. */
export const KEYS_MEASURE = "properties";

/**
 * All rows of all measures over every event of the range. Of a measure with more rows than a rollup may have only one more than that:
 * it is left out anyway, and rows pass the thread that takes events. Without custom properties if these do not fit into the engine's
 * memory. Rejects with `IncompleteDaysError` if a file cannot be read, with `EngineFullError` if the events do not fit, and with
 * `EngineLostError` if the engine failed.
 */
export async function computeMeasures(siteRange: SiteRange, rolled: RolledMeasures, context: MeasureContext): Promise<ComputedMeasures> {
  try {
    return await compute(siteRange, rolled, true, context);
  } catch (error) {
    if (error instanceof EngineFullError) return compute(siteRange, rolled, false, context);
    throw error;
  }
}

function compute(
  siteRange: SiteRange,
  rolled: RolledMeasures,
  withProperties: boolean,
  context: MeasureContext,
): Promise<ComputedMeasures> {
  const { siteId, range } = siteRange;
  const { partitionCache, signal } = context;
  const loading = { signal, withinBudget: true, onePass: true, temporary: true, complete: true, withProperties, withSessions: true };
  return partitionCache.withDays(siteId, range, loading, (blocks) =>
    measuresOf(rolled, withProperties, rowsIn({ ...siteRange, blocks }, context)),
  );
}

/** The parts needed to compute from loaded events. */
export interface LoadedContext extends Omit<MeasureContext, "partitionCache"> {
  readonly partitionCache: Pick<PartitionCache, "propertyTextBytesMax">;
}

/** A range of a site whose events are loaded into these blocks. */
export interface LoadedRange extends SiteRange {
  readonly blocks: readonly number[];
}

/** Reads all rows of a query, or one more than a rollup may have. */
export type ReadRows = (query: AggregateQuery) => Promise<Columns>;

/** Reads rows over the events of a range. */
export const rowsIn =
  ({ siteId, range, blocks }: LoadedRange, { calendar, engine, partitionCache, signal }: LoadedContext): ReadRows =>
  (query) => {
    const sql = statement(singlePassSql(allRows(query, ROLLUP_MEASURE_ROWS_MAX + 1), range, calendar));
    return engine.queryColumns({ siteId, blocks, ...sql, ...beyondSql(query, partitionCache) }, signal);
  };

/** The rows of all measures over the events that `readRows` reads. */
export async function measuresOf(rolled: RolledMeasures, withProperties: boolean, readRows: ReadRows): Promise<ComputedMeasures> {
  const measures = new Map<string, Columns>();
  for (const { name, query } of rolled.measures) {
    if (withProperties || query.property === undefined) measures.set(name, await readRows(query));
  }
  const { keys, areAll } = propertyKeysIn(measures.get(KEYS_MEASURE));
  for (const key of keys) measures.set(propertyMeasure(key), await readRows(rolled.ofProperty(key)));
  return { measures, hasAllProperties: areAll };
}

/** The keys whose values get a measure, and whether there are no others. */
function propertyKeysIn(measure: Columns | undefined): { readonly keys: readonly string[]; readonly areAll: boolean } {
  const found = measure?.["value"];
  if (!Array.isArray(found)) return { keys: [], areAll: false };
  const keys = found as readonly string[];
  return { keys: keys.slice(0, ROLLUP_PROPERTIES_MAX), areAll: keys.length <= ROLLUP_PROPERTIES_MAX };
}
