/** What happened in a period, from arithmetic alone: the change, the bucket that stands out, and the source that explains it. */

/** Below this many, changes are chance. */
const COUNT_MIN = 20;

/** Changes below this are not worth a sentence. */
const CHANGE_MIN = 0.01;

/** How many whole buckets have a usual value. */
const BUCKETS_MIN = 5;

/** A bucket stands out from this many times the usual value on. */
const FACTOR_MIN = 2;

/** The change as a fraction; null where there is nothing to say. */
export function changeBetween(now: number, before: number): number | null {
  if (before < COUNT_MIN) return null;
  const change = (now - before) / before;
  return Math.abs(change) < CHANGE_MIN ? null : change;
}

/** The lower middle one of an even number: it makes no value up. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

export interface Outlier {
  readonly index: number;
  readonly value: number;
  /** The median of the whole buckets. */
  readonly usual: number;
}

/** The largest whole bucket, if it has at least twice the usual value. `values` are null for buckets that are not whole. */
export function outlierIn(values: readonly (number | null)[]): Outlier | null {
  const whole = values.flatMap((value) => value ?? []);
  if (whole.length < BUCKETS_MIN) return null;
  const [value, usual] = [Math.max(...whole), median(whole)];
  return value >= COUNT_MIN && usual > 0 && value >= FACTOR_MIN * usual ? { index: values.indexOf(value), value, usual } : null;
}

/** Rounded down, so that it is never an exaggeration. */
export function growthText({ value, usual }: Outlier): string {
  const factor = Math.floor(value / usual);
  return factor < 4 ? (factor < 3 ? "doubled" : "tripled") : `had ${factor} times the usual number`;
}

/** Counts by source. */
export type CountsBySource = ReadonlyMap<string, number>;

/**
 * The source with more than half of what the outlier has beyond the usual value: its count beyond its share of the rest of the range.
 * `total` is the count of the range. Null if no source explains as much.
 */
export function sourceOf(outlier: Outlier, inBucket: CountsBySource, inRange: CountsBySource, total: number): string | null {
  const rest = total - outlier.value;
  if (rest <= 0) return null;
  for (const [source, count] of inBucket) {
    const ofRange = inRange.get(source);
    if (ofRange === undefined) continue;
    const usual = (Math.max(ofRange - count, 0) / rest) * outlier.usual;
    if (count - usual > (outlier.value - outlier.usual) / 2) return source;
  }
  return null;
}
