/** Robust statistics of counts (docs/internals/changes.md, "Noise"). */

/** Scale on which a Poisson count has variance 1 at every size (Anscombe 1948). */
export const rootOf = (count: number): number => 2 * Math.sqrt(Math.max(0, count) + 3 / 8);

export const countOfRoot = (root: number): number => Math.max(0, (Math.max(0, root) / 2) ** 2 - 3 / 8);

/** Linear between the neighbors; 0 for no values. */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
}

export const medianOf = (values: readonly number[]): number => quantileOf(values, 0.5);

/** Ratio of the standard deviation to the median absolute deviation, and the 95th percentile of absolute deviations, of a normal distribution. */
const NORMAL_MAD_RATIO = 1.4826;
const NORMAL_P95 = 1.96;

const RESIDUAL_MAX = 3;
const PERSISTENCE_MAX = 0.6;

export const madDeviation = (deviations: readonly number[]): number => NORMAL_MAD_RATIO * medianOf(deviations.map(Math.abs));

/** A day counts as unusual, and noise is measured without it, beyond this many robust deviations and this share of what is expected. */
const UNUSUAL_Z = 4;
const UNUSUAL_SHARE = 0.2;

export const isUnusual = (z: number, value: number, expected: number): boolean =>
  Math.abs(z) > UNUSUAL_Z && Math.abs(value - expected) > UNUSUAL_SHARE * expected;

/**
 * Variance of residuals, at least 1. The median ignores rare spikes in the history; the percentile does not believe that a bursty value
 * is calm.
 */
export const dispersionOf = (residuals: readonly number[]): number =>
  Math.max(1, madDeviation(residuals) ** 2, (quantileOf(residuals.map(Math.abs), 0.95) / NORMAL_P95) ** 2);

/** Correlation of consecutive residuals (null where a day has none), half of it replaced by half of `prior`. */
export function persistenceOf(residuals: readonly (number | null)[], dispersion: number, prior: number): number {
  const cut = residuals.map((residual) =>
    residual === null ? null : Math.max(-RESIDUAL_MAX, Math.min(RESIDUAL_MAX, residual / Math.sqrt(dispersion))),
  );
  let products = 0;
  let squares = 0;
  for (let i = 1; i < cut.length; i++) {
    const [before, after] = [cut[i - 1] ?? null, cut[i] ?? null];
    if (before === null || after === null) continue;
    products += before * after;
    squares += (before ** 2 + after ** 2) / 2;
  }
  const correlation = squares === 0 ? 0 : products / squares;
  return (Math.min(PERSISTENCE_MAX, Math.max(0, correlation)) + prior) / 2;
}

/** What correlated days add to the variance of their sum. */
export function persistenceFactor(days: number, persistence: number): number {
  let sum = 0;
  for (let j = 1; j < days; j++) sum += (1 - j / days) * persistence ** j;
  return 1 + 2 * sum;
}

/** Deviation from what two models expect: the smaller, 0 if they disagree about its direction. */
export function agreedDeviation(a: number, b: number): number {
  if (a * b <= 0) return 0;
  return Math.abs(a) < Math.abs(b) ? a : b;
}
