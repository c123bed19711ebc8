/** The dates of a report (docs/http-api.md, "Date ranges"). */
import { DAY_MS, isUtcDay, startOfDayMs, utcDayOf, type EpochMs, type UtcDay } from "../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { RANGE_DAYS_MAX } from "../config/report-limits.ts";

/** Whole days, both included; `endMs` is the first instant after them. */
export interface DateRange {
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly dayCount: number;
}

/** Dates of each period, today included. */
const PERIOD_DAYS = { day: 1, today: 1, "7d": 7, "30d": 30, "90d": 90, "12mo": 365 } as const;
export const PERIODS = Object.keys(PERIOD_DAYS) as readonly (keyof typeof PERIOD_DAYS)[];
export const PERIOD_DEFAULT = "30d";

export function rangeOfDays(firstDay: UtcDay, lastDay: UtcDay): DateRange {
  const startMs = startOfDayMs(firstDay);
  const endMs = startOfDayMs(lastDay) + DAY_MS;
  return { firstDay, lastDay, startMs, endMs, dayCount: (endMs - startMs) / DAY_MS };
}

function rangeOfPeriod(period: string, nowMs: EpochMs): DateRange {
  if (!Object.hasOwn(PERIOD_DAYS, period)) {
    throw invalidInput(`"period" must be one of ${PERIODS.join(", ")}`);
  }
  const days = PERIOD_DAYS[period as keyof typeof PERIOD_DAYS];
  return rangeOfDays(utcDayOf(nowMs - (days - 1) * DAY_MS), utcDayOf(nowMs));
}

/** The value of a parameter. */
interface DateText {
  readonly name: string;
  readonly value: string;
}

function parseDay({ name, value }: DateText): UtcDay {
  if (!isUtcDay(value)) throw invalidInput(`"${name}" must be a real calendar date in the form YYYY-MM-DD`);
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

/** The range of the parameters; 400 for invalid dates, or one date without the other. */
export function parseDateRange(
  { period, startDate, endDate }: { period: string | null; startDate: string | null; endDate: string | null },
  nowMs: EpochMs,
): DateRange {
  if (startDate === null && endDate === null) return rangeOfPeriod(period ?? PERIOD_DEFAULT, nowMs);
  if (startDate === null) throw invalidInput('"start_date" is required when "end_date" is given');
  if (endDate === null) throw invalidInput('"end_date" is required when "start_date" is given');
  return parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate });
}
