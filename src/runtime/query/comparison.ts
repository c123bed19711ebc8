/** Which earlier window a range is compared with (contract 4.4, "comparison"). */
import { DAY_MS, utcDayOf, type EpochMs } from "../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { rangeOfDays, type DateRange } from "./date-range.ts";

export const COMPARISONS = ["previous_period", "year_over_year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Days between a date and the same date "last year": the same number in every year, so that windows are equally long. */
const YEAR_DAYS = 365;

/** Null when none was asked for; 400 for an unknown one. */
export function parseComparison(text: string | null): Comparison | null {
  if (text === null) return null;
  const comparison = COMPARISONS.find((known) => known === text);
  if (!comparison) throw invalidInput(`"compare" must be one of ${COMPARISONS.join(", ")}`);
  return comparison;
}

/** The equally long window before the range. */
export function comparedRange(range: DateRange, comparison: Comparison): DateRange {
  const shiftMs = (comparison === "previous_period" ? range.dayCount : YEAR_DAYS) * DAY_MS;
  const dayBefore = (ms: EpochMs) => utcDayOf(ms - shiftMs);
  return rangeOfDays(dayBefore(range.startMs), dayBefore(range.endMs - DAY_MS));
}
