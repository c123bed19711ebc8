/** The dates of a report (docs/http-api.md, "Date ranges"). */
import { addDays, daysBetween } from "../../storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { RANGE_DAYS_MAX } from "../config/report-limits.ts";

/** Dates of a site's calendar, both included. */
export interface DateRange {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly dayCount: number;
}

/** Dates of each period, today included. */
const PERIOD_DAYS = { day: 1, today: 1, "7d": 7, "30d": 30, "90d": 90, "12mo": 365 } as const;
export const PERIODS = Object.keys(PERIOD_DAYS) as readonly (keyof typeof PERIOD_DAYS)[];
export const PERIOD_DEFAULT = "30d";

export function rangeOfDays(firstDay: LocalDate, lastDay: LocalDate): DateRange {
  return { firstDay, lastDay, dayCount: daysBetween(firstDay, lastDay) + 1 };
}

/** The dates of a range, oldest first. */
export const datesOf = ({ firstDay, dayCount }: DateRange): readonly LocalDate[] =>
  Array.from({ length: dayCount }, (_, i) => addDays(firstDay, i));

function rangeOfPeriod(period: string, today: LocalDate): DateRange {
  if (!Object.hasOwn(PERIOD_DAYS, period)) {
    throw invalidInput(`"period" must be one of ${PERIODS.join(", ")}`);
  }
  const days = PERIOD_DAYS[period as keyof typeof PERIOD_DAYS];
  return rangeOfDays(addDays(today, 1 - days), today);
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

/** 400 for invalid dates, an end before the start, or more than 366 days. */
export function parseDates(first: DateText, last: DateText): DateRange {
  const range = rangeOfDays(parseDay(first), parseDay(last));
  if (range.dayCount < 1) throw invalidInput(`"${last.name}" must not be before "${first.name}"`);
  if (range.dayCount > RANGE_DAYS_MAX) {
    throw invalidInput(`"${first.name}" to "${last.name}" must span at most ${RANGE_DAYS_MAX} days, both included`);
  }
  return range;
}

/** The range of the parameters; `today` is the current date of the site's calendar. 400 for invalid dates, or one date without the other. */
export function parseDateRange(
  { period, startDate, endDate }: { period: string | null; startDate: string | null; endDate: string | null },
  today: LocalDate,
): DateRange {
  if (startDate === null && endDate === null) return rangeOfPeriod(period ?? PERIOD_DEFAULT, today);
  if (startDate === null) throw invalidInput('"start_date" is required when "end_date" is given');
  if (endDate === null) throw invalidInput('"end_date" is required when "start_date" is given');
  return parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate });
}
