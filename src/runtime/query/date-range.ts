/**
 * The dates of a report (docs/http-api.md, "Date ranges"), the local time of a site, here and in SQL (docs/time-zones.md, "Days and
 * hours"), and the time buckets of a range: minutes, hours, days, the weeks of a site, or months (docs/http-api.md, "Timeseries").
 */
import {
  HOURLY_DAYS_MAX,
  INTERVAL_HOUR_DAYS_MAX,
  INTERVAL_MINUTE_DAYS_MAX,
  LONG_RANGE_DAYS_MAX,
  RANGE_DAYS_MAX,
} from "../../shared/limits.ts";
import {
  type Interval,
  intervalByDefault,
  intervalDaysMax,
  INTERVALS,
  PERIOD_DEFAULT,
  PERIODS,
  SHORT_PERIODS,
  startOfPeriod,
} from "../../shared/periods.ts";
import type { WeekStart } from "../../shared/site-choices.ts";
import { addDays, type Calendar, dayNumberOf, daysBetween, firstDateOfPeriod } from "../../storage/calendar.ts";
import { DAY_MS, type EpochMs, isLocalDate, type LocalDate, startOfDayMs } from "../../storage/event.ts";
import { invalidInput, refusedValue } from "../base/errors.ts";
import { optionalOneOf, type Parameter } from "./parameters.ts";
import { fragment, sql, type SqlText } from "./sql.ts";

/** Dates of a site's calendar, both included. */
export interface DateRange {
  readonly firstDay: LocalDate;
  readonly lastDay: LocalDate;
  readonly dayCount: number;
}

/** The periods by their names, of which `today` is another name of `day`. */
export const PERIOD_NAMES: readonly string[] = PERIODS.flatMap((period) => (period === "day" ? ["day", "today"] : [period]));

export const SHORT_PERIOD_NAMES: readonly string[] = PERIOD_NAMES.filter((name) => name !== "all");

export function rangeOfDays(firstDay: LocalDate, lastDay: LocalDate): DateRange {
  return { firstDay, lastDay, dayCount: daysBetween(firstDay, lastDay) + 1 };
}

/** The days of salt periods, from one to another, both included, as far as they are in the range. */
export function periodsIn(range: DateRange, first: number, last: number, rotationDays: number): DateRange {
  const [startDay, endDay] = [firstDateOfPeriod(first, rotationDays), addDays(firstDateOfPeriod(last + 1, rotationDays), -1)];
  return rangeOfDays(startDay > range.firstDay ? startDay : range.firstDay, endDay < range.lastDay ? endDay : range.lastDay);
}

export const datesOf = ({ firstDay, dayCount }: DateRange): readonly LocalDate[] =>
  Array.from({ length: dayCount }, (_, i) => addDays(firstDay, i));

export interface SiteDates {
  readonly today: LocalDate;
  /** The date of the site's first event; null if it has none. Absent where `all` is no period. */
  readonly firstDay?: LocalDate | null;
}

const laterOf = (a: LocalDate, b: LocalDate): LocalDate => (a > b ? a : b);

/** The range from the first date on: today alone without events, and never more than a request may name. */
export function rangeOfAll(firstDay: LocalDate | null, today: LocalDate): DateRange {
  const begin = firstDay === null || firstDay > today ? today : firstDay;
  return rangeOfDays(laterOf(begin, addDays(today, 1 - LONG_RANGE_DAYS_MAX)), today);
}

function rangeOfPeriod(name: string, { today, firstDay }: SiteDates): DateRange {
  if (name === "all" && firstDay !== undefined) return rangeOfAll(firstDay, today);
  const period = SHORT_PERIODS.find((known) => known === (name === "today" ? "day" : name));
  if (period !== undefined) return rangeOfDays(startOfPeriod(period, today) as LocalDate, today);
  throw refusedValue('"period"', `one of ${(firstDay === undefined ? SHORT_PERIOD_NAMES : PERIOD_NAMES).join(", ")}`, name);
}

interface DateText {
  readonly name: string;
  readonly value: string;
}

function parseDay({ name, value }: DateText): LocalDate {
  if (!isLocalDate(value)) throw refusedValue(`"${name}"`, "a real calendar date in the form YYYY-MM-DD", value);
  return value;
}

/** 400 for invalid dates, an end before the start, or too many days. */
export function parseDates(first: DateText, last: DateText, daysMax: number = RANGE_DAYS_MAX): DateRange {
  const range = rangeOfDays(parseDay(first), parseDay(last));
  if (range.dayCount < 1) throw invalidInput(`"${last.name}" must not be before "${first.name}"`);
  if (range.dayCount > daysMax) {
    throw invalidInput(`"${first.name}" to "${last.name}" must span at most ${daysMax} days, both included`);
  }
  return range;
}

export interface DateTexts {
  readonly period: string | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
}

/** 400 for invalid dates, or one date without the other. `daysMax` is of dates that the parameters name. */
export function parseDateRange({ period, startDate, endDate }: DateTexts, site: SiteDates, daysMax?: number): DateRange {
  if (startDate === null && endDate === null) return rangeOfPeriod(period ?? PERIOD_DEFAULT, site);
  if (startDate === null) throw invalidInput('"start_date" is required when "end_date" is given');
  if (endDate === null) throw invalidInput('"end_date" is required when "start_date" is given');
  return parseDates({ name: "start_date", value: startDate }, { name: "end_date", value: endDate }, daysMax);
}

/** Local time at an instant, in milliseconds as if it were UTC. */
export const localTimeOf = (nowMs: EpochMs, calendar: Calendar): number =>
  nowMs + (calendar.offsetsBetween(nowMs, nowMs + 1)[0]?.offsetMs ?? 0);

