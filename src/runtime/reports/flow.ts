/** Where visitors go from a page, or come to it from (decisions, "Statistics"). */
import { queryFlow, type FlowDirection } from "./queries/flow.ts";
import type { Ask } from "../execution/asked-range.ts";
import { numberIn, ratio, textIn } from "../query/row-values.ts";
import type { Scope } from "../query/scope.ts";
import type { Step } from "../query/steps.ts";

export interface FlowQuestion {
  readonly page: Step;
  readonly direction: FlowDirection;
  readonly rowsMax: number;
}

export interface FlowRow {
  readonly nextPage: string;
  readonly visitors: number;
  /** Of all who viewed the page: what is missing to 1 went nowhere, or lies beyond the limit. */
  readonly share: number;
}

/** Visitors descending, then page. */
export async function flowOf(ask: Ask, scope: Scope, sessionGapMs: number, { page, direction, rowsMax }: FlowQuestion): Promise<FlowRow[]> {
  const [rows] = await ask(queryFlow(scope, sessionGapMs, page, direction, rowsMax));
  return rows.map((row) => ({
    nextPage: textIn(row, "next_page"),
    visitors: numberIn(row, "visitors"),
    share: ratio(numberIn(row, "visitors"), numberIn(row, "viewers")),
  }));
}
