/** A monotonic clock on top of one that may be set. */
import { expect, it } from "vitest";
import { createSteadyClock } from "../../../../adapters/workerd/instance.ts";

it("the steady clock counts small steps, and ignores jumps forward and backward", () => {
  let nowMs = 1_000_000;
  const steadyMs = createSteadyClock(() => nowMs);
  const stepped = (ms: number): number => {
    nowMs += ms;
    return steadyMs();
  };
  expect([0, 1000, 3_600_000, 7_200_001, -5_000_000, 500].map(stepped)).toEqual([0, 1000, 3_601_000, 3_601_000, 3_601_000, 3_601_500]);
});
