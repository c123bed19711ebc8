/** Time buckets of a range: hours, days, the weeks of a site, or months (docs/http-api.md, "Timeseries"). */
import { addDays, dayNumberOf, type Calendar } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, type LocalDate } from "../../storage/event.ts";
import { invalidInput } from "../errors.ts";
import { HOURLY_DAYS_MAX, INTERVAL_HOUR_DAYS_MAX } from "../config/report-limits.ts";
import type { WeekStart } from "../sites/site-settings.ts";
import { datesOf, type DateRange } from "./date-range.ts";
import { isInUtc, localTimeSql, localTimesIn, type LocalSql } from "./local-time.ts";
import { optionalOneOf, type Parameter } from "./parameters.ts";
import { perDialect, sql, type SqlText } from "./sql.ts";

export const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** How long buckets are. Weeks are named by the day that they begin on. */
export type BucketLength = Exclude<Interval, "week"> | WeekStart;

export interface Bucket {
  /** Hours, days, weeks or months, as in `bucketSql`. */
  readonly key: number;
  /** `YYYY-MM-DD HH:00`, or the bucket's first day in the range. */
  readonly label: string;
}

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** The length of the buckets; null for hours in ranges up to two days and days in longer ones. */
export const INTERVAL: Parameter<Interval | null> = optionalOneOf(
  `The length of the buckets: at most ${INTERVAL_HOUR_DAYS_MAX} days by the hour. Weeks begin on the site's \`week_start\`.`,
  INTERVALS,
  `By default \`hour\` for ranges up to ${HOURLY_DAYS_MAX} days, \`day\` for longer ones.`,
);

/** 400 for hours in a range that is too long for them. */
export function checkInterval({ interval }: { readonly interval: Interval | null }, { dayCount }: DateRange): void {
  if (interval === "hour" && dayCount > INTERVAL_HOUR_DAYS_MAX) {
    throw invalidInput(`"interval" must be day, week or month for a range of more than ${INTERVAL_HOUR_DAYS_MAX} days`);
  }
}

/** The buckets that are asked for: by default of hours or days, and weeks as those of the site. */
export function lengthOf({ dayCount }: DateRange, asked: Interval | null, weekStart: WeekStart): BucketLength {
  const interval = asked ?? (dayCount <= HOURLY_DAYS_MAX ? "hour" : "day");
  return interval === "week" ? weekStart : interval;
}

const hourLabel = (day: LocalDate, hour: number): string => `${day} ${String(hour).padStart(2, "0")}:00`;

/** The days of a range, oldest first. */
export const daysOf = (range: DateRange): readonly (Bucket & { readonly label: LocalDate })[] =>
  datesOf(range).map((day) => ({ key: dayNumberOf(day), label: day }));

const ALL_HOURS: readonly number[] = Array.from({ length: DAY_HOURS }, (_, hour) => hour);

/**
 * The hours that the clock shows on a day, which may begin and end at any hour where the time zone changes: one that comes twice is
 * one, and one that is skipped is none. A date that the calendar skips has all, so that its series is not empty.
 */
function hoursOfDay(day: LocalDate, calendar: Calendar): readonly number[] {
  const [startMs, endMs] = [calendar.startOf(day), calendar.startOf(addDays(day, 1))];
  const offsets = calendar.offsetsBetween(startMs, endMs);
  const spans = offsets.map(({ fromMs, offsetMs }, i) => [fromMs + offsetMs, (offsets[i + 1]?.fromMs ?? endMs) + offsetMs] as const);
  const shown = new Set<number>();
  for (const [beginMs, untilMs] of spans) {
    for (let hour = Math.floor(beginMs / HOUR_MS); hour * HOUR_MS < untilMs; hour++)
      shown.add(hour - Math.floor(hour / DAY_HOURS) * DAY_HOURS);
  }
  return shown.size === 0 ? ALL_HOURS : ALL_HOURS.filter((hour) => shown.has(hour));
}

const hoursOf = (range: DateRange, calendar: Calendar): readonly Bucket[] =>
  datesOf(range).flatMap((day) =>
    hoursOfDay(day, calendar).map((hour) => ({ key: dayNumberOf(day) * DAY_HOURS + hour, label: hourLabel(day, hour) })),
  );

/** How many days of its week come before 1970-01-01, a Thursday. That week has number 0. */
const DAYS_BEFORE_1970: Readonly<Record<WeekStart, number>> = { monday: 3, sunday: 4, saturday: 5 };

function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** The bucket that a day since 1970 lies in, as in `bucketSql`. */
export function bucketOfDay(day: number, length: Exclude<BucketLength, "hour">): number {
  if (length === "day") return day;
  return length === "month" ? monthOfDay(day) : Math.floor((day + DAYS_BEFORE_1970[length]) / 7);
}

/** Oldest first, without gaps. The first and the last week or month may be cut by the range. */
export function bucketsOf(range: DateRange, length: BucketLength, calendar: Calendar): readonly Bucket[] {
  if (length === "hour") return hoursOf(range, calendar);
  const days = daysOf(range).map(({ key, label }) => ({ key: bucketOfDay(key, length), label }));
  return days.filter(({ key }, i) => key !== days[i - 1]?.key);
}

/**
 * The hour of the event's date that the clock showed. A day may be longer than 24 hours, and then some of its hours come twice: like
 * its date, an event's hour never depends on where the clock says that the day ends.
 */
const hourOfDaySql: LocalSql = (range, calendar) => {
  const localMs = localTimeSql(range, calendar);
  return perDialect(
    sql`CAST(day AS BIGINT) * ${DAY_HOURS} + ((${localMs}) // ${HOUR_MS}) % ${DAY_HOURS}`,
    sql`toInt64(day) * ${DAY_HOURS} + intDiv(${localMs}, ${HOUR_MS}) % ${DAY_HOURS}`,
  );
};

const HOUR_OF_UTC = perDialect(sql`timestamp // ${HOUR_MS}`, sql`intDiv(timestamp, ${HOUR_MS})`);

/** The keys of an event's buckets, from its columns. */
export const HOUR_BUCKET: LocalSql = (range, calendar) => (isInUtc(range, calendar) ? HOUR_OF_UTC : hourOfDaySql(range, calendar));

/** `HOUR_BUCKET` as a function of an event's day and timestamp. */
export function hourBucketIn(range: DateRange, calendar: Calendar): (day: number, timestampMs: EpochMs) => number {
  const localTime = localTimesIn(range, calendar);
  return (day, timestampMs) => day * DAY_HOURS + (Math.floor(localTime(timestampMs) / HOUR_MS) % DAY_HOURS);
}

export const DAY_BUCKET: LocalSql = () => sql`day`;

function weekSql(weekStart: WeekStart): SqlText {
  const days = DAYS_BEFORE_1970[weekStart];
  return perDialect(sql`(day + ${days}) // 7`, sql`intDiv(day + ${days}, 7)`);
}

const MONTH = perDialect(
  sql`date_diff('month', DATE '1970-01-01', DATE '1970-01-01' + CAST(day AS INTEGER))`,
  sql`(toYear(toDate32(day)) - 1970) * 12 + toMonth(toDate32(day)) - 1`,
);

/** The bucket key of an event. */
export function bucketSql(length: BucketLength): LocalSql {
  if (length === "hour") return HOUR_BUCKET;
  if (length === "day") return DAY_BUCKET;
  return () => (length === "month" ? MONTH : weekSql(length));
}
