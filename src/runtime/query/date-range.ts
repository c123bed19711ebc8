/** The dates of a report (docs/http-api.md, "Date ranges"). */
import { LONG_RANGE_DAYS_MAX, RANGE_DAYS_MAX } from "../../shared/limits.ts";
import { PERIOD_DEFAULT, PERIODS, SHORT_PERIODS, startOfPeriod } from "../../shared/periods.ts";
import { addDays, daysBetween } from "../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../storage/event.ts";
import { invalidInput, refusedValue } from "../base/errors.ts";

/** Dates of a site's calendar, both included. */
export interface DateRange {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly dayCount: number;
}

/** The periods by their names, of which `today` is another name of `day`. */
export const PERIOD_NAMES: readonly string[] = PERIODS.flatMap((period) => (period === "day" ? ["day", "today"] : [period]));

/** Names of the periods whose dates follow from the current date. */
export const SHORT_PERIOD_NAMES: readonly string[] = PERIOD_NAMES.filter((name) => name !== "all");

export function rangeOfDays(firstDay: LocalDate, lastDay: LocalDate): DateRange {
  return { firstDay, lastDay, dayCount: daysBetween(firstDay, lastDay) + 1 };
}

/** The dates of a range, oldest first. */
export const datesOf = ({ firstDay, dayCount }: DateRange): readonly LocalDate[] =>
  Array.from({ length: dayCount }, (_, i) => addDays(firstDay, i));

/** The dates on which the range of a period depends. */
export interface SiteDates {
  /** The current date of the site's calendar. */
  readonly today: LocalDate;
  /** The date of the site's first event; null if it has none. Absent where `all` is no period. */
  readonly firstDay?: LocalDate | null;
}

const later = (a: LocalDate, b: LocalDate): LocalDate => (a > b ? a : b);

/** The range from the first date on: today alone without events, and never more than a request may name. */
export function rangeOfAll(firstDay: LocalDate | null, today: LocalDate): DateRange {
  const begin = firstDay === null || firstDay > today ? today : firstDay;
  return rangeOfDays(later(begin, addDays(today, 1 - LONG_RANGE_DAYS_MAX)), today);
}

function rangeOfPeriod(name: string, { today, firstDay }: SiteDates): DateRange {
  if (name === "all" && firstDay !== undefined) return rangeOfAll(firstDay, today);
  const period = SHORT_PERIODS.find((known) => known === (name === "today" ? "day" : name));
  if (period !== undefined) return rangeOfDays(startOfPeriod(period, today) as LocalDate, today);
  throw refusedValue('"period"', `one of ${(firstDay === undefined ? SHORT_PERIOD_NAMES : PERIOD_NAMES).join(", ")}`, name);
}

/** The value of a parameter. */
interface DateText {
  readonly name: string;
  readonly value: string;
}

function parseDay({ name, value }: DateText): LocalDate {
  if (!isLocalDate(value)) throw refusedValue(`"${name}"`, "a real calendar date in the form YYYY-MM-DD", value);
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
