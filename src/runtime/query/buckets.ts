/** Time buckets of a range: hours, days, ISO weeks or months (docs/http-api.md, "Timeseries"). */
import { dayNumberOf } from "../../storage/calendar.ts";
import { utcDayOf, DAY_MS, type UtcDay } from "../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { HOURLY_DAYS_MAX, INTERVAL_HOUR_DAYS_MAX } from "../config/report-limits.ts";
import { type DateRange } from "./date-range.ts";
import { optionalOneOf, type Parameter } from "./parameters.ts";
import { perDialect, sql, type SqlText } from "./sql.ts";

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

export interface Bucket {
  /** Hours, days, weeks or months, as in `bucketSql`. */
  readonly key: number;
  /** `YYYY-MM-DD HH:00`, or the bucket's first day in the range. */
  readonly label: string;
}

const HOUR_MS = 3_600_000;

/** The length of the buckets; null for hours in ranges up to two days and days in longer ones. */
export const INTERVAL: Parameter<Interval | null> = optionalOneOf(
  `The length of the buckets: at most ${INTERVAL_HOUR_DAYS_MAX} days by the hour. Weeks begin on Monday.`,
  INTERVALS,
  `By default \`hour\` for ranges up to ${HOURLY_DAYS_MAX} days, \`day\` for longer ones.`,
);

/** 400 for hours in a range that is too long for them. */
export function checkInterval({ interval }: { readonly interval: Interval | null }, { dayCount }: DateRange): void {
  if (interval === "hour" && dayCount > INTERVAL_HOUR_DAYS_MAX) {
    throw invalidInput(`"interval" must be day, week or month for a range of more than ${INTERVAL_HOUR_DAYS_MAX} days`);
  }
}

export const intervalOf = ({ dayCount }: DateRange, interval: Interval | null): Interval =>
  interval ?? (dayCount <= HOURLY_DAYS_MAX ? "hour" : "day");

const hourLabel = (hour: number): string => {
  const instant = new Date(hour * HOUR_MS).toISOString();
  return `${instant.slice(0, 10)} ${instant.slice(11, 13)}:00`;
};

/** The days of a range, oldest first. */
export const daysOf = ({ firstDay, startMs, dayCount }: DateRange): readonly (Bucket & { readonly label: UtcDay })[] =>
  Array.from({ length: dayCount }, (_, i) => ({ key: dayNumberOf(firstDay) + i, label: utcDayOf(startMs + i * DAY_MS) }));

const hoursOf = ({ startMs, endMs }: DateRange): readonly Bucket[] =>
  Array.from({ length: (endMs - startMs) / HOUR_MS }, (_, i) => {
    const key = startMs / HOUR_MS + i;
    return { key, label: hourLabel(key) };
  });

/** 1970-01-01 was a Thursday, so the week that begins on Monday, 1969-12-29 has number 0 (ISO 8601). */
const DAYS_BEFORE_1970 = 3;

/** Weeks or months since 1970 of a day since 1970, as in `bucketSql`. */
const KEY_OF_DAY = {
  week: (day: number): number => Math.floor((day + DAYS_BEFORE_1970) / 7),
  month(day: number): number {
    const date = new Date(day * DAY_MS);
    return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
  },
} as const;

/** The bucket that a day lies in. */
export const bucketOfDay = (day: number, interval: Exclude<Interval, "hour">): number =>
  interval === "day" ? day : KEY_OF_DAY[interval](day);

/** Oldest first, without gaps. The first and the last week or month may be cut by the range. */
export function bucketsOf(range: DateRange, interval: Interval): readonly Bucket[] {
  if (interval === "hour") return hoursOf(range);
  const days = daysOf(range).map(({ key, label }) => ({ key: bucketOfDay(key, interval), label }));
  return days.filter(({ key }, i) => key !== days[i - 1]?.key);
}

/** The keys of an event's buckets, from its columns. */
export const HOUR_BUCKET = perDialect(sql`timestamp // ${HOUR_MS}`, sql`intDiv(timestamp, ${HOUR_MS})`);
export const DAY_BUCKET = sql`day`;

const BUCKETS: Readonly<Record<Interval, SqlText>> = {
  hour: HOUR_BUCKET,
  day: DAY_BUCKET,
  week: perDialect(sql`(day + ${DAYS_BEFORE_1970}) // 7`, sql`intDiv(day + ${DAYS_BEFORE_1970}, 7)`),
  month: perDialect(
    sql`date_diff('month', DATE '1970-01-01', DATE '1970-01-01' + CAST(day AS INTEGER))`,
    sql`(toYear(toDate32(day)) - 1970) * 12 + toMonth(toDate32(day)) - 1`,
  ),
};

/** The bucket key of an event. */
export const bucketSql = (interval: Interval): SqlText => BUCKETS[interval];
