/** Executes a step of a plan from rollups for the salt periods that they cover, and from events for the rest. */
import { type Columns, rowCountOf } from "../../../storage/columns.ts";
import type { SiteId } from "../../../storage/event.ts";
import { propertyMeasure } from "../../../storage/rollup.ts";
import { ROLLUP_ADDED_ROWS_MAX } from "../../base/config/report-limits.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import { unlessAborted } from "../../base/queue.ts";
import { type AggregateQuery, allRows, definitionOf, type PlanStep, type StepRows } from "../../query/plan.ts";
import type { DateRange } from "../../query/date-range.ts";
import type { SqlRow } from "../../query/sql.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";
import type { RollupCoverage } from "./rollup-spans.ts";
import type { RollupCatalog } from "./rollup-catalog.ts";
import type { Aggregation, MeasureDefinition } from "./tallies.ts";

interface RollupExecutionOptions {
  readonly catalog: Pick<RollupCatalog, "coverage" | "forget">;
  /** A rollup that should exist cannot be read. */
  readonly onUnreadableRollup: (siteId: SiteId) => void;
  readonly calculator: Pick<RollupCalculator, "total">;
  readonly rolled: RolledMeasures;
  readonly log: Log;
}

/** A step whose queries all are measures. */
interface RolledStep {
  readonly step: PlanStep;
  readonly measures: readonly string[];
}

type ReadEvents = (step: PlanStep) => Promise<readonly Columns[]>;

/** All rows of each query in each of these ranges; null if a query has more than `ROLLUP_ADDED_ROWS_MAX`. */
async function restOf(
  { siteRange, queries }: PlanStep,
  ranges: readonly DateRange[],
  readEvents: ReadEvents,
): Promise<(readonly Columns[])[] | null> {
  const rest: (readonly Columns[])[] = [];
  const left = queries.map(() => ROLLUP_ADDED_ROWS_MAX);
  for (const range of ranges) {
    const limited = queries.map((query, i) => allRows(query, (left[i] ?? 0) + 1));
    const columns = await readEvents({ siteRange: { ...siteRange, range }, queries: limited });
    columns.forEach((ofQuery, i) => (left[i] = (left[i] ?? 0) - rowCountOf(ofQuery)));
    if (left.some((rows) => rows < 0)) return null;
    rest.push(columns);
  }
  return rest;
}

export class RollupExecution {
  readonly #options: RollupExecutionOptions;

  constructor(options: RollupExecutionOptions) {
    this.#options = options;
  }

  /**
   * The rows of the step, or null if it has to be executed from events: no rollup covers any of it, or the rest has too many rows.
   * `days` are the versions of its days; `readEvents` returns the rows of each query of a step from events.
   */
  async execute(step: PlanStep, days: readonly PartitionVersion[], readEvents: ReadEvents, signal: AbortSignal): Promise<StepRows | null> {
    const rolled = this.#rolledStep(step);
    if (!rolled) return null;
    // Sums over nothing have no rows, and need no engine that may still have to start.
    if (days.length === 0) return step.queries.map(() => []);
    const coverage = await this.#coverage(rolled, days);
    if (coverage.rollups.length === 0) return null;
    const added = await restOf(step, coverage.rest, readEvents);
    return added && this.#totals(rolled, coverage, added, signal);
  }

  /** True if rollups have all events that the step needs. */
  async covers(step: PlanStep, days: readonly PartitionVersion[]): Promise<boolean> {
    const rolled = this.#rolledStep(step);
    return rolled !== null && (await this.#coverage(rolled, days)).rest.length === 0;
  }

  #rolledStep(step: PlanStep): RolledStep | null {
    const measures = step.queries.map((query) => this.#options.rolled.nameOf(query));
    return measures.every((measure) => measure !== null) ? { step, measures } : null;
  }

  #coverage({ step, measures }: RolledStep, days: readonly PartitionVersion[]): Promise<RollupCoverage> {
    const { siteId, range } = step.siteRange;
    return this.#options.catalog.coverage(siteId, range, days, measures);
  }

