/** Makes the rollups of all past days. */
import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import type { InProcessTarget } from "./in-process-target.ts";

const LOOKS_MAX = 1_000;

/** All that are due. The job waits for queries to end. */
export async function makeDueRollups({ services: { compaction, rollups } }: InProcessTarget): Promise<void> {
  await compaction.run();
  let looks = 0;
  do {
    rollups.tick();
    await rollups.settled();
    await setImmediate();
  } while (rollups.isBusy && ++looks < LOOKS_MAX);
  expect(looks).toBeLessThan(LOOKS_MAX);
}
