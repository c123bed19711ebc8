/** The earlier window that a range is compared with (docs/http-api.md, "Comparison"). */
import { DAY_MS, utcDayOf, type EpochMs } from "../../storage/event.ts";
import { rangeOfDays, type DateRange } from "./date-range.ts";

export const COMPARISONS = ["previous_period", "year_over_year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** The offset of `year_over_year`: the same in every year, so that both windows have the same length. */
const YEAR_DAYS = 365;

/** The window of the same length before the range. */
export function comparedRange(range: DateRange, comparison: Comparison): DateRange {
  const shiftMs = (comparison === "previous_period" ? range.dayCount : YEAR_DAYS) * DAY_MS;
  const dayBefore = (ms: EpochMs) => utcDayOf(ms - shiftMs);
  return rangeOfDays(dayBefore(range.startMs), dayBefore(range.endMs - DAY_MS));
}
