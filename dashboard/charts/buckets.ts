/** The buckets of a series: which intervals suit a range, which days a bucket has, and whether it is whole (docs/http-api.md, "Timeseries"). */
import { RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { dayAfter, INTERVALS, isOfClock, intervalDaysMax, intervalByDefault, type Interval } from "../../src/shared/periods.ts";
import { daysBetween, type Range } from "../state/range.ts";

/** Shorter ranges have a single such bucket. */
const DAYS_MIN: Readonly<Record<Interval, number>> = { minute: 1, hour: 1, day: 2, week: 14, month: 60 };

/** Whether the service has the interval for a range: a compared window may be longer than the range. */
export const hasInterval = ({ days }: Range, interval: Interval): boolean => days <= intervalDaysMax(interval);

/** Longer ranges have weekly buckets by default, and those of more than three years monthly ones. */
const DAILY_DAYS_MAX = 180;
const WEEKLY_DAYS_MAX = 3 * 366;

export const offeredIntervals = ({ days }: Range): readonly Interval[] =>
  INTERVALS.filter((interval) => DAYS_MIN[interval] <= days && days <= intervalDaysMax(interval));

/** The service's choice; null where it takes a request without an interval for a mistake. */
export const serviceInterval = ({ days }: Range): Interval | null => (days > RANGE_DAYS_MAX ? null : intervalByDefault(days));

export function defaultInterval({ days }: Range): Interval {
  if (days > WEEKLY_DAYS_MAX) return "month";
  return days > DAILY_DAYS_MAX ? "week" : intervalByDefault(days);
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
