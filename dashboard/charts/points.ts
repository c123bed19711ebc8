/** A metric's series as the points of the chart and its table: each with its bucket, its texts and the point it is compared with. */
import { formatBucket, formatHour, formatMonth, formatRange, formatShortDay } from "../format/locale.ts";
import type { Range } from "../state/range.ts";
import { bucketsOf, type Bucket, type Interval } from "./buckets.ts";
import type { SeriesRow } from "./use-metric-series.ts";

interface Point {
  readonly label: string;
  readonly title: string;
  readonly bucket: Bucket;
  /** Says what is missing in a bucket that is not whole. */
  readonly part: string | null;
}

/** A value of the compared period. */
export interface ComparedPoint extends Point {
  readonly value: number;
}

export interface ChartPoint extends Point {
  /** Its text on the axis. */
  readonly tick: string;
  /** Null if the bucket is ahead. */
  readonly value: number | null;
  readonly before: ComparedPoint | null;
}

/** A series and what it is of. */
export interface Series {
  readonly rows: readonly SeriesRow[];
  readonly range: Range;
}

const isMidnight = (label: string): boolean => label.endsWith(" 00:00");

const tickOf = (label: string, interval: Interval, isOneDay: boolean): string => {
  if (interval === "month") return formatMonth(label);
  return interval !== "hour" || (isMidnight(label) && !isOneDay) ? formatShortDay(label) : formatHour(label);
};

function titleOf(label: string, { start, end, state }: Bucket, interval: Interval): string {
  if (interval === "hour" || interval === "day") return formatBucket(label);
  return interval === "month" && state === "whole" ? formatMonth(start) : formatRange(start, end);
}

function partOf({ state }: Bucket, interval: Interval): string | null {
  if (state === "running") return "so far";
  return state === "cut" ? `part of the ${interval}` : null;
}

/** A whole bucket and a part of one say nothing about a change. */
export const isComparable = ({ bucket, before }: ChartPoint): boolean =>
  before !== null && bucket.state === "whole" && before.bucket.state === "whole";

const pointOf = (label: string, bucket: Bucket, interval: Interval): Point => ({
  label,
  title: titleOf(label, bucket, interval),
  bucket,
  part: partOf(bucket, interval),
});

/** A period without events says nothing about another. */
const hasEvents = ({ rows }: Series): boolean => rows.some(({ visitors, sessions }) => Number(visitors ?? sessions) > 0);

export function pointsOf(series: Series, compared: Series | null, field: string, interval: Interval, now: string): ChartPoint[] {
  const labelled = ({ rows, range }: Series) => {
    const buckets = bucketsOf(
      rows.map(({ date }) => date),
      interval,
      range.end,
      now,
    );
    return buckets.map((bucket, i) => ({ ...pointOf(rows[i]?.date ?? bucket.start, bucket, interval), value: Number(rows[i]?.[field]) }));
  };
  const befores: readonly ComparedPoint[] = compared && hasEvents(compared) ? labelled(compared) : [];
  return labelled(series).map((point, i) => ({
    ...point,
    tick: tickOf(point.label, interval, series.range.days === 1),
    value: point.bucket.state === "ahead" ? null : point.value,
    before: befores[i] ?? null,
  }));
}
