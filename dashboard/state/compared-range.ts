/** The earlier window that a range is compared with: which dates, and whether it is cut at the present time of day. */
import { dayAfter, daysBetween, FIRST_DAY, HOURLY_DAYS_MAX, SHORT_DAYS_MAX, type Range } from "./range.ts";

export type Comparison = "previous_period" | "year_over_year" | "custom" | "none";

export interface ComparedRange extends Range {
  /** Its day that corresponds to today, of which totals count the hours up to now; null if the range does not include today. */
  readonly today: string | null;
}

export interface ComparisonChoice {
  readonly comparison: Comparison;
  /** Whether the window begins on the same weekday as the range. */
  readonly matchWeekdays: boolean;
  /** Of the comparison `custom`. */
  readonly custom: Range | null;
}

const WEEK_DAYS = 7;
const YEAR_OF_WEEKS_DAYS = 52 * WEEK_DAYS;

/** The same date a year earlier; 28 February for 29 February. */
function yearBefore(day: string): string {
  const date = day.slice(4);
  return `${String(Number(day.slice(0, 4)) - 1).padStart(4, "0")}${date === "-02-29" ? "-02-28" : date}`;
}

/** Maps a day of a range to the day that it is compared with. */
type DayBefore = (day: string) => string;

const daysBefore =
  (days: number): DayBefore =>
  (day) =>
    dayAfter(day, -days);

const inPreviousPeriod = ({ days }: Range, matchWeekdays: boolean): DayBefore =>
  daysBefore(matchWeekdays ? Math.ceil(days / WEEK_DAYS) * WEEK_DAYS : days);

/** By the calendar, the window may be a day longer or shorter than the range. */
function aYearEarlier({ start, days }: Range, matchWeekdays: boolean): DayBefore {
  if (matchWeekdays && days <= YEAR_OF_WEEKS_DAYS) return daysBefore(YEAR_OF_WEEKS_DAYS);
  // Short ranges keep their length, so that both series have hourly buckets or both have daily ones.
  return days <= HOURLY_DAYS_MAX + 1 ? daysBefore(daysBetween(yearBefore(start), start) - 1) : yearBefore;
}

/** Null if nothing is compared, or if the window would begin before the first possible day. */
export function comparedRangeOf(
  range: Range,
  { comparison, matchWeekdays, custom }: ComparisonChoice,
  today: string,
): ComparedRange | null {
  const includesToday = range.start <= today && today <= range.end;
  if (comparison === "custom") return custom && { ...custom, today: includesToday ? custom.end : null };
  if (comparison === "none") return null;
  const before = (comparison === "previous_period" ? inPreviousPeriod : aYearEarlier)(range, matchWeekdays);
  const [first, end] = [before(range.start), before(range.end)];
  const isTooLong = range.days <= SHORT_DAYS_MAX && daysBetween(first, end) > SHORT_DAYS_MAX;
  const start = isTooLong ? dayAfter(first, 1) : first;
  if (start < FIRST_DAY) return null;
  return { start, end, days: daysBetween(start, end), today: includesToday ? before(today) : null };
}
