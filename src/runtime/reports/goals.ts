/** Which share of a scope's visitors did what beside looking at pages (contract 4.4). */
import { queryGoals } from "./queries/goals.ts";
import { queryHeadline } from "./queries/headline.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio, textIn } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";

export interface Goal {
  readonly name: string;
  readonly visitors: number;
  readonly events: number;
  /** Of all visitors of the scope. */
  readonly conversionRate: number;
}

/** Visitors descending, then name. */
export async function goalsOf(ask: Ask, scope: Scope): Promise<Goal[]> {
  const [[headline], goals] = await ask(queryHeadline(scope), queryGoals(scope));
  return goals.map((row) => ({
    name: textIn(row, "name"),
    visitors: numberIn(row, "visitors"),
    events: numberIn(row, "events"),
    conversionRate: ratio(numberIn(row, "visitors"), numberIn(headline, "visitors")),
  }));
}
