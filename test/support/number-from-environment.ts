/** Integer settings of a test run: from the environment, or else from the tier. */
import { ofTier, type ByTier } from "./tier.ts";

export function numberFrom(name: string, otherwise: number | ByTier<number>): number {
  const text = process.env[name];
  if (text === undefined || text === "") return typeof otherwise === "number" ? otherwise : ofTier(otherwise);
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number, not ${text}`);
  return value;
}

/**
 * A seed: from the environment, or else the same in every run, so that a change fails for its own faults only. At night it is
 * `TEST_SEED`, which `vitest.config.ts` draws and prints.
 */
export const seedFrom = (name: string, fixed: number): number => numberFrom(name, numberFrom("TEST_SEED", fixed));
