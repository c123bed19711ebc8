/** Date arithmetic: ranges of UTC days, the compared range, and the periods before and after. */

const DAY_MS = 86_400_000;

export const PERIODS = ["day", "7d", "30d", "90d", "12mo"] as const;
export type Period = (typeof PERIODS)[number];

const DAYS: Readonly<Record<Period, number>> = { day: 1, "7d": 7, "30d": 30, "90d": 90, "12mo": 365 };

/** A series over at most this many days has hourly buckets (docs/http-api.md, "Timeseries"). */
const HOURLY_DAYS_MAX = 2;

/** Both days are included. */
export interface Range {
  readonly start: string;
  readonly end: string;
  readonly days: number;
}

export const dayAfter = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const isDay = (text: string | null): text is string => text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));

export const daysBetween = (start: string, end: string): number => Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;

export function rangeOf(period: Period | "custom", start: string | null, end: string | null, today: string): Range {
  if (period === "custom" && isDay(start) && isDay(end) && start <= end) return { start, end, days: daysBetween(start, end) };
  const days = period === "custom" ? DAYS["30d"] : DAYS[period];
  return { start: dayAfter(today, 1 - days), end: today, days };
}

/** The range of the same length that the service compares with. */
export function comparedRange({ start, end, days }: Range, comparison: "previous_period" | "year_over_year"): Range {
  const back = comparison === "previous_period" ? days : 365;
  return { start: dayAfter(start, -back), end: dayAfter(end, -back), days };
}

export const isHourly = ({ days }: Range): boolean => days <= HOURLY_DAYS_MAX;

/** URL parameters of the range moved by this many lengths; a named period if it ends today, null if it starts in the future. */
export function shifted({ start, end, days }: Range, lengths: number, today: string): Readonly<Record<string, string | null>> | null {
  const [from, to] = [dayAfter(start, lengths * days), dayAfter(end, lengths * days)];
  if (from > today) return null;
  const named = to === today ? PERIODS.find((period) => DAYS[period] === days) : undefined;
  return named ? { period: named, start: null, end: null } : { period: null, start: from, end: to };
}
