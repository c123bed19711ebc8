/** Makes a rollup from other rollups and from events, a chunk at a time. Remembers days that cannot be in one. */
import type { Calendar } from "../../../storage/calendar.ts";
import type { Columns } from "../../../storage/columns.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { propertyMeasure } from "../../../storage/rollup.ts";
import type { Config } from "../../base/config/config.ts";
import { ROLLUP_DAYS_SKIPPED_MAX, ROLLUP_MEASURE_ROWS_MAX, ROLLUP_PROPERTIES_MAX } from "../../base/config/report-limits.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import { unlessAborted } from "../../base/queue.ts";
import { type AggregateQuery, allRows, singlePassSql } from "../../query/plan.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { SiteRange } from "../../query/scope.ts";
import type { QueryLimiter } from "../../results/query-limiter.ts";
import type { CalendarOf } from "../../sites/sites.ts";
import type { Behavioral } from "../behavioral.ts";
import { IncompleteDaysError } from "../cache/cached-blocks.ts";
import type { PartitionCache } from "../cache/partition-cache.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import { bytesOf, chunkBytesMax, cutIntoChunks } from "../chunks.ts";
import { type Engine, EngineFullError, type EngineQuery } from "../engine.ts";
import { beyondSql, statement } from "../executor.ts";
import type { RolledMeasures } from "./rollup-execution.ts";
import type { ComputedMeasures, RollupCalculator } from "./rollup-calculator.ts";
import type { RollupStore, RollupToMake } from "./rollup-store.ts";

interface MeasureContext {
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
  const { partitionCache, signal } = context;
  const compute = (withProperties: boolean): Promise<ComputedMeasures> => {
    const loading = { signal, withinBudget: true, onePass: true, temporary: true, complete: true, withProperties, withSessions: true };
    return partitionCache.withDays(siteRange.siteId, siteRange.range, loading, (blocks) =>
      measuresOf(rolled, withProperties, rowsIn({ ...siteRange, blocks }, context)),
    );
  };
  try {
    return await compute(true);
  } catch (error) {
    if (error instanceof EngineFullError) return compute(false);
    throw error;
  }
}

interface LoadedContext extends Omit<MeasureContext, "partitionCache"> {
  readonly partitionCache: Pick<PartitionCache, "propertyTextBytesMax">;
}

/** Reads all rows of a query, or one more than a rollup may have. */
type ReadRows = (query: AggregateQuery) => Promise<Columns>;

/** Reads rows over the events of a range, which are loaded into these blocks. */
export const rowsIn =
  (
    { siteId, range, blocks }: SiteRange & Pick<EngineQuery, "blocks">,
    { calendar, engine, partitionCache, signal }: LoadedContext,
  ): ReadRows =>
  (query) => {
    const sql = statement(singlePassSql(allRows(query, ROLLUP_MEASURE_ROWS_MAX + 1), range, calendar));
    return engine.queryColumns({ siteId, blocks, ...sql, ...beyondSql(query, partitionCache) }, signal);
  };

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

export interface RollupMakerOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly calculator: RollupCalculator;
  readonly rollupStore: RollupStore;
  readonly rolled: RolledMeasures;
  readonly calendarOf: CalendarOf;
  readonly behavioral: Pick<Behavioral, "require">;
  readonly limiter: Pick<QueryLimiter, "areAllFree">;
  readonly budgetBytes: number;
  readonly config: Pick<Config, "rollups" | "behavioral" | "visitorSaltRotationDays">;
  readonly log: Log;
}

/** `changed`: events were added or deleted meanwhile. `skipped`: its days are skipped from now on. */
type MakeOutcome = "made" | "changed" | "skipped";

const isWithin = ({ firstDay, lastDay }: DateRange, day: LocalDate): boolean => firstDay <= day && day <= lastDay;

export class RollupMaker {
  readonly #options: RollupMakerOptions;
  readonly #skipped = new Map<string, string>();

  constructor(options: RollupMakerOptions) {
    this.#options = options;
  }

  /** True if the day cannot be in a rollup until its events change: files cannot be read, or the events exceed the engine's memory. */
  isSkipped(siteId: SiteId, { day, version }: PartitionVersion): boolean {
    return this.#skipped.get(`${siteId} ${day}`) === version;
  }

  /** Makes and stores a rollup; `days` are those of the site. Rejects if it may be tried again. */
  async make({ origin, rollups, events }: RollupToMake, days: readonly PartitionVersion[], signal: AbortSignal): Promise<MakeOutcome> {
    const { behavioral, calculator, config, rollupStore } = this.#options;
    if (config.behavioral) await behavioral.require();
    const computed: ComputedMeasures[] = [];
    for (const range of events.flatMap((wanted) => this.#chunksOf(wanted, days))) {
      const measures = await this.#compute(origin.siteId, range, days, signal);
      if (!measures) return "skipped";
      computed.push(measures);
    }
    const bytes = await unlessAborted(calculator.make(origin, rollups, computed), signal);
    return (await rollupStore.put(origin, bytes)) ? "made" : "changed";
  }

  #chunksOf(range: DateRange, days: readonly PartitionVersion[]): readonly DateRange[] {
    const { budgetBytes, config } = this.#options;
    const inRange = days.filter(({ day }) => isWithin(range, day));
    const bytesMax = chunkBytesMax(budgetBytes);
    return bytesOf(inRange) <= bytesMax
      ? [range]
      : cutIntoChunks(range, inRange, config.visitorSaltRotationDays, bytesMax).map((chunk) => chunk.range);
  }

  /** null if the days of the range are skipped from now on. */
  async #compute(
    siteId: SiteId,
    range: DateRange,
    days: readonly PartitionVersion[],
    signal: AbortSignal,
  ): Promise<ComputedMeasures | null> {
    const { rolled, limiter, calendarOf } = this.#options;
    try {
      return await computeMeasures({ siteId, range }, rolled, { ...this.#options, calendar: calendarOf(siteId), signal });
    } catch (error) {
      // Queries that run take memory, so without them the events may fit.
      const isLasting = error instanceof IncompleteDaysError || (error instanceof EngineFullError && limiter.areAllFree);
      if (!isLasting) throw error;
      this.#skip(siteId, range, days, error);
      return null;
    }
  }

  #skip(siteId: SiteId, range: DateRange, days: readonly PartitionVersion[], error: Error): void {
    if (this.#skipped.size >= ROLLUP_DAYS_SKIPPED_MAX) this.#skipped.clear();
    for (const { day, version } of days) if (isWithin(range, day)) this.#skipped.set(`${siteId} ${day}`, version);
    this.#options.log.warn("days cannot be in a rollup until their events change; reports read their events", {
      site: siteId,
      firstDay: range.firstDay,
      lastDay: range.lastDay,
      reason: reasonOf(error),
    });
  }
}
