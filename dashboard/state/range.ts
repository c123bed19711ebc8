/** Date arithmetic, independent of time zones: ranges, calendar weeks, dates of share links, and the ranges before, after and compared. */
import { HOURLY_DAYS_MAX, LONG_RANGE_DAYS_MAX, RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { dayAfter, daysOfWholeWeeks, PERIOD_DAYS, PERIODS, SHORT_PERIODS, startOfPeriod, type Period } from "../../src/shared/periods.ts";
import type { WeekStart } from "../../src/shared/site-choices.ts";
import { fill, words } from "../words/words.ts";

const DAY_MS = 86_400_000;

/** The first date that events may have. */
export const FIRST_DAY = "1970-01-01";

/** Both days are included. */
export interface Range {
  readonly start: string;
  readonly end: string;
  readonly days: number;
}

/** `Date.parse` reads 31 February as 3 March. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= FIRST_DAY && !Number.isNaN(Date.parse(text)) && dayAfter(text, 0) === text;

export const daysBetween = (start: string, end: string): number => Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;

/** The reason why a range cannot be shown, and the date to change. */
export interface RangeProblem {
  readonly date: "start" | "end";
  readonly text: string;
}

const NO_DATE = words.state.noDate;

export function rangeProblem(start: string, end: string): RangeProblem | null {
  if (!isDay(start)) return { date: "start", text: NO_DATE };
  if (!isDay(end)) return { date: "end", text: NO_DATE };
  if (end < start) return { date: "end", text: words.state.endBeforeStart };
  const days = daysBetween(start, end);
  if (days <= LONG_RANGE_DAYS_MAX) return null;
  return { date: "start", text: fill(words.state.tooManyDays, { max: LONG_RANGE_DAYS_MAX, days }) };
}

const lastDays = (days: number, end: string): Range => ({ start: dayAfter(end, 1 - days), end, days });

const since = (start: string, end: string): Range => ({ start, end, days: daysBetween(start, end) });

/** Falls back to the closest valid range: the last days of a longer one, or the last 30 days for invalid dates. */
export function customRange(start: string, end: string, today: string): Range {
  if (rangeProblem(start, end) === null) return since(start, end);
  return isDay(start) && isDay(end) && start <= end ? lastDays(LONG_RANGE_DAYS_MAX, end) : rangeOf("30d", today);
}

/** `firstDay` is the date of the first event. */
export const rangeOf = (period: Period, today: string, firstDay = today): Range =>
  since(period === "all" ? (firstDay < today ? firstDay : today) : startOfPeriod(period, today), today);

/** Numbered like `getUTCDay`. */
const FIRST_WEEKDAY: Readonly<Record<WeekStart, number>> = { monday: 1, sunday: 0, saturday: 6 };

const WEEK_DAYS = 7;

const weekdayOf = (day: string): number => new Date(day).getUTCDay();

/** The first day of a month `months` later. */
export function monthAfter(day: string, months: number): string {
  const index = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months;
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}-01`;
}

export function weekOf(day: string, weekStart: WeekStart): string[] {
  const first = dayAfter(day, -((weekdayOf(day) - FIRST_WEEKDAY[weekStart] + WEEK_DAYS) % WEEK_DAYS));
  return Array.from({ length: WEEK_DAYS }, (_, i) => dayAfter(first, i));
}

/** Weeks with days of the month, including their days of other months. */
export function weeksOfMonth(day: string, weekStart: WeekStart): string[][] {
  const next = monthAfter(day, 1);
  const weeks: string[][] = [];
  for (let week = weekOf(monthAfter(day, 0), weekStart); (week[0] ?? next) < next; week = weekOf(dayAfter(week[6] ?? next, 1), weekStart))
    weeks.push(week);
  return weeks;
}

/** A share link's dates in the API. */
interface SharedDates {
  readonly period: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
}

/** null if the link has no period. Older links may have `today` for `day`. */
export const sharedPeriod = ({ period }: Pick<SharedDates, "period">): Period | null =>
  PERIODS.find((known) => known === (period === "today" ? "day" : period)) ?? null;

/** null for all dates. */
export function sharedRange(dates: SharedDates, today: string): Range | null {
  const period = sharedPeriod(dates);
  if (period === "all") return null;
  if (period) return rangeOf(period, today);
  const { start_date: start, end_date: end } = dates;
  return start === null || end === null ? null : { start, end, days: daysBetween(start, end) };
}

/** null bounds contain everything. */
export const isWithin = ({ start, end }: Pick<Range, "start" | "end">, bounds: Range | null): boolean =>
  bounds === null || (bounds.start <= start && end <= bounds.end);

/** Cuts a range to the bounds. Falls back to all of the bounds. */
export function rangeWithin(range: Range, bounds: Range | null, today: string): Range {
  if (bounds === null || isWithin(range, bounds)) return range;
  const start = range.start > bounds.start ? range.start : bounds.start;
  const end = range.end < bounds.end ? range.end : bounds.end;
  return start <= end ? { start, end, days: daysBetween(start, end) } : customRange(bounds.start, bounds.end, today);
}

/** The reason why a link does not show a range. */
export function sharedRangeProblem(start: string, end: string, bounds: Range | null): RangeProblem | null {
  if (bounds === null || isWithin({ start, end }, bounds)) return null;
  return {
    date: start < bounds.start || start > bounds.end ? "start" : "end",
    text: fill(words.state.sharedDates, { start: bounds.start, end: bounds.end }),
  };
}

interface Surroundings {
  /** `custom` for two dates. */
  readonly period: Period | "custom";
  readonly today: string;
  /** Dates that can be shown; null for all. */
  readonly bounds: Range | null;
}

/** Periods of whole months, in months. */
const PERIOD_MONTHS: Readonly<Partial<Record<Period, number>>> = { month: 1, year: 12 };

/** Undefined if the range is not a calendar month or year. */
function monthsOf({ start, end }: Range, period: Surroundings["period"]): number | undefined {
  if (period !== "custom") return PERIOD_MONTHS[period];
  const after = dayAfter(end, 1);
  if (start.endsWith("-01-01") && after === monthAfter(start, 12)) return 12;
  return start.endsWith("-01") && after === monthAfter(start, 1) ? 1 : undefined;
}

function datesAfter({ start, end, days }: Range, lengths: number, months: number | undefined): Pick<Range, "start" | "end"> {
  if (months === undefined) return { start: dayAfter(start, lengths * days), end: dayAfter(end, lengths * days) };
  const first = monthAfter(start, lengths * months);
  return { start: first, end: dayAfter(monthAfter(first, months), -1) };
}

/**
 * URL parameters of the shifted range: calendar months and years move by months, other ranges by their length. A range that contains today
 * becomes a named period. Null if it cannot be shown.
 */
export function shifted(range: Range, lengths: number, surroundings: Surroundings): Readonly<Record<string, string | null>> | null {
  const { period, today, bounds } = surroundings;
  if (period === "all") return null;
  const months = monthsOf(range, period);
  const moved = datesAfter(range, lengths, months);
  const isCurrent = months === undefined ? moved.end === today : moved.end >= today;
  if (moved.start > today || rangeProblem(moved.start, moved.end)) return null;
  const end = isCurrent ? today : moved.end;
  if (!isWithin({ start: moved.start, end }, bounds)) return null;
  const lengthOf = (each: Period) => (months === undefined ? PERIOD_DAYS[each] === range.days : PERIOD_MONTHS[each] === months);
  const named = isCurrent ? SHORT_PERIODS.find(lengthOf) : undefined;
  return named ? { period: named, start: null, end: null } : { period: null, start: moved.start, end };
}

export type Comparison = "previous_period" | "year_over_year" | "custom" | "none";

export interface ComparedRange extends Range {
  /** The day compared with today, which counts only until the current time; null if the range excludes today. */
  readonly today: string | null;
}

export interface ComparisonChoice {
  readonly comparison: Comparison;
  /** The window begins on the same weekday as the range. */
  readonly matchWeekdays: boolean;
  /** Dates of the comparison `custom`. */
  readonly custom: Range | null;
}

const YEAR_OF_WEEKS_DAYS = 52 * 7;

/** 28 February for 29 February. */
function yearBefore(day: string): string {
  const date = day.slice(4);
  return `${String(Number(day.slice(0, 4)) - 1).padStart(4, "0")}${date === "-02-29" ? "-02-28" : date}`;
}

type DayBefore = (day: string) => string;

const daysBefore =
  (days: number): DayBefore =>
  (day) =>
    dayAfter(day, -days);

const inPreviousPeriod = ({ days }: Range, matchWeekdays: boolean): DayBefore => daysBefore(matchWeekdays ? daysOfWholeWeeks(days) : days);

/** Calendar years may make the window a day longer or shorter. */
function aYearEarlier({ start, days }: Range, matchWeekdays: boolean): DayBefore {
  if (matchWeekdays && days <= YEAR_OF_WEEKS_DAYS) return daysBefore(YEAR_OF_WEEKS_DAYS);
  // Short ranges keep their length, so that both series have hourly buckets or both have daily ones.
  return days <= HOURLY_DAYS_MAX + 1 ? daysBefore(daysBetween(yearBefore(start), start) - 1) : yearBefore;
}

/** null without a comparison, or if the window would begin before `FIRST_DAY`. */
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
  const isTooLong = range.days <= RANGE_DAYS_MAX && daysBetween(first, end) > RANGE_DAYS_MAX;
  const start = isTooLong ? dayAfter(first, 1) : first;
  if (start < FIRST_DAY) return null;
  return { start, end, days: daysBetween(start, end), today: includesToday ? before(today) : null };
}
