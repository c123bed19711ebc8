/** How the cost of work grows with its input: a size and four times that size, timed alternately in the same run. */

/** Four times the input costs four times as much if linear, and sixteen times if quadratic. */
export const SIZE_RATIO = 4;

/** What growth must stay below: halfway, by factors, between linear and quadratic. */
export const GROWTH_MAX = 8;

/** Added to both times, so that the noise of very short ones makes no ratio. */
const FLOOR_MS = 0.3;

/** What is plainly linear at once is not measured again. */
const PLAINLY_LINEAR = 5;

/** Only minima count, and they only fall: a busy machine needs more rounds for the same result. */
const ROUNDS_MIN = 2;
const ROUNDS_MAX = 20;

/** Measuring stops after this total time. */
const SPENT_MS_MAX = 2_000;

/** A promise is waited for. */
export type Work = () => unknown;

async function timeOf(work: Work): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** The time of `large` divided by that of `small`, which has `SIZE_RATIO` times less input. */
export async function growthOf(small: Work, large: Work): Promise<number> {
  let [smallMs, largeMs, spentMs, growth] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const [ofSmall, ofLarge] = [await timeOf(small), await timeOf(large)];
    smallMs = Math.min(smallMs, ofSmall);
    largeMs = Math.min(largeMs, ofLarge);
    spentMs += ofSmall + ofLarge;
    growth = (largeMs + FLOOR_MS) / (smallMs + FLOOR_MS);
    if (growth < PLAINLY_LINEAR) break;
    if (round >= ROUNDS_MIN && (growth < GROWTH_MAX || spentMs > SPENT_MS_MAX)) break;
  }
  return growth;
}

/** Text that is filled up to a length with a unit, and ends otherwise: so patterns for the end of a text begin and fail everywhere. */
export const filled = (length: number, unit: string, start = ""): string =>
  `${start}${unit.repeat(Math.ceil((length - start.length) / unit.length)).slice(0, Math.max(0, length - start.length - 1))}x`;
