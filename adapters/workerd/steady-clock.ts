/** Time that is not set, made of the small steps of a clock that may be: workerd's monotonic clock is its wall clock. */

/** Longer than an object sleeps between two alarms. A longer step counts as none. */
const STEP_MS_MAX = 2 * 3_600_000;

/** Milliseconds that have passed for certain. To be asked about as often as time passes. */
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
