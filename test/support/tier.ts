/**
 * The tier of the tests that runs: `quick` (`npm test`) on every change, in minutes; `all` (`npm run test:all`) before a merge.
 * The quick tier only skips files, hosts, rounds and seeds; `tier-files.ts` lists the files.
 */
export type Tier = "quick" | "all";

/** Set by `vitest.config.ts`. */
export const TIER: Tier = process.env["TIER"] === "all" ? "all" : "quick";

/** Selects the value of the current tier. */
export const ofTier = <T>(values: Readonly<Record<Tier, T>>): T => values[TIER];
