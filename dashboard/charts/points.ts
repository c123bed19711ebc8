/** A metric's series as points of chart and table: each with its bucket, texts and compared point. */
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { formatBucket, formatHour, formatMonth, formatRange, formatShortDay } from "../format/locale.ts";
import { daysBetween, type Range } from "../state/range.ts";
import { inZone } from "../state/time-zone.ts";
import { isOverYears } from "./axis.ts";
import { bucketsOf, type Bucket } from "./buckets.ts";
import type { SeriesRow } from "./shown-metrics.ts";

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
  if (state === "running") return "so far";
  return state === "cut" ? `part of the ${interval}` : null;
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
