/** Integer settings of a test run: from the environment, or else from the tier. */
import { ofTier, type Tier } from "./tier.ts";

export function numberFrom(name: string, otherwise: number | Readonly<Record<Tier, number>>): number {
  const text = process.env[name];
  if (text === undefined || text === "") return typeof otherwise === "number" ? otherwise : ofTier(otherwise);
  const value = Number(text);
  if (!Number.isInteger(value)) throw new Error(`${name} must be a whole number, not ${text}`);
  return value;
}
