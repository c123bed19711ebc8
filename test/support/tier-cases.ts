/** Cases and suites that shorter tiers skip within a file. */
import { describe, it } from "vitest";
import { skippedFor } from "./skipped.ts";
import { ofTier } from "./tier.ts";

const LEFT_OUT = skippedFor(ofTier({ quick: "It is left to `npm run test:all`.", all: null }));
const LEFT_TO_NIGHT = skippedFor(
  ofTier({ quick: "It is left to `npm run test:nightly`.", all: "It is left to `npm run test:nightly`.", nightly: null }),
);

export const itInAll = (name: string, run: () => Promise<void>, timeoutMs?: number): void =>
  it(name, { ...LEFT_OUT, ...(timeoutMs !== undefined && { timeout: timeoutMs }) }, run);

export const itAtNight = (name: string, run: () => Promise<void>): void => it(name, LEFT_TO_NIGHT, run);

export const describeInAll = (name: string, register: () => void): void => void describe(name, LEFT_OUT, register);
