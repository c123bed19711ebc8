/** Executes a step of a plan from rollups for the salt periods that they cover, and from events for the rest. */
import type { Columns } from "../../storage/columns.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import type { RollupCalculator } from "../rollups/rollup-calculator.ts";
import type { RollupCoverage } from "../rollups/rollup-coverage.ts";
import type { RollupStore } from "../rollups/rollup-store.ts";
import type { SqlRow } from "../query/sql.ts";
import { allRows } from "./aggregate-query.ts";
import type { PlanStep, StepRows } from "./plan.ts";
import type { RolledMeasures } from "./rolled-measures.ts";

export interface RollupExecutionOptions {
  readonly partitionCache: Pick<PartitionCache, "versionsOf">;
  readonly store: Pick<RollupStore, "coverage" | "forget">;
  readonly calculator: Pick<RollupCalculator, "total">;
  readonly rolled: RolledMeasures;
  readonly log: Log;
}

/** A step whose queries all are measures. */
interface RolledStep {
  readonly step: PlanStep;
  /** Of each query. */
  readonly measures: readonly string[];
}

export class RollupExecution {
  readonly #options: RollupExecutionOptions;

  constructor(options: RollupExecutionOptions) {
    this.#options = options;
  }

  /**
   * The rows of the step, or null if it has to be executed from events, because no rollup covers any of it. `readEvents` returns
   * the rows of each query of a step from events.
   */
  async execute(step: PlanStep, readEvents: (rest: PlanStep) => Promise<readonly Columns[]>): Promise<StepRows | null> {
    const rolled = this.#rolledStep(step);
    if (!rolled) return null;
    const coverage = await this.#coverage(rolled);
    if (coverage === "no events") return step.queries.map(() => []);
    if (coverage.rollups.length === 0) return null;
    const added: (readonly Columns[])[] = [];
    for (const range of coverage.rest) {
      added.push(await readEvents({ siteRange: { ...step.siteRange, range }, queries: step.queries.map(allRows) }));
    }
    return this.#totals(rolled, coverage, added);
  }

  /** Whether rollups have all that the steps need, and at least one is needed. */
  async cover(steps: readonly PlanStep[]): Promise<boolean> {
    let isAnyNeeded = false;
    for (const step of steps) {
      const rolled = this.#rolledStep(step);
      if (!rolled) return false;
      const coverage = await this.#coverage(rolled);
      if (coverage === "no events") continue;
      if (coverage.rollups.length === 0 || coverage.rest.length > 0) return false;
      isAnyNeeded = true;
    }
    return isAnyNeeded;
  }

  #rolledStep(step: PlanStep): RolledStep | null {
    const measures = step.queries.map((query) => this.#options.rolled.nameOf(query));
    return measures.every((measure) => measure !== null) ? { step, measures } : null;
  }

  async #coverage({ step, measures }: RolledStep): Promise<RollupCoverage | "no events"> {
    const { partitionCache, store } = this.#options;
    const { siteId, range } = step.siteRange;
    const days = await partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
    return days.length === 0 ? "no events" : store.coverage(siteId, range, days, measures);
  }

  /** Null if a rollup has gone meanwhile or cannot be read: the step is then executed from events. */
  async #totals(
    { step, measures }: RolledStep,
    { rollups }: RollupCoverage,
    added: readonly (readonly Columns[])[],
  ): Promise<StepRows | null> {
    const { calculator, store, log } = this.#options;
    try {
      const rows: (readonly SqlRow[])[] = [];
      for (const [i, { top }] of step.queries.entries()) {
        const rest = added.map((ofQueries) => ofQueries[i] ?? {});
        rows.push(await calculator.total({ measure: measures[i] ?? "", rollups, added: rest, ...(top && { top }) }));
      }
      return rows;
    } catch (error) {
      await store.forget(step.siteRange.siteId);
      log.warn("a rollup cannot be read; the report reads events instead", { site: step.siteRange.siteId, reason: reasonOf(error) });
      return null;
    }
  }
}
