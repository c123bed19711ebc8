/** A monotonic clock made of the small steps of a wall clock: workerd has no other, and a wall clock may be set. */

/** Longer than the pause between two alarms. A longer step counts as a changed clock, and is ignored. */
const STEP_MS_MAX = 2 * 3_600_000;

/** Returns milliseconds, never more than have passed. It has to be called at least once per `STEP_MS_MAX`. */
export function createSteadyClock(now: () => number): () => number {
  let lastMs = now();
  let passedMs = 0;
  return () => {
    const nowMs = now();
    const stepMs = nowMs - lastMs;
    lastMs = nowMs;
    if (stepMs > 0 && stepMs <= STEP_MS_MAX) passedMs += stepMs;
    return passedMs;
  };
}
