/**
 * The number of runs and the seed of the property tests. By default every run of a tier tries the same histories;
 * `PROPERTY_RUNS=5000 PROPERTY_SEED=$RANDOM npx vitest run test/property` tries many others.
 * A failure prints its seed and path.
 */
import { numberFrom, seedFrom } from "../support/number-from-environment.ts";

export const PROPERTY_RUNS = numberFrom("PROPERTY_RUNS", { quick: 8, all: 24, nightly: 360 });

export const PROPERTY_SEED = seedFrom("PROPERTY_SEED", 20_260_315);

/** A run takes about a tenth of this on an idle machine; the rest is for busy ones, and for shrinking a failure, which takes many runs. */
export const PROPERTY_TIMEOUT_MS = 300_000 + PROPERTY_RUNS * 3_000;
