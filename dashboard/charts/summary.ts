/** Arithmetic behind the summary sentence: the change, the outlier among the buckets, and the source that explains it. */

/** Smaller counts change by chance. */
const COUNT_MIN = 20;

/** Smaller changes are not worth a sentence. */
const CHANGE_MIN = 0.01;

/** Fewer whole buckets have no usual value. */
const BUCKETS_MIN = 5;

/** An outlier has at least this many times the usual value. */
const FACTOR_MIN = 2;

/** A fraction; null if there is nothing to say. */
export function changeBetween(now: number, before: number): number | null {
  if (before < COUNT_MIN) return null;
  const change = (now - before) / before;
  return Math.abs(change) < CHANGE_MIN ? null : change;
}

/** The lower median, so that it is one of the values. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}

export interface Outlier {
  readonly index: number;
  readonly value: number;
  /** Median of the whole buckets. */
  readonly usual: number;
}

/** The largest whole bucket, if it is at least twice the usual. `values` are null for incomplete buckets. */
export function outlierIn(values: readonly (number | null)[]): Outlier | null {
  const whole = values.flatMap((value) => value ?? []);
  if (whole.length < BUCKETS_MIN) return null;
  const [value, usual] = [Math.max(...whole), median(whole)];
  return value >= COUNT_MIN && usual > 0 && value >= FACTOR_MIN * usual ? { index: values.indexOf(value), value, usual } : null;
}

/** Rounds down, so that it never exaggerates. */
export function growthText({ value, usual }: Outlier): string {
  const factor = Math.floor(value / usual);
  return factor < 4 ? (factor < 3 ? "doubled" : "tripled") : `had ${factor} times the usual number`;
}

export type CountsBySource = ReadonlyMap<string, number>;

/**
 * The source that explains more than half of the outlier: its count minus its share of the rest of the range. `total` is the count of the
 * range. Null if none does.
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
