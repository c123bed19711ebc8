/** A metric's series as points of chart and table: the intervals that suit a range, and each point with its bucket, texts and compared point (docs/http-api.md, "Timeseries"). */
import { RANGE_DAYS_MAX } from "../../src/shared/limits.ts";
import { dayAfter, intervalByDefault, intervalDaysMax, INTERVALS, isOfClock, type Interval } from "../../src/shared/periods.ts";
import type { Usual } from "../changes/changes.ts";
import { formatBucket, formatHour, formatMonth, formatRange, formatShortDay } from "../format/locale.ts";
import { daysBetween, type Range } from "../state/range.ts";
import { inZone } from "../state/time-zone.ts";
import { words } from "../words/words.ts";
import { isOverYears } from "./axis.ts";
import type { SeriesRow } from "./shown-metrics.ts";

/** Shorter ranges would have a single bucket. */
const DAYS_MIN: Readonly<Record<Interval, number>> = { minute: 1, hour: 1, day: 2, week: 14, month: 60 };

/** A compared window may be longer than the range, and too long for the interval. */
export const hasInterval = ({ days }: Range, interval: Interval): boolean => days <= intervalDaysMax(interval);

/** Longer ranges default to weekly buckets, those over three years to monthly ones. */
const DAILY_DAYS_MAX = 180;
const WEEKLY_DAYS_MAX = 3 * 366;

export const offeredIntervals = ({ days }: Range): readonly Interval[] =>
  INTERVALS.filter((interval) => DAYS_MIN[interval] <= days && days <= intervalDaysMax(interval));

/** The service's default; null where it requires an interval. */
export const serviceInterval = ({ days }: Range): Interval | null => (days > RANGE_DAYS_MAX ? null : intervalByDefault(days));

export function defaultInterval({ days }: Range): Interval {
  if (days > WEEKLY_DAYS_MAX) return "month";
  return days > DAILY_DAYS_MAX ? "week" : intervalByDefault(days);
}

/** Falls back to the default if the interval in the URL does not suit the range. */
export const intervalFor = (range: Range, name: string | null): Interval =>
  offeredIntervals(range).find((interval) => interval === name) ?? defaultInterval(range);

/** `cut`: partly outside the range. `running`: contains the current time, so its values still grow. `ahead`: has not begun. */
export type BucketState = "whole" | "cut" | "running" | "ahead";

export interface Bucket {
  /** Days within the range, both included. */
  readonly start: string;
  readonly end: string;
  readonly state: BucketState;
}

const WEEK_DAYS = 7;

const isFirst = (day: string): boolean => day.endsWith("-01");

/** A week is whole if it has seven days, whatever day the site's weeks begin on. */
function isCut({ start, end }: Pick<Bucket, "start" | "end">, interval: Interval): boolean {
  if (interval === "week") return daysBetween(start, end) < WEEK_DAYS;
  return interval === "month" && !(isFirst(start) && isFirst(dayAfter(end, 1)));
}

/** The label of the running bucket; today for weeks and months. */
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

/** `labels` are those of the service, oldest first; `end` is the last day of the range, `now` the time at the site. */
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

/** The solid line joins whole buckets. The dotted line leads to and from the others. */
export function linesOf(points: readonly Valued[]): { readonly solid: (number | null)[]; readonly dotted: (number | null)[] } {
  const isPartial = points.map(({ bucket }) => bucket.state !== "whole");
  const isDotted = points.map(({ value }, i) => value !== null && (isPartial[i - 1] || isPartial[i] || isPartial[i + 1]));
  return {
    solid: points.map(({ value }, i) => (isPartial[i] ? null : value)),
    dotted: points.map(({ value }, i) => (isDotted[i] ? value : null)),
  };
}

/** Whole buckets, and the others. */
export const barsOf = (points: readonly Valued[]): ReturnType<typeof linesOf> => ({
  solid: points.map(({ bucket, value }) => (bucket.state === "whole" ? value : null)),
  dotted: points.map(({ bucket, value }) => (bucket.state === "whole" ? null : value)),
});

