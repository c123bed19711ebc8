/** Which queries rollups answer, for which salt periods, and their rows. */
import type { Columns } from "../../../storage/columns.ts";
import type { SiteId } from "../../../storage/event.ts";
import { propertyMeasure } from "../../../storage/rollup.ts";
import { NO_ARRIVAL_RULES } from "../../arrivals/arrival-names.ts";
import { type ArrivalRules, ARRIVALS_VERSION } from "../../arrivals/arrivals.ts";
import { type Log, reasonOf } from "../../base/metrics/log.ts";
import { unlessAborted } from "../../base/queue.ts";
import { type AggregateQuery, arrivalRulesIn, definitionForAnySite, type PlanStep } from "../../query/plan.ts";
import type { PartitionVersion } from "../../../storage/partitions.ts";
import type { RollupCalculator } from "./rollup-calculator.ts";
import type { RollupCoverage } from "./rollup-spans.ts";
import type { RollupCatalog } from "./rollup-catalog.ts";
import type { Aggregation, MeasureDefinition } from "./tallies.ts";

interface RollupExecutionOptions {
  readonly catalog: Pick<RollupCatalog, "coverage" | "forget">;
  /** A rollup that should exist cannot be read. */
  readonly onUnreadableRollup: (siteId: SiteId) => void;
  readonly calculator: Pick<RollupCalculator, "rows">;
  readonly rolled: RolledMeasures;
  readonly log: Log;
}

/** The rollups that have rows of a step, and the ranges that none covers. */
interface StepCoverage extends RollupCoverage {
  /** The measure of each query. */
  readonly measures: readonly string[];
}

/** Rows of each query of a step, in parts that add up. */
export type PartsOfQueries = readonly (readonly Columns[])[];

export class RollupExecution {
  readonly #options: RollupExecutionOptions;

  constructor(options: RollupExecutionOptions) {
    this.#options = options;
  }

  /** null if a query of the step is no measure. `days` are the versions of its days. */
  async coverage({ siteRange, queries }: PlanStep, days: readonly PartitionVersion[]): Promise<StepCoverage | null> {
    const { rolled, catalog } = this.#options;
    const { siteId, range, arrivalRules = NO_ARRIVAL_RULES } = siteRange;
    const measures = queries.map((query) => rolled.nameOf(query, arrivalRules)).filter((measure) => measure !== null);
    if (measures.length < queries.length) return null;
    const namesArrivals = queries.some((query) => arrivalRulesIn(query).length > 0);
    const arrivals = namesArrivals ? rolled.arrivalsOf(arrivalRules) : null;
    return { measures, ...(await catalog.coverage(siteId, range, days, { measures, arrivals })) };
  }

  /** True if rollups have all events that the step needs. */
  async covers(step: PlanStep, days: readonly PartitionVersion[]): Promise<boolean> {
    return (await this.coverage(step, days))?.rest.length === 0;
  }

  /** The rows of each query in each rollup; null if one has gone meanwhile or cannot be read: the step is then executed from events. */
  async rowsOf({ siteRange }: PlanStep, { measures, rollups }: StepCoverage, signal: AbortSignal): Promise<PartsOfQueries | null> {
    const { calculator, catalog, onUnreadableRollup, log } = this.#options;
    try {
      const rows: (readonly Columns[])[] = [];
      for (const measure of measures) rows.push(await unlessAborted(calculator.rows(measure, rollups), signal));
      return rows;
    } catch (error) {
      signal.throwIfAborted();
      await catalog.forget(siteRange.siteId);
      onUnreadableRollup(siteRange.siteId);
      log.warn("a rollup cannot be read; the report reads events instead", { site: siteRange.siteId, reason: reasonOf(error) });
      return null;
    }
  }
}

/**
 * Raise it when rows of a measure change although their SQL does not, for example when sessions are numbered in another way, or when a
 * limit on what rollups hold changes. All rollups are then made again.
 */
const DEFINITIONS_VERSION = 4;

/** A query over all events of a range, and what it computes. */
interface RolledMeasure extends Aggregation {
  readonly name: string;
  readonly query: AggregateQuery;
}

const measureOf = ({ name, over, by, where, query }: RolledMeasure): MeasureDefinition => {
  const { keys, codes = [], names = [], counts, amounts = [], largestOfEach } = query;
  const groupColumns = [...keys, ...codes, ...names];
  return { name, over, by, ...(where && { where }), groupColumns, counts, amounts, ...(largestOfEach && { largestOfEach }) };
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
  readonly #hash: (text: string) => string;

  constructor({ measures, ofProperty, sessionWindowMinutes, saltRotationDays, hash }: RolledMeasuresOptions) {
    this.measures = measures;
    this.#hash = hash;
    this.ofProperty = (key) => ofProperty(key).query;
    this.toCompute = [...measures, { ...ofProperty(""), name: propertyMeasure("") }].map(measureOf);
    this.#nameByDefinition = new Map(measures.map(({ name, query }) => [definitionForAnySite(query), name]));
    const settings = [DEFINITIONS_VERSION, ARRIVALS_VERSION, sessionWindowMinutes, saltRotationDays];
    this.definitions = hash(JSON.stringify([settings, [...this.#nameByDefinition], definitionForAnySite(this.ofProperty(""))]));
  }

  /** What a rollup records of the rules of its site. */
  arrivalsOf(rules: ArrivalRules): string {
    const text = JSON.stringify(rules);
    return text === JSON.stringify(NO_ARRIVAL_RULES) ? "" : this.#hash(text);
  }

  /** The measure that has the query's rows if it is made by these rules; null if none does, as for any filter. */
  nameOf(query: AggregateQuery, rules: ArrivalRules = NO_ARRIVAL_RULES): string | null {
    if (arrivalRulesIn(query).some((own) => JSON.stringify(own) !== JSON.stringify(rules))) return null;
    const definition = definitionForAnySite(query);
    const name = this.#nameByDefinition.get(definition);
    if (name !== undefined) return name;
    const { property } = query;
    if (typeof property !== "string" || definition !== definitionForAnySite(this.ofProperty(property))) return null;
    return propertyMeasure(property);
  }
}
