/** The change of a row's number against the compared period: what is asked for, what the row shows, and the words of its tooltip. */
import type { Parameters } from "../api/http.ts";
import { changeOf } from "../charts/change-text.ts";
import { Change, NewValue } from "../charts/change.tsx";
import { isCompared } from "../charts/metric-totals.ts";
import { formatCount, formatShortRate } from "../format/locale.ts";
import { comparedRange } from "../state/period.ts";
import { comparisonParameters } from "../state/scope.ts";
import type { RowNumbers } from "./row.ts";

/** Parameters of a breakdown, by which its rows have these columns, and a `comparison` where there is a window. */
export const withComparison = (columns: readonly string[]): Parameters =>
  comparedRange.value === null
    ? { columns: columns.join(",") }
    : { ...comparisonParameters.value, columns: [...columns, "comparison"].join(",") };

const WORDS = { up: "up by", down: "down by" } as const;

/** E.g. `, up by 50% from 8`; nothing without a whole window to compare with. */
function changeText(now: number, before: number | undefined): string {
  if (before === undefined || !isCompared()) return "";
  const change = changeOf({ now, before });
  if (change === null) return `, ${formatCount(before)} before`;
  return change.direction === "same" ? ", unchanged" : `, ${WORDS[change.direction]} ${change.percentage} from ${formatCount(before)}`;
}

/** A count as the row has it: what it counts, e.g. `12 visitors`, and what it was before, if rows show that. */
export const countInRow = (
  now: number,
  counted: string,
  before: number | undefined,
): Pick<RowNumbers, "count" | "countTitle" | "before"> => ({
  count: now,
  countTitle: counted + changeText(now, before),
  ...(isCompared() && { before: before ?? null }),
});

/** As wide in each row. `before` is null until it has loaded. */
export const RowChange = ({ now, before, title }: { readonly now: number; readonly before: number | null; readonly title: string }) => (
  <span class="row-change" title={title}>
    {before === 0 && now > 0 ? <NewValue /> : before !== null && <Change now={now} before={before} format={formatShortRate} />}
  </span>
);
