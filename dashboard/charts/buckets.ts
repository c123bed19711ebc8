/** The buckets of a series: which intervals suit a range, which days a bucket has, and whether it is whole (docs/http-api.md, "Timeseries"). */
import { dayAfter, daysBetween, isHourly, type Range } from "../state/range.ts";

const INTERVALS = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Ranges of this many days have a readable number of buckets. */
const OFFERED_DAYS: Readonly<Record<Interval, readonly [min: number, max: number]>> = {
  hour: [1, 7],
  day: [2, Infinity],
  week: [14, Infinity],
  month: [60, Infinity],
};

/** The service's limit (docs/http-api.md, "Timeseries"). */
const INTERVAL_HOUR_DAYS_MAX = 31;

/** Whether the service has the interval for a range: a compared window may be longer than the range. */
export const hasInterval = ({ days }: Range, interval: Interval): boolean => interval !== "hour" || days <= INTERVAL_HOUR_DAYS_MAX;

/** Longer ranges have weekly buckets by default. */
const DAILY_DAYS_MAX = 180;

export const offeredIntervals = ({ days }: Range): readonly Interval[] =>
  INTERVALS.filter((interval) => OFFERED_DAYS[interval][0] <= days && days <= OFFERED_DAYS[interval][1]);

/** The service's choice. */
export const serviceInterval = (range: Range): Interval => (isHourly(range) ? "hour" : "day");

export const defaultInterval = (range: Range): Interval => (range.days > DAILY_DAYS_MAX ? "week" : serviceInterval(range));

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

function stateOf(label: string, bucket: Pick<Bucket, "start" | "end">, interval: Interval, now: string): BucketState {
  const [today, hour] = [now.slice(0, 10), `${now.slice(0, 10)} ${now.slice(11, 13)}:00`];
  const isHour = interval === "hour";
  if (label > (isHour ? hour : today)) return "ahead";
  if (isHour ? label === hour : today <= bucket.end) return "running";
  return isCut(bucket, interval) ? "cut" : "whole";
}

/** `labels` are the dates of the series' points, oldest first, `end` is the last day of the range, and `now` is the time at the site. */
export const bucketsOf = (labels: readonly string[], interval: Interval, end: string, now: string): Bucket[] =>
  labels.map((label, i) => {
    const next = labels[i + 1];
    const start = label.slice(0, 10);
    const days = { start, end: interval === "hour" ? start : next === undefined ? end : dayAfter(next, -1) };
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