interface Point {
  readonly label: string;
  readonly title: string;
  readonly bucket: Bucket;
  /** Explains an incomplete bucket. */
  readonly part: string | null;
}

interface ComparedPoint extends Point {
  readonly value: number;
}

export interface ChartPoint extends Point {
  readonly tick: string;
  /** null if the bucket is ahead. */
  readonly value: number | null;
  readonly before: ComparedPoint | null;
  /** Where the value usually is; absent if that is not known. */
  readonly usual?: Usual | undefined;
}

export interface Series {
  readonly rows: readonly SeriesRow[];
  readonly range: Range;
}

interface SiteClock {
  /** `YYYY-MM-DD HH:MM` */
  readonly time: string;
  readonly timeZone: string;
}

const dayOf = (label: string): string => label.slice(0, 10);

/** `isNewDay`: the first label of its day, which is not 00:00 where the clock skips midnight. */
function tickOf(label: string, interval: Interval, isNewDay: boolean): string {
  if (interval === "month") return formatMonth(label);
  return !isOfClock(interval) || isNewDay ? formatShortDay(label) : formatHour(label);
}

function titleOf(label: string, { start, end, state }: Bucket, interval: Interval, timeZone: string): string {
  if (isOfClock(interval)) return inZone(formatBucket(label), timeZone);
  if (interval === "day") return formatBucket(label);
  return interval === "month" && state === "whole" ? formatMonth(start) : formatRange(start, end);
}

function partOf({ state }: Bucket, interval: Interval): string | null {
  if (state === "running") return words.charts.soFar;
  return state === "cut" ? words.charts.partOf[interval] : null;
}

/** Only whole buckets can be compared. */
export const isComparable = ({ bucket, before }: ChartPoint): boolean =>
  before !== null && bucket.state === "whole" && before.bucket.state === "whole";

const pointOf = (label: string, bucket: Bucket, interval: Interval, timeZone: string): Point => ({
  label,
  title: titleOf(label, bucket, interval, timeZone),
  bucket,
  part: partOf(bucket, interval),
});

/** A period without events is not a comparison. */
const hasEvents = ({ rows }: Series): boolean => rows.some(({ visitors, sessions }) => Number(visitors ?? sessions) > 0);

/** Matches points by time rather than index, because a day with a skipped hour has fewer points. */
const placesOf = (points: readonly Point[], interval: Interval): string[] =>
  points.map(({ label }, i) =>
    isOfClock(interval) ? `${daysBetween(dayOf(points[0]?.label ?? label), dayOf(label))} ${label.slice(dayOf(label).length)}` : String(i),
  );

export function pointsOf(series: Series, compared: Series | null, field: string, interval: Interval, clock: SiteClock): ChartPoint[] {
  const labelled = ({ rows, range }: Series) => {
    const buckets = bucketsOf(
      rows.map(({ date }) => date),
      interval,
      range.end,
      clock.time,
    );
    return buckets.map((bucket, i) => ({
      ...pointOf(rows[i]?.date ?? bucket.start, bucket, interval, clock.timeZone),
      value: Number(rows[i]?.[field]),
    }));
  };
  const compareds: readonly ComparedPoint[] = compared && hasEvents(compared) ? labelled(compared) : [];
  const befores = new Map(placesOf(compareds, interval).map((place, i) => [place, compareds[i]]));
  const points = labelled(series);
  const places = placesOf(points, interval);
  const isNewDay = (i: number) => series.range.days > 1 && dayOf(points[i]?.label ?? "") !== dayOf(points[i - 1]?.label ?? "");
  // Over several years, a day and a month may be of each of them.
  const tickInterval = isOverYears(points.map(({ label }) => label)) ? "month" : interval;
  return points.map((point, i) => ({
    ...point,
    tick: tickOf(point.label, tickInterval, isNewDay(i)),
    value: point.bucket.state === "ahead" ? null : point.value,
    before: befores.get(places[i] ?? "") ?? null,
  }));
}
