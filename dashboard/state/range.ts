/** Date arithmetic: the periods, and ranges of days, whatever their time zone. */

const DAY_MS = 86_400_000;

export const PERIODS = ["day", "7d", "30d", "90d", "6mo", "12mo", "month", "year", "all"] as const;
export type Period = (typeof PERIODS)[number];

/** Those that the current date alone tells. `all` begins with the first event. */
export const SHORT_PERIODS = PERIODS.filter((period) => period !== "all");

/** Of the periods of one length (docs/http-api.md, "Date ranges"). */
export const PERIOD_DAYS: Readonly<Partial<Record<Period, number>>> = { day: 1, "7d": 7, "30d": 30, "90d": 90, "6mo": 182, "12mo": 365 };

/** A series over at most this many days has hourly buckets (docs/http-api.md, "Timeseries"). */
export const HOURLY_DAYS_MAX = 2;

/** Requests for more days have an `interval` (docs/http-api.md, "Date ranges"). */
export const SHORT_DAYS_MAX = 366;

/** The service's limit. */
const DAYS_MAX = 10_000;

/** No event is older. */
export const FIRST_DAY = "1970-01-01";

/** Both days are included. */
export interface Range {
  readonly start: string;
  readonly end: string;
  readonly days: number;
}

export const dayAfter = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Rejects dates that do not exist: `Date.parse` reads 31 February as 3 March. */
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && text >= FIRST_DAY && !Number.isNaN(Date.parse(text)) && dayAfter(text, 0) === text;

export const daysBetween = (start: string, end: string): number => Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;

/** Why a range cannot be shown, and which of its dates to change. */
export interface RangeProblem {
  readonly date: "start" | "end";
  readonly text: string;
}

const NO_DATE = "Enter a date from 1 January 1970 on.";

export function rangeProblem(start: string, end: string): RangeProblem | null {
  if (!isDay(start)) return { date: "start", text: NO_DATE };
  if (!isDay(end)) return { date: "end", text: NO_DATE };
  if (end < start) return { date: "end", text: "The end date must not be before the start date." };
  const days = daysBetween(start, end);
  if (days <= DAYS_MAX) return null;
  return { date: "start", text: `Choose up to ${DAYS_MAX} days: this range has ${days}.` };
}

const lastDays = (days: number, end: string): Range => ({ start: dayAfter(end, 1 - days), end, days });

const since = (start: string, end: string): Range => ({ start, end, days: daysBetween(start, end) });

/** The range of these dates, or the closest that can be shown: the last days of a longer one, the last 30 days for invalid dates. */
export function customRange(start: string, end: string, today: string): Range {
  if (rangeProblem(start, end) === null) return since(start, end);
  return isDay(start) && isDay(end) && start <= end ? lastDays(DAYS_MAX, end) : rangeOf("30d", today);
}

/** `firstDay` is the date of the first event. */
export function rangeOf(period: Period, today: string, firstDay = today): Range {
  if (period === "all") return since(firstDay < today ? firstDay : today, today);
  if (period === "month") return since(`${today.slice(0, 7)}-01`, today);
  if (period === "year") return since(`${today.slice(0, 4)}-01-01`, today);
  return lastDays(PERIOD_DAYS[period] ?? 1, today);
}

export const isHourly = ({ days }: Range): boolean => days <= HOURLY_DAYS_MAX;
