/** Time buckets of a range: minutes, hours, days, the weeks of a site, or months (docs/http-api.md, "Timeseries"). */
import {
  HOURLY_DAYS_MAX,
  INTERVAL_HOUR_DAYS_MAX,
  INTERVAL_MINUTE_DAYS_MAX,
  LONG_RANGE_DAYS_MAX,
  RANGE_DAYS_MAX,
} from "../../shared/limits.ts";
import { intervalByDefault, intervalDaysMax, INTERVALS, type Interval } from "../../shared/periods.ts";
import type { WeekStart } from "../../shared/site-choices.ts";
import { addDays, dayNumberOf, type Calendar } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, type LocalDate } from "../../storage/event.ts";
import { invalidInput } from "../base/errors.ts";
import { datesOf, type DateRange } from "./date-range.ts";
import { isInUtc, localTimeSql, localTimesIn, type LocalSql } from "./local-time.ts";
import { optionalOneOf, type Parameter } from "./parameters.ts";
import { fragment, sql, type SqlText } from "./sql.ts";

/** True if the text is an interval. */
export const isInterval = (text: string | null): boolean => INTERVALS.some((known) => known === text);

/** The length of buckets. Weeks are named by the day on which they begin. */
export type BucketLength = Exclude<Interval, "week"> | WeekStart;

export interface Bucket {
  /** Minutes, hours, days, weeks or months, as in `bucketSql`. */
  readonly key: number;
  /** `YYYY-MM-DD HH:MM`, or the bucket's first day in the range. */
  readonly label: string;
}

/** Parts of a day, as the clock shows them. */
interface PartOfDay {
  readonly ms: number;
  /** Parts of 24 hours. */
  readonly perDay: number;
}

const PARTS_OF_DAY: Readonly<Record<"minute" | "hour", PartOfDay>> = {
  minute: { ms: 60_000, perDay: 1440 },
  hour: { ms: 3_600_000, perDay: 24 },
};

const countOf = (days: number): string => (days === 1 ? "1 day" : `${days} days`);

/** The length of the buckets; null for that by default. */
export const INTERVAL: Parameter<Interval | null> = optionalOneOf(
  `The length of the buckets: at most ${countOf(INTERVAL_MINUTE_DAYS_MAX)} by the minute, ${INTERVAL_HOUR_DAYS_MAX} by the hour. Weeks ` +
    `begin on the site's \`week_start\`. Allows a range of up to ${LONG_RANGE_DAYS_MAX} days.`,
  INTERVALS,
  `By default \`hour\` for ranges up to ${HOURLY_DAYS_MAX} days, \`day\` up to ${RANGE_DAYS_MAX} days, \`month\` for longer ones.`,
);

/** 400 for minutes or hours in a range that is too long for them. */
export function checkInterval({ interval }: { readonly interval: Interval | null }, { dayCount }: DateRange): void {
  const isTooFine = (each: Interval) => dayCount > intervalDaysMax(each);
  if (interval === null || !isTooFine(interval)) return;
  const exceeded = Math.max(...INTERVALS.filter(isTooFine).map(intervalDaysMax));
  const allowed = INTERVALS.filter((each) => !isTooFine(each));
  const words = `${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}`;
  throw invalidInput(`"interval" must be ${words} for a range of more than ${countOf(exceeded)}`);
}

/** The buckets that are asked for, and weeks as those of the site. */
export function lengthOf(range: DateRange, asked: Interval | null, weekStart: WeekStart): BucketLength {
  const interval = asked ?? intervalByDefault(range.dayCount);
  return interval === "week" ? weekStart : interval;
}

/** The days of a range, oldest first. */
export const daysOf = (range: DateRange): readonly (Bucket & { readonly label: LocalDate })[] =>
  datesOf(range).map((day) => ({ key: dayNumberOf(day), label: day }));

const numbersTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

/**
 * The hours or minutes that the clock shows on a day, which may begin and end at any time where the time zone changes: one that comes
 * twice is one, and one that is skipped is none. A date that the calendar skips has all, so that its series is not empty.
 */
