/** A query plan as data: queries grouped by the range that they read, and a pure function from their rows to the result. */
import type { SqlRow } from "./sql.ts";
import { checkShared, type SiteRange } from "./scope.ts";
import type { AggregateQuery } from "./aggregate-query.ts";

/** Queries over the same range: if it is processed in chunks, they share each chunk. */
export interface PlanStep {
  readonly siteRange: SiteRange;
  readonly queries: readonly AggregateQuery[];
  /**
   * The queries in place of `queries`, from the rows of all steps before. Each has the definition of one of them. A plan with such a step
   * comes first where plans are combined.
   */
  readonly narrow?: (before: readonly StepRows[]) => readonly AggregateQuery[];
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
  const { siteId, range, shared, sessionRules } = siteRange;
  return {
    steps: [{ siteRange: { siteId, range, ...(shared && { shared }), ...(sessionRules && { sessionRules }) }, queries }],
    toResult: ([rows = []]) => toResult(...(rows as { readonly [I in keyof Queries]: readonly SqlRow[] })),
  };
}

/** Keeps the plan and changes its result. */
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

/**
 * Both plans, the first one first. With `narrow`, each query of the second becomes those that it returns for the first's result, of the
 * same definition.
 */
export function joinPlans<First, Second, Result>(
  first: Plan<First>,
  second: Plan<Second>,
  join: (first: First, second: Second) => Result,
  narrow?: (query: AggregateQuery, first: First) => readonly AggregateQuery[],
): Plan<Result> {
  const count = first.steps.length;
  const firstOf = (rows: readonly StepRows[]): First => first.toResult(rows.slice(0, count));
  const narrowed = (step: PlanStep): PlanStep =>
    narrow ? { ...step, narrow: (rows) => step.queries.flatMap((query) => narrow(query, firstOf(rows))) } : step;
  return {
    steps: [...first.steps, ...second.steps.map(narrowed)],
    toResult: (rows) => join(firstOf(rows), second.toResult(rows.slice(count))),
  };
}

/** The rows of each step, one step after the other. */
export async function runSteps(steps: readonly PlanStep[], run: (step: PlanStep) => Promise<StepRows>): Promise<readonly StepRows[]> {
  const rows: StepRows[] = [];
  for (const { narrow, ...step } of steps) {
    const queries = narrow?.(rows) ?? step.queries;
    rows.push(queries.length === 0 ? [] : await run({ ...step, queries }));
  }
  return rows;
}
