/** Date arithmetic: ranges of days, whatever their time zone, and the periods before and after. */

const DAY_MS = 86_400_000;

export const PERIODS = ["day", "7d", "30d", "90d", "12mo"] as const;
export type Period = (typeof PERIODS)[number];

const DAYS: Readonly<Record<Period, number>> = { day: 1, "7d": 7, "30d": 30, "90d": 90, "12mo": 365 };

/** A series over at most this many days has hourly buckets (docs/http-api.md, "Timeseries"). */
export const HOURLY_DAYS_MAX = 2;

/** The service's limit (docs/http-api.md, "Date ranges"). */
export const DAYS_MAX = 366;

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
  return days > DAYS_MAX ? { date: "start", text: `Choose up to ${DAYS_MAX} days: this range has ${days}.` } : null;
}

const lastDays = (days: number, end: string): Range => ({ start: dayAfter(end, 1 - days), end, days });

/** The range of these dates, or the closest that can be shown: the last days of a longer one, the last 30 days for invalid dates. */
export function customRange(start: string, end: string, today: string): Range {
  if (rangeProblem(start, end) === null) return { start, end, days: daysBetween(start, end) };
  return isDay(start) && isDay(end) && start <= end ? lastDays(DAYS_MAX, end) : lastDays(DAYS["30d"], today);
}

export const rangeOf = (period: Period, today: string): Range => lastDays(DAYS[period], today);

export const isHourly = ({ days }: Range): boolean => days <= HOURLY_DAYS_MAX;

/** URL parameters of the range moved by its length, `lengths` times: a named period if it ends today, null in the future and before 1970. */
export function shifted({ start, end, days }: Range, lengths: number, today: string): Readonly<Record<string, string | null>> | null {
  const [from, to] = [dayAfter(start, lengths * days), dayAfter(end, lengths * days)];
  if (from > today || rangeProblem(from, to)) return null;
  const named = to === today ? PERIODS.find((period) => DAYS[period] === days) : undefined;
  return named ? { period: named, start: null, end: null } : { period: null, start: from, end: to };
}
