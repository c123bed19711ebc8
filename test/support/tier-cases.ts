/** Cases that the quick tier skips within a file. */
import { it } from "vitest";
import { skippedFor } from "./skipped.ts";
import { ofTier } from "./tier.ts";

const LEFT_OUT = skippedFor(ofTier({ quick: "It is left to `npm run test:all`.", all: null }));

export const itInAll = (name: string, run: () => Promise<void>, timeoutMs?: number): void =>
  it(name, { ...LEFT_OUT, ...(timeoutMs !== undefined && { timeout: timeoutMs }) }, run);
