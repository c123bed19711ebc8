/** The window that a range is compared with: its parameters, its dates, and where it is cut (docs/http-api.md, "Comparison"). */
import { LONG_RANGE_DAYS_MAX, RANGE_DAYS_MAX } from "../../shared/limits.ts";
import { addDays, firstDateOfPeriod, periodOf, type Calendar } from "../../storage/calendar.ts";
import { type EpochMs, startOfDayMs } from "../../storage/event.ts";
import { invalidInput } from "../base/errors.ts";
import { type DateRange, localTimeOf, parseDates, rangeOfDays, whenClockShows } from "./date-range.ts";
import { optionalOneOf, readIf, type Values } from "./parameters.ts";
import { dateParameter, type Scope, within } from "./scope.ts";

/** The offset of `year_over_year`: the same in every year, so that both windows have the same length. */
const YEAR_DAYS = 365;

export const COMPARISONS = ["previous_period", "year_over_year", "custom"] as const;

export const COMPARISON_PARAMETERS = {
  compare: optionalOneOf(
    "Adds the metrics of another window. `previous_period` and `year_over_year` are as long as the range: the one directly before, " +
      "or the same dates 365 days earlier. Routes ignore it, except main, breakdowns with the column `comparison`, and routes with " +
      "`include=comparison`.",
    COMPARISONS,
    "The other window. `custom` requires `compare_start_date` and `compare_end_date`.",
  ),
  compare_start_date: dateParameter("With `compare=custom` only: the first date of the other window, inclusive."),
  compare_end_date: dateParameter(
    `With \`compare=custom\` only: the last date of the other window, inclusive; it has at most ${RANGE_DAYS_MAX} days, or ${LONG_RANGE_DAYS_MAX} with ` +
      "`interval` or `period=all`.",
  ),
  compare_same_time: optionalOneOf(
    "With `compare=custom` only. `true`: if the range includes the current date, the last date of the other window counts only until " +
      "the current time of day.",
    ["true", "false"],
    "By default `false`.",
  ),
};

type ComparisonValues = Values<typeof COMPARISON_PARAMETERS>;

/** A comparison that is asked for by something else than `compare`. */
export const byDefaultPrevious = ({
  compare,
  compare_start_date,
  compare_end_date,
  compare_same_time,
}: ComparisonValues): ComparisonValues => ({
  compare: compare ?? "previous_period",
  compare_start_date,
  compare_end_date,
  compare_same_time,
});

/** The comparison of reports whose rows have one on request only: without it they ignore `compare`, as the contract says. */
export const INCLUDED_COMPARISON = {
  include: optionalOneOf(
    "Adds `comparison` to each row: its numbers in another window, by default the one directly before.",
    ["comparison"],
    "`comparison`: with the window of `compare`.",
  ),
  ...readIf(({ include }: { readonly include: "comparison" | null }) => include !== null, COMPARISON_PARAMETERS),
};

type IncludedValues = Values<typeof INCLUDED_COMPARISON>;

export function checkIncluded(values: IncludedValues, _range: DateRange, rangeDaysMax: number): void {
  if (values.include !== null) customRange(byDefaultPrevious(values), rangeDaysMax);
}

interface Asked {
  readonly scope: Scope;
  readonly values: IncludedValues;
  readonly nowMs: EpochMs;
  readonly calendar: Calendar;
}

/** Scopes of which the sums are those of the included comparison; null without one. */
export function comparedScopes({ scope, values, nowMs, calendar }: Asked, rotationDays: number): readonly Scope[] | null {
  const window = values.include === null ? null : comparedWindow(byDefaultPrevious(values), scope.range, nowMs, calendar);
  return window && scopesOf(scope, window, rotationDays);
}

export interface ComparedWindow {
  readonly range: DateRange;
  /** Only events before this instant count; null if all do. */
  readonly endsAtMs: EpochMs | null;
}

/** The dates of `compare=custom`, null for another comparison; 400 for invalid dates, and for those that no comparison takes. */
export function customRange({ compare, compare_same_time, ...dates }: ComparisonValues, daysMax: number): DateRange | null {
  if (compare !== "custom") {
    for (const [name, value] of Object.entries({ ...dates, compare_same_time })) {
      if (value !== null) throw invalidInput(`"${name}" requires "compare" to be custom`);
    }
    return null;
  }
  const { compare_start_date: first, compare_end_date: last } = dates;
  if (first === null) throw invalidInput('"compare_start_date" is required when "compare" is custom');
  if (last === null) throw invalidInput('"compare_end_date" is required when "compare" is custom');
  return parseDates({ name: "compare_start_date", value: first }, { name: "compare_end_date", value: last }, daysMax);
}

export function comparedRange(range: DateRange, comparison: "previous_period" | "year_over_year"): DateRange {
  const days = comparison === "previous_period" ? range.dayCount : YEAR_DAYS;
  return rangeOfDays(addDays(range.firstDay, -days), addDays(range.lastDay, -days));
}

/** The last date of the window until the time of day of `nowMs`; null if that date is whole. */
function cutOf(values: ComparisonValues, range: DateRange, window: DateRange, nowMs: EpochMs, calendar: Calendar): EpochMs | null {
  const today = calendar.dateOf(nowMs);
  const isCut = values.compare_same_time === "true" && range.firstDay <= today && today <= range.lastDay;
  return isCut ? whenClockShows(window.lastDay, localTimeOf(nowMs, calendar) - startOfDayMs(today), calendar) : null;
}

export function comparedWindow(values: ComparisonValues, range: DateRange, nowMs: EpochMs, calendar: Calendar): ComparedWindow | null {
  const { compare } = values;
  if (compare === null) return null;
  if (compare !== "custom") return { range: comparedRange(range, compare), endsAtMs: null };
  // It was checked with the request.
  const custom = customRange(values, LONG_RANGE_DAYS_MAX);
  return custom && { range: custom, endsAtMs: cutOf(values, range, custom, nowMs, calendar) };
}

/**
 * Scopes of which the window's sums are the totals. If it is cut, the events of its last salt period have to be read; rollups may
 * cover the periods before.
 */
export function scopesOf(scope: Scope, { range, endsAtMs }: ComparedWindow, rotationDays: number): readonly Scope[] {
  if (endsAtMs === null) return [within(scope, range)];
  const { firstDay, lastDay } = range;
  const lastStart = firstDateOfPeriod(periodOf(lastDay, rotationDays), rotationDays);
  const cut = { ...scope, endsAtMs };
  if (lastStart <= firstDay) return [within(cut, range)];
  return [within(scope, rangeOfDays(firstDay, addDays(lastStart, -1))), within(cut, rangeOfDays(lastStart, lastDay))];
}
