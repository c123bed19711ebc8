/**
 * The number of runs and the seed of the property tests. By default every run of a tier tries the same histories;
 * `PROPERTY_RUNS=5000 PROPERTY_SEED=$RANDOM npx vitest run test/property` tries many others.
 * A failure prints its seed and path.
 */
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";
import { ofTier } from "../support/tier.ts";

const QUICK_RUNS = 8;

export const PROPERTY_RUNS = numberFrom("PROPERTY_RUNS", { quick: QUICK_RUNS, all: 24, nightly: 360 });

/** The runs of a property from one number to another. */
export interface Runs {
  readonly from: number;
  readonly to: number;
}

/** The tier `all` goes on where `quick`, which runs before it with the same seed, has ended. */
export const ALL_RUNS: Runs = { from: ofTier({ quick: 0, all: Math.min(QUICK_RUNS, PROPERTY_RUNS), nightly: 0 }), to: PROPERTY_RUNS };

/** Settings of fast-check. Properties whose runs take longer have fewer, though never none. */
export function runsOf({ from, to }: Runs, divisor = 1): { readonly numRuns: number; readonly path?: string } {
  const [first, end] = [from, to].map((run) => Math.ceil(run / divisor)) as [number, number];
  return first === 0 || first === end ? { numRuns: end } : { numRuns: end - first, path: String(first) };
}

export const PROPERTY_SEED = seedFrom("PROPERTY_SEED", 20_260_315);

/** A run takes about a tenth of this on an idle machine; the rest is for busy ones, and for shrinking a failure, which takes many runs. */
export const PROPERTY_TIMEOUT_MS = 300_000 + PROPERTY_RUNS * 3_000;