/** The first instant of a date at which it is that long after midnight by the clock, or later; the end of the date if there is none. */
export function whenClockShows(date: LocalDate, sinceMidnightMs: number, calendar: Calendar): EpochMs {
  const [startMs, endMs] = [calendar.startOf(date), calendar.startOf(addDays(date, 1))];
  const offsets = calendar.offsetsBetween(startMs, endMs);
  for (const [i, { fromMs, offsetMs }] of offsets.entries()) {
    const ms = Math.max(fromMs, startOfDayMs(date) + sinceMidnightMs - offsetMs);
    if (ms < (offsets[i + 1]?.fromMs ?? endMs)) return ms;
  }
  return endMs;
}

/** SQL over the columns of events, or of others that have a `day` and this time, whose dates are in the range of a site's calendar. */
export type LocalSql = (range: DateRange, calendar: Calendar, timeMs?: SqlText) => SqlText;

const TIMESTAMP = sql`timestamp`;

/** A value that applies from this value of a column on. */
interface Step {
  readonly from: number;
  readonly ms: number;
}

/** The first instant of the range, and the first after it. */
const boundsOf = ({ firstDay, lastDay }: DateRange, calendar: Calendar): readonly [startMs: EpochMs, endMs: EpochMs] => [
  calendar.startOf(firstDay),
  calendar.startOf(addDays(lastDay, 1)),
];

export function isInUtc(range: DateRange, calendar: Calendar): boolean {
  const [startMs, endMs] = boundsOf(range, calendar);
  const areDaysOfUtc = startMs === startOfDayMs(range.firstDay) && endMs - startMs === range.dayCount * DAY_MS;
  return areDaysOfUtc && calendar.offsetsBetween(startMs, endMs).every(({ offsetMs }) => offsetMs === 0);
}

/** The number of milliseconds that belongs to a value: that of the last step from which it is not below. */
function steppedSql(value: SqlText, steps: readonly Step[]): SqlText {
  const [first = { ms: 0 }, ...later] = steps;
  const cases = later.reduce((text, { from }, i) => sql`${text} WHEN ${value} < ${from} THEN ${(later[i - 1] ?? first).ms}`, sql``);
  return later.length === 0 ? sql`${first.ms}` : sql`CASE${cases} ELSE ${(later.at(-1) ?? first).ms} END`;
}

/** Local time, in milliseconds as if it were UTC. */
export const localTimeSql: LocalSql = (range, calendar, timeMs = TIMESTAMP) => {
  const offsets = calendar.offsetsBetween(...boundsOf(range, calendar));
  return sql`${timeMs} + ${steppedSql(
    timeMs,
    offsets.map(({ fromMs, offsetMs }) => ({ from: fromMs, ms: offsetMs })),
  )}`;
};

function localTimesIn(range: DateRange, calendar: Calendar): (timestampMs: EpochMs) => number {
  const [first = { fromMs: 0, offsetMs: 0 }, ...later] = calendar.offsetsBetween(...boundsOf(range, calendar));
  return (timestampMs) => timestampMs + (later.findLast(({ fromMs }) => fromMs <= timestampMs) ?? first).offsetMs;
}

/**
 * The distance from midnight in UTC to the start of each day of the range and the one after it; only days that differ from the one before.
 */
function startsOf(range: DateRange, calendar: Calendar): readonly Step[] {
  const days = [...datesOf(range), addDays(range.lastDay, 1)];
  const steps = days.map((day) => ({ from: dayNumberOf(day), ms: calendar.startOf(day) - startOfDayMs(day) }));
  return steps.filter(({ ms }, i) => ms !== steps[i - 1]?.ms);
}

/** The start of the day with the number `day`: one of the range, or the one after it. */
export const startOfDaySql = (day: SqlText, range: DateRange, calendar: Calendar): SqlText =>
  sql`CAST(${day} AS BIGINT) * ${DAY_MS} + ${steppedSql(day, startsOf(range, calendar))}`;

export const isInterval = (text: string | null): boolean => INTERVALS.some((known) => known === text);

/** The length of buckets. Weeks are named by the day on which they begin. */
export type BucketLength = Exclude<Interval, "week"> | WeekStart;

interface Bucket {
  /** Minutes, hours, days, weeks or months, as in `bucketSql`. */
  readonly key: number;
  /** `YYYY-MM-DD HH:MM`, or the bucket's first day in the range. */
  readonly label: string;
}

/** Parts of a day, as the clock shows them. */
interface PartOfDay {
  readonly ms: number;
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

export function lengthOf(range: DateRange, asked: Interval | null, weekStart: WeekStart): BucketLength {
  const interval = asked ?? intervalByDefault(range.dayCount);
  return interval === "week" ? weekStart : interval;
}

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

type DaysLength = Exclude<BucketLength, "minute" | "hour">;

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

export const timeUnitsSql = fragment((ms: number, timeMs: SqlText = TIMESTAMP) => sql`${timeMs} // ${ms}`);

const clockBucket =
  (part: PartOfDay): LocalSql =>
  (range, calendar, timeMs) =>
    isInUtc(range, calendar) ? timeUnitsSql(part.ms, timeMs) : clockPartSql(part, localTimeSql(range, calendar, timeMs));

const MINUTE_BUCKET = clockBucket(PARTS_OF_DAY.minute);

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

export function bucketSql(length: BucketLength): LocalSql {
  if (length === "minute") return MINUTE_BUCKET;
  if (length === "hour") return HOUR_BUCKET;
  if (length === "day") return DAY_BUCKET;
  return () => (length === "month" ? monthSql() : weekSql(DAYS_BEFORE_1970[length]));
}
