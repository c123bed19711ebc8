/** A metric's total in the period and in the compared one. */
import { comparison } from "../state/period.ts";
import type { MainReport } from "./metrics.ts";
import type { ShownMetric } from "./shown-metrics.ts";

export interface MetricTotals {
  /** Null where it is not known. */
  readonly now: number | null;
  /** Null without a comparison, or without events to compare with. */
  readonly before: number | null;
}

/** `everybody` has the totals without the filters on events; only under a filter on a goal. */
export function totalsOf({ value }: ShownMetric, data: MainReport, everybody: MainReport | undefined): MetricTotals {
  const compared = comparison.value === "none" ? undefined : data.comparison;
  return {
    now: value(data, everybody ?? null),
    before: compared && compared.total_events > 0 ? value(compared, everybody?.comparison ?? null) : null,
  };
}
