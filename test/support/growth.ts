/**
 * Tells if a cost grows linearly: measures a size and four times that size alternately, so that other work slows down both, in processor time
 * of this process, which contains no waiting for a busy machine.
 */

/** Four times the input costs four times as much if linear, and sixteen times if quadratic. */
export const SIZE_RATIO = 4;

/** Growth from which a cost counts as more than linear: the geometric mean of linear and quadratic. */
export const GROWTH_MAX = 8;

/** Added to both times, so that timer noise on very short ones does not dominate the ratio. */
const FLOOR_MS = 0.3;

/** Minima only fall: a slow first run of the small size cannot hide growth, and a busy machine needs more rounds for the same result. */
const ROUNDS_MIN = 2;
const ROUNDS_MAX = 40;

/** From this total time on, measuring stops after `ROUNDS_MIN` rounds. */
const TOTAL_MS_MAX = 3_000;

/** Promises are awaited. */
export type Work = () => unknown;

/** Returns milliseconds. */
export type Clock = (work: Work) => Promise<number>;

async function cpuTimeOf(work: Work): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** For work of another process. */
export async function wallTimeOf(work: Work): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/**
 * The minimum time of `large` divided by that of `small`, which has `SIZE_RATIO` times less input. Measures until the ratio is below
 * `growthMax` or the rounds are used up: interference passes, a quadratic cost stays.
 */
export async function growthOf(small: Work, large: Work, growthMax = GROWTH_MAX, timeOf: Clock = cpuTimeOf): Promise<number> {
  let [smallMs, largeMs, totalMs, growth] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= ROUNDS_MAX && (round <= ROUNDS_MIN || growth >= growthMax); round++) {
    if (round > ROUNDS_MIN && totalMs > TOTAL_MS_MAX) break;
    const [ofSmall, ofLarge] = [await timeOf(small), await timeOf(large)];
    smallMs = Math.min(smallMs, ofSmall);
    largeMs = Math.min(largeMs, ofLarge);
    totalMs += ofSmall + ofLarge;
    growth = (largeMs + FLOOR_MS) / (smallMs + FLOOR_MS);
  }
  return growth;
}

/** The work `count` times in a row: for work too short to be timed alone. */
export const repeated =
  (count: number, work: () => unknown): Work =>
  () => {
    for (let i = 0; i < count; i++) work();
  };

/** A string of `length` characters that repeats `unit` after `start` and ends in "x": patterns for the end of a string match in part everywhere. */
export const filled = (length: number, unit: string, start = ""): string =>
  `${start}${unit.repeat(Math.ceil((length - start.length) / unit.length)).slice(0, Math.max(0, length - start.length - 1))}x`;
