/** The dates of a report (docs/http-api.md, "Date ranges"). */
import { addDays, daysBetween } from "../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../storage/event.ts";
import { invalidInput } from "../base/errors.ts";
import { LONG_RANGE_DAYS_MAX, RANGE_DAYS_MAX } from "../base/config/report-limits.ts";

/** Dates of a site's calendar, both included. */
export interface DateRange {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly dayCount: number;
}

/** Dates of the periods of one length, today included. `6mo` is half of `12mo`, in whole weeks. */
const PERIOD_DAYS = { day: 1, today: 1, "7d": 7, "30d": 30, "90d": 90, "6mo": 182, "12mo": 365 } as const;

/** The first dates of the other periods but `all`. */
const PERIOD_STARTS: Readonly<Record<"month" | "year", (today: LocalDate) => string>> = {
  month: (today) => `${today.slice(0, 7)}-01`,
  year: (today) => `${today.slice(0, 4)}-01-01`,
};

/** The period from the first date with events on. */
export const ALL = "all";

export const PERIODS: readonly string[] = [...Object.keys(PERIOD_DAYS), ...Object.keys(PERIOD_STARTS), ALL];

/** Those that are known from the current date alone. */
export const SHORT_PERIODS: readonly string[] = PERIODS.filter((period) => period !== ALL);

export const PERIOD_DEFAULT = "30d";

export function rangeOfDays(firstDay: LocalDate, lastDay: LocalDate): DateRange {
  return { firstDay, lastDay, dayCount: daysBetween(firstDay, lastDay) + 1 };
}

/** The dates of a range, oldest first. */
export const datesOf = ({ firstDay, dayCount }: DateRange): readonly LocalDate[] =>
  Array.from({ length: dayCount }, (_, i) => addDays(firstDay, i));

/** What the range of a period depends on. */
export interface SiteDates {
  /** The current date of the site's calendar. */
  readonly today: LocalDate;
  /** The date of the site's first event; null if it has none. Absent where `all` is no period. */
  readonly firstDay?: LocalDate | null;
}

const later = (a: LocalDate, b: LocalDate): LocalDate => (a > b ? a : b);

/** From the first date on: today alone without events, and never more than a request may name. */
export function rangeOfAll(firstDay: LocalDate | null, today: LocalDate): DateRange {
  const begin = firstDay === null || firstDay > today ? today : firstDay;
  return rangeOfDays(later(begin, addDays(today, 1 - LONG_RANGE_DAYS_MAX)), today);
}

function rangeOfPeriod(period: string, { today, firstDay }: SiteDates): DateRange {
  if (period === ALL && firstDay !== undefined) return rangeOfAll(firstDay, today);
  if (Object.hasOwn(PERIOD_STARTS, period)) return rangeOfDays(PERIOD_STARTS[period as "month"](today) as LocalDate, today);
  if (Object.hasOwn(PERIOD_DAYS, period)) return rangeOfDays(addDays(today, 1 - PERIOD_DAYS[period as "day"]), today);
  throw invalidInput(`"period" must be one of ${(firstDay === undefined ? SHORT_PERIODS : PERIODS).join(", ")}`);
}

/** The value of a parameter. */
interface DateText {
  readonly name: string;
  readonly value: string;
}

function parseDay({ name, value }: DateText): LocalDate {
  if (!isLocalDate(value)) throw invalidInput(`"${name}" must be a real calendar date in the form YYYY-MM-DD`);
  return value;
}

/** 400 for invalid dates, an end before the start, or too many days. */
export function parseDates(first: DateText, last: DateText, daysMax: number = RANGE_DAYS_MAX): DateRange {
  const range = rangeOfDays(parseDay(first), parseDay(last));
  if (range.dayCount < 1) throw invalidInput(`"${last.name}" must not be before "${first.name}"`);
  if (range.dayCount > daysMax) {
    throw invalidInput(`"${first.name}" to "${last.name}" must span at most ${daysMax} days, both included`);
  }
  return range;
}

/** The text of the parameters. */
export interface DateTexts {
  readonly period: string | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
}

/** 400 for invalid dates, or one date without the other. `daysMax` is of dates that the parameters name. */
export function parseDateRange({ period, startDate, endDate }: DateTexts, site: SiteDates, daysMax?: number): DateRange {
  if (startDate === null && endDate === null) return rangeOfPeriod(period ?? PERIOD_DEFAULT, site);
  if (startDate === null) throw invalidInput('"start_date" is required when "end_date" is given');
  if (endDate === null) throw invalidInput('"end_date" is required when "start_date" is given');
  return parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate }, daysMax);
}