function partsOfDay({ ms, perDay }: PartOfDay, day: LocalDate, calendar: Calendar): readonly number[] {
  const [startMs, endMs] = [calendar.startOf(day), calendar.startOf(addDays(day, 1))];
  const offsets = calendar.offsetsBetween(startMs, endMs);
  const spans = offsets.map(({ fromMs, offsetMs }, i) => [fromMs + offsetMs, (offsets[i + 1]?.fromMs ?? endMs) + offsetMs] as const);
  const shown = new Set<number>();
  for (const [beginMs, untilMs] of spans) {
    for (let part = Math.floor(beginMs / ms); part * ms < untilMs; part++) shown.add(part - Math.floor(part / perDay) * perDay);
  }
  const all = numbersTo(perDay);
  return shown.size === 0 ? all : all.filter((part) => shown.has(part));
}

/** The clock time at the start of a part of a day. */
const clockLabel = (day: LocalDate, sinceMidnightMs: number): string => `${day} ${new Date(sinceMidnightMs).toISOString().slice(11, 16)}`;

const bucketsOfClock = (part: PartOfDay, range: DateRange, calendar: Calendar): readonly Bucket[] =>
  datesOf(range).flatMap((day) =>
    partsOfDay(part, day, calendar).map((i) => ({ key: dayNumberOf(day) * part.perDay + i, label: clockLabel(day, i * part.ms) })),
  );

/** Days of the week of 1970-01-01, a Thursday, that precede it. That week has number 0. */
const DAYS_BEFORE_1970: Readonly<Record<WeekStart, number>> = { monday: 3, sunday: 4, saturday: 5 };

function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

/** Buckets of whole days. */
export type DaysLength = Exclude<BucketLength, "minute" | "hour">;

/** The bucket that a day since 1970 lies in, as in `bucketSql`. */
export function bucketOfDay(day: number, length: DaysLength): number {
  if (length === "day") return day;
  return length === "month" ? monthOfDay(day) : Math.floor((day + DAYS_BEFORE_1970[length]) / 7);
}

/** Oldest first, without gaps. The first and the last week or month may be cut by the range. */
export function bucketsOf(range: DateRange, length: BucketLength, calendar: Calendar): readonly Bucket[] {
  if (length === "minute" || length === "hour") return bucketsOfClock(PARTS_OF_DAY[length], range, calendar);
  const days = daysOf(range).map(({ key, label }) => ({ key: bucketOfDay(key, length), label }));
  return days.filter(({ key }, i) => key !== days[i - 1]?.key);
}

/**
 * The hour or minute of the event's date that the clock showed. A day may be longer than 24 hours, and then some of its hours come twice:
 * like its date, an event's hour never depends on where the clock says that the day ends.
 */
export const clockPartSql = fragment(
  ({ ms, perDay }: PartOfDay, localMs: SqlText) => sql`CAST(day AS BIGINT) * ${perDay} + ((${localMs}) // ${ms}) % ${perDay}`,
);

/** Whole units since 1970-01-01 UTC. */
export const timeUnitsSql = fragment((ms: number) => sql`timestamp // ${ms}`);

const clockBucket =
  (part: PartOfDay): LocalSql =>
  (range, calendar) =>
    isInUtc(range, calendar) ? timeUnitsSql(part.ms) : clockPartSql(part, localTimeSql(range, calendar));

const MINUTE_BUCKET = clockBucket(PARTS_OF_DAY.minute);

/** The keys of an event's buckets, from its columns. */
export const HOUR_BUCKET = clockBucket(PARTS_OF_DAY.hour);

/** `HOUR_BUCKET` as a function of an event's day and timestamp. */
export function hourBucketIn(range: DateRange, calendar: Calendar): (day: number, timestampMs: EpochMs) => number {
  const localTime = localTimesIn(range, calendar);
  const { ms, perDay } = PARTS_OF_DAY.hour;
  return (day, timestampMs) => day * perDay + (Math.floor(localTime(timestampMs) / ms) % perDay);
}

export const DAY_BUCKET: LocalSql = () => sql`day`;

export const weekSql = fragment((daysBefore1970: number) => sql`(day + ${daysBefore1970}) // 7`);

export const monthSql = fragment(() => sql`date_diff('month', DATE '1970-01-01', DATE '1970-01-01' + CAST(day AS INTEGER))`);

/** The bucket key of an event. */
export function bucketSql(length: BucketLength): LocalSql {
  if (length === "minute") return MINUTE_BUCKET;
  if (length === "hour") return HOUR_BUCKET;
  if (length === "day") return DAY_BUCKET;
  return () => (length === "month" ? monthSql() : weekSql(DAYS_BEFORE_1970[length]));
}
