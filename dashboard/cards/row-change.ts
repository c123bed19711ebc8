/** The change of a row's number against the compared period: what is asked for, and the words of the tooltip. */
import type { Parameters } from "../api/http.ts";
import { changeOf } from "../charts/change.tsx";
import { isWindowWhole } from "../charts/metric-totals.ts";
import { formatCount } from "../format/locale.ts";
import { comparedRange } from "../state/period.ts";
import { comparisonParameters } from "../state/scope.ts";

/** Parameters of a breakdown, by which its rows have these columns, and a `comparison` where there is a window. */
export const withComparison = (columns: readonly string[]): Parameters =>
  comparedRange.value === null
    ? { columns: columns.join(",") }
    : { ...comparisonParameters.value, columns: [...columns, "comparison"].join(",") };

const WORDS = { up: "up by", down: "down by" } as const;

/** E.g. `, up by 50% from 8`; nothing without a whole window to compare with. */
export function changeText(now: number, before: number | undefined): string {
  if (before === undefined || !isWindowWhole()) return "";
  const change = changeOf({ now, before });
  if (change === null) return `, ${formatCount(before)} before`;
  return change.direction === "same" ? ", unchanged" : `, ${WORDS[change.direction]} ${change.percentage} from ${formatCount(before)}`;
}
