/** The buckets of a series: which intervals suit a range, which days a bucket has, and whether it is whole (docs/http-api.md, "Timeseries"). */
import { dayAfter, daysBetween, isHourly, SHORT_DAYS_MAX, type Range } from "../state/range.ts";

const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Whether buckets are parts of a day, which its clock tells. */
export const isOfClock = (interval: Interval): interval is "minute" | "hour" => interval === "minute" || interval === "hour";

/** Ranges of this many days have more than one bucket, and not more than the service gives (docs/http-api.md, "Timeseries"). */
const OFFERED_DAYS: Readonly<Record<Interval, readonly [min: number, max: number]>> = {
  minute: [1, 1],
  hour: [1, 31],
  day: [2, Infinity],
  week: [14, Infinity],
  month: [60, Infinity],
};

/** Whether the service has the interval for a range: a compared window may be longer than the range. */
export const hasInterval = ({ days }: Range, interval: Interval): boolean => days <= OFFERED_DAYS[interval][1];

/** Longer ranges have weekly buckets by default, and those of more than three years monthly ones. */
const DAILY_DAYS_MAX = 180;
const WEEKLY_DAYS_MAX = 3 * 366;

export const offeredIntervals = ({ days }: Range): readonly Interval[] =>
  INTERVALS.filter((interval) => OFFERED_DAYS[interval][0] <= days && days <= OFFERED_DAYS[interval][1]);

/** The service's choice; null where it takes a request without an interval for a mistake. */
export function serviceInterval(range: Range): Interval | null {
  if (range.days > SHORT_DAYS_MAX) return null;
  return isHourly(range) ? "hour" : "day";
}

export function defaultInterval(range: Range): Interval {
  if (range.days > WEEKLY_DAYS_MAX) return "month";
  if (range.days > DAILY_DAYS_MAX) return "week";
  return isHourly(range) ? "hour" : "day";
}

/** The one of the URL, if it suits the range. */
export const intervalFor = (range: Range, name: string | null): Interval =>
  offeredIntervals(range).find((interval) => interval === name) ?? defaultInterval(range);

/** `cut`: the range has only a part of it. `running`: it has the current time, so its values still grow. `ahead`: it has not begun. */
export type BucketState = "whole" | "cut" | "running" | "ahead";

export interface Bucket {
  /** Its days in the range, both included. */
  readonly start: string;
  readonly end: string;
  readonly state: BucketState;
}

const WEEK_DAYS = 7;

const isFirst = (day: string): boolean => day.endsWith("-01");

/** A week is whole if it has seven days, on whichever of them the site's weeks begin. */
function isCut({ start, end }: Pick<Bucket, "start" | "end">, interval: Interval): boolean {
  if (interval === "week") return daysBetween(start, end) < WEEK_DAYS;
  return interval === "month" && !(isFirst(start) && isFirst(dayAfter(end, 1)));
}

/** Of the bucket that has the present; of weeks and months, today. */
function currentLabel(interval: Interval, now: string): string {
  const [today, time] = [now.slice(0, 10), now.slice(11, 16)];
  if (!isOfClock(interval)) return today;
  return `${today} ${interval === "minute" ? time : `${time.slice(0, 2)}:00`}`;
}

function stateOf(label: string, bucket: Pick<Bucket, "start" | "end">, interval: Interval, now: string): BucketState {
  const current = currentLabel(interval, now);
  if (label > current) return "ahead";
  if (isOfClock(interval) ? label === current : current <= bucket.end) return "running";
  return isCut(bucket, interval) ? "cut" : "whole";
}

/** `labels` are the dates of the series' points, oldest first, `end` is the last day of the range, and `now` is the time at the site. */
export const bucketsOf = (labels: readonly string[], interval: Interval, end: string, now: string): Bucket[] =>
  labels.map((label, i) => {
    const next = labels[i + 1];
    const start = label.slice(0, 10);
    const days = { start, end: isOfClock(interval) ? start : next === undefined ? end : dayAfter(next, -1) };
    return { ...days, state: stateOf(label, days, interval, now) };
  });

interface Valued {
  readonly bucket: Bucket;
  readonly value: number | null;
}

/** The values of the solid line, which has whole buckets, and of the dotted one, which leads to the others and from them. */
export function linesOf(points: readonly Valued[]): { readonly solid: (number | null)[]; readonly dotted: (number | null)[] } {
  const isPartial = points.map(({ bucket }) => bucket.state !== "whole");
  const isDotted = points.map(({ value }, i) => value !== null && (isPartial[i - 1] || isPartial[i] || isPartial[i + 1]));
  return {
    solid: points.map(({ value }, i) => (isPartial[i] ? null : value)),
    dotted: points.map(({ value }, i) => (isDotted[i] ? value : null)),
  };
}