  /** null if a rollup has gone meanwhile or cannot be read: the step is then executed from events. */
  async #totals(
    { step, measures }: RolledStep,
    { rollups }: RollupCoverage,
    added: readonly (readonly Columns[])[],
    signal: AbortSignal,
  ): Promise<StepRows | null> {
    const { calculator, catalog, onUnreadableRollup, log } = this.#options;
    try {
      const rows: (readonly SqlRow[])[] = [];
      for (const [i, { top, isCounted }] of step.queries.entries()) {
        const wanted = { measure: measures[i] ?? "", rollups, added: added.map((ofQueries) => ofQueries[i] ?? {}) };
        const total = calculator.total({ ...wanted, ...(top && { top }), ...(isCounted && { isCounted }) });
        rows.push(await unlessAborted(total, signal));
      }
      return rows;
    } catch (error) {
      signal.throwIfAborted();
      await catalog.forget(step.siteRange.siteId);
      onUnreadableRollup(step.siteRange.siteId);
      log.warn("a rollup cannot be read; the report reads events instead", { site: step.siteRange.siteId, reason: reasonOf(error) });
      return null;
    }
  }
}

/**
 * Raise it when rows of a measure change although their SQL does not, for example when sessions are numbered in another way, or when a
 * limit on what rollups hold changes. All rollups are then made again.
 */
const DEFINITIONS_VERSION = 3;

/** A query over all events of a range, and what it computes. */
interface RolledMeasure extends Aggregation {
  readonly name: string;
  readonly query: AggregateQuery;
}

const measureOf = ({ name, over, by, where, query }: RolledMeasure): MeasureDefinition => {
  const { keys, codes = [], names = [], counts, amounts = [] } = query;
  return { name, over, by, ...(where && { where }), groupColumns: [...keys, ...codes, ...names], counts, amounts };
};

interface RolledMeasuresOptions {
  readonly measures: readonly RolledMeasure[];
  readonly ofProperty: (key: string) => Omit<RolledMeasure, "name">;
  readonly sessionWindowMinutes: number;
  readonly saltRotationDays: number;
  /** The hexadecimal digits of a cryptographic hash. */
  readonly hash: (text: string) => string;
}

/** The queries whose results rollups store ("measures"), and how to find the measure for a query. */
export class RolledMeasures {
  readonly measures: readonly RolledMeasure[];
  /** The query of the values of a custom property. Its measure is named by `propertyMeasure`. */
  readonly ofProperty: (key: string) => AggregateQuery;
  /** The measures as data. The one of values of a property has the name of none. */
  readonly toCompute: readonly MeasureDefinition[];
  /** Differs whenever the rows of any measure may differ for the same events. */
  readonly definitions: string;
  readonly #nameByDefinition: ReadonlyMap<string, string>;

  constructor({ measures, ofProperty, sessionWindowMinutes, saltRotationDays, hash }: RolledMeasuresOptions) {
    this.measures = measures;
    this.ofProperty = (key) => ofProperty(key).query;
    this.toCompute = [...measures, { ...ofProperty(""), name: propertyMeasure("") }].map(measureOf);
    this.#nameByDefinition = new Map(measures.map(({ name, query }) => [definitionOf(query), name]));
    const settings = [DEFINITIONS_VERSION, sessionWindowMinutes, saltRotationDays];
    this.definitions = hash(JSON.stringify([settings, [...this.#nameByDefinition], definitionOf(this.ofProperty(""))]));
  }

  /** The measure that has the query's rows; null if none does, as for any filter. */
  nameOf(query: AggregateQuery): string | null {
    const definition = definitionOf(query);
    const name = this.#nameByDefinition.get(definition);
    if (name !== undefined) return name;
    const { property } = query;
    if (typeof property !== "string" || definition !== definitionOf(this.ofProperty(property))) return null;
    return propertyMeasure(property);
  }
}
