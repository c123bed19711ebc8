/** Executes a step of a plan from rollups for the salt periods that they cover, and from events for the rest. */
import { rowCountOf, type Columns } from "../../storage/columns.ts";
import { ROLLUP_ADDED_ROWS_MAX } from "../base/config/report-limits.ts";
import type { DateRange } from "../query/date-range.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { PartitionVersion } from "./cache/partition-version.ts";
import type { RollupCalculator } from "./rollups/rollup-calculator.ts";
import type { RollupCoverage } from "./rollups/rollup-spans.ts";
import type { RollupStore } from "./rollups/rollup-store.ts";
import { unlessAborted } from "../base/queue.ts";
import type { SqlRow } from "../query/sql.ts";
import { allRows } from "../query/aggregate-query.ts";
import type { PlanStep, StepRows } from "../query/plan.ts";
import type { RolledMeasures } from "./rollups/rolled-measures.ts";

export interface RollupExecutionOptions {
  readonly store: Pick<RollupStore, "coverage" | "forget">;
  readonly calculator: Pick<RollupCalculator, "total">;
  readonly rolled: RolledMeasures;
  readonly log: Log;
}

/** A step whose queries all are measures. */
interface RolledStep {
  readonly step: PlanStep;
  /** The measure of each query. */
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
    return this.#options.store.coverage(siteId, range, days, measures);
  }

  /** null if a rollup has gone meanwhile or cannot be read: the step is then executed from events. */
  async #totals(
    { step, measures }: RolledStep,
    { rollups }: RollupCoverage,
    added: readonly (readonly Columns[])[],
    signal: AbortSignal,
  ): Promise<StepRows | null> {
    const { calculator, store, log } = this.#options;
    try {
      const rows: (readonly SqlRow[])[] = [];
      for (const [i, { top, isCounted }] of step.queries.entries()) {
        const rest = added.map((ofQueries) => ofQueries[i] ?? {});
        const total = calculator.total({
          measure: measures[i] ?? "",
          rollups,
          added: rest,
          ...(top && { top }),
          ...(isCounted && { isCounted }),
        });
        rows.push(await unlessAborted(total, signal));
      }
      return rows;
    } catch (error) {
      signal.throwIfAborted();
      await store.forget(step.siteRange.siteId);
      log.warn("a rollup cannot be read; the report reads events instead", { site: step.siteRange.siteId, reason: reasonOf(error) });
      return null;
    }
  }
}
