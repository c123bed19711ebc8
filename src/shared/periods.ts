/** Periods by name, the buckets of their series, and how far back they are compared (docs/http-api.md, "Date ranges", "Timeseries"). Dates are `YYYY-MM-DD`. */
import { HOURLY_DAYS_MAX, INTERVAL_HOUR_DAYS_MAX, INTERVAL_MINUTE_DAYS_MAX, RANGE_DAYS_MAX } from "./limits.ts";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** `month` and `year` begin with those of the calendar, `all` with the site's first event. */
export const PERIODS = ["day", "7d", "30d", "90d", "6mo", "12mo", "month", "year", "all"] as const;
export type Period = (typeof PERIODS)[number];

/** Days of the periods with a fixed length. `6mo` is half of `12mo`, in whole weeks. */
export const PERIOD_DAYS: Readonly<Partial<Record<Period, number>>> = { day: 1, "7d": 7, "30d": 30, "90d": 90, "6mo": 182, "12mo": 365 };

export type ShortPeriod = Exclude<Period, "all">;

/** The periods whose dates follow from the current date. */
export const SHORT_PERIODS = PERIODS.filter((period) => period !== "all");

export const PERIOD_DEFAULT = "30d";

export const dayAfter = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/** The first date of a period, which ends today. */
export function startOfPeriod(period: ShortPeriod, today: string): string {
  if (period === "month") return `${today.slice(0, 7)}-01`;
  if (period === "year") return `${today.slice(0, 4)}-01-01`;
  return dayAfter(today, 1 - (PERIOD_DAYS[period] ?? 1));
}

/** The fewest whole weeks that lead from a range to one before it on the same weekdays, in days. */
export const daysOfWholeWeeks = (days: number): number => Math.ceil(days / WEEK_DAYS) * WEEK_DAYS;

export const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** True if buckets are parts of a day, as the site's clock shows them. */
export const isOfClock = (interval: string): interval is "minute" | "hour" => interval === "minute" || interval === "hour";

/** Longest range with such buckets. */
export function intervalDaysMax(interval: Interval): number {
  if (interval === "minute") return INTERVAL_MINUTE_DAYS_MAX;
  return interval === "hour" ? INTERVAL_HOUR_DAYS_MAX : Number.POSITIVE_INFINITY;
}

/** The buckets that the service chooses for a range of so many days. */
export function intervalByDefault(days: number): Interval {
  if (days > RANGE_DAYS_MAX) return "month";
  return days <= HOURLY_DAYS_MAX ? "hour" : "day";
}
