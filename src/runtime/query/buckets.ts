/** Time buckets of a range: hours up to two days, days for longer ranges (docs/http-api.md, "Timeseries"). */
import { dayNumberOf } from "../../storage/calendar.ts";
import { utcDayOf, DAY_MS, type UtcDay } from "../../storage/event.ts";
import { HOURLY_DAYS_MAX } from "../config/limits.ts";
import { type DateRange } from "./date-range.ts";
import { sql, type SqlText } from "./sql.ts";

export interface Bucket {
  /** Hours or days since the epoch, as in `bucketSql`. */
  readonly key: number;
  /** `YYYY-MM-DD HH:00` or `YYYY-MM-DD`. */
  readonly label: string;
}

const HOUR_MS = 3_600_000;

const isHourly = ({ dayCount }: DateRange): boolean => dayCount <= HOURLY_DAYS_MAX;

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

/** Oldest first, without gaps. */
export const bucketsOf = (range: DateRange): readonly Bucket[] => (isHourly(range) ? hoursOf(range) : daysOf(range));

/** The keys of an event's buckets, from its columns. */
export const HOUR_BUCKET = sql`timestamp // ${HOUR_MS}`;
export const DAY_BUCKET = sql`day`;

/** The bucket key of an event in a range. */
export const bucketSql = (range: DateRange): SqlText => (isHourly(range) ? HOUR_BUCKET : DAY_BUCKET);
