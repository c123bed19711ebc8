/** A query plan as data: queries grouped by the range that they read, and a pure function from their rows to the result. */
import type { SqlRow } from "../query/sql.ts";
import { checkShared, type SiteRange } from "../query/scope.ts";
import type { AggregateQuery } from "./aggregate-query.ts";

/** Queries over the same range: if it is processed in chunks, they share each chunk. */
export interface PlanStep {
  readonly siteRange: SiteRange;
  readonly queries: readonly AggregateQuery[];
}

/** The rows of each query of a step, in the order of the queries. */
export type StepRows = readonly (readonly SqlRow[])[];

export interface Plan<Result> {
  /** Executed in sequence. */
  readonly steps: readonly PlanStep[];
  /** Computes the result from the rows of each step, in the order of the steps. Pure: it may be called again for other rows. */
  readonly toResult: (rows: readonly StepRows[]) => Result;
}

/** A plan of one step. `toResult` gets the rows of each query as a separate argument. 403 if it reads dates that are not shared. */
export function planOf<const Queries extends readonly AggregateQuery[], Result>(
  siteRange: SiteRange,
  queries: Queries,
  toResult: (...rows: { readonly [I in keyof Queries]: readonly SqlRow[] }) => Result,
): Plan<Result> {
  checkShared(siteRange);
  const { siteId, range } = siteRange;
  return {
    steps: [{ siteRange: { siteId, range }, queries }],
    toResult: ([rows = []]) => toResult(...(rows as { readonly [I in keyof Queries]: readonly SqlRow[] })),
  };
}

/** The same plan with another result. */
export const mapPlan = <Part, Result>({ steps, toResult }: Plan<Part>, map: (part: Part) => Result): Plan<Result> => ({
  steps,
  toResult: (rows) => map(toResult(rows)),
});

/** A plan with the steps of all plans, whose result combines theirs. */
export const combinePlans = <Part, Result>(plans: readonly Plan<Part>[], combine: (parts: readonly Part[]) => Result): Plan<Result> => ({
  steps: plans.flatMap(({ steps }) => steps),
  toResult(rows) {
    let begin = 0;
    return combine(plans.map(({ steps, toResult }) => toResult(rows.slice(begin, (begin += steps.length)))));
  },
});
