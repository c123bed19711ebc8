/**
 * The tier of the tests that runs: `quick` (`npm test`) on every change, in minutes; `all` (`npm run test:all`) before a merge;
 * `nightly` (`npm run test:nightly`) with rounds, seeds and hosts that take hours. A shorter tier only skips files, hosts, rounds and
 * seeds; `tier-files.ts` lists the files.
 */
export const TIERS = ["quick", "all", "nightly"] as const;

export type Tier = (typeof TIERS)[number];

/** The tier of a mode of vitest. */
export const tierOf = (mode: string | undefined): Tier => TIERS.find((tier) => tier === mode) ?? "quick";

/** Set by `vitest.config.ts`. */
export const TIER: Tier = tierOf(process.env["TIER"]);

/** A value for each tier. If a night needs no value of its own, it has that of `all`. */
export interface ByTier<T> {
  readonly quick: T;
  readonly all: T;
  readonly nightly?: T;
}

/** Selects the value of the current tier. */
export const ofTier = <T>(values: ByTier<T>): T =>
  TIER === "nightly" && "nightly" in values ? (values.nightly as T) : values[TIER === "quick" ? "quick" : "all"];
