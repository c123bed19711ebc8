/**
 * Which tier of the tests runs: `quick` (`npm test`) on every change, in minutes; `all` (`npm run test:all`) before a change is
 * taken in. The quick tier leaves out files, hosts, rounds and seeds, and nothing else; `tier-files.ts` lists the files.
 */
export type Tier = "quick" | "all";

/** Set by `vitest.config.ts`. */
export const TIER: Tier = process.env["TIER"] === "all" ? "all" : "quick";

/** Selects the value of the current tier. */
export const ofTier = <T>(values: Readonly<Record<Tier, T>>): T => values[TIER];
