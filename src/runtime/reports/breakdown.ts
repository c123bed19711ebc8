/** A scope's figures for each value of a dimension (contract 4.4, "Breakdown dimensions"). */
import { columnOf, type Dimension, type SessionDimension } from "../query/dimensions.ts";
import { queryBreakdown } from "./queries/breakdown.ts";
import { querySessionPages } from "./queries/sessions.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, textIn } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";

export interface BreakdownRow {
  readonly value: string;
  readonly visitors: number;
  readonly pageviews: number;
  readonly events: number;
}

/** Visitors descending, then value ascending. */
export async function breakdownOf(ask: Ask, scope: Scope, dimension: Dimension, rowsMax: number): Promise<BreakdownRow[]> {
  const [rows] = await ask(queryBreakdown(scope, columnOf(dimension), rowsMax));
  return rows.map((row) => ({
    value: textIn(row, "value"),
    visitors: numberIn(row, "visitors"),
    pageviews: numberIn(row, "pageviews"),
    events: numberIn(row, "events"),
  }));
}

/** The pages that sessions begin or end with. Each session counts once, as an event and as a pageview. */
export async function sessionPagesOf(
  ask: Ask,
  scope: Scope,
  sessionGapMs: number,
  dimension: SessionDimension,
  rowsMax: number,
): Promise<BreakdownRow[]> {
  const end = dimension === "entry-pages" ? "first" : "last";
  const [rows] = await ask(querySessionPages(scope, sessionGapMs, end, rowsMax));
  return rows.map((row) => ({
    value: textIn(row, "value"),
    visitors: numberIn(row, "visitors"),
    pageviews: numberIn(row, "sessions"),
    events: numberIn(row, "sessions"),
  }));
}
