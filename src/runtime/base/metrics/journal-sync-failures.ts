/** How failed syncs of the journal are reported: each one is counted, and one a minute is logged. */
import { SYNC_FAILURES_LOG_MS } from "../config/limits.ts";
import type { Counters } from "./counters.ts";
import { reasonOf, type Log } from "./log.ts";

export interface SyncFailureParts {
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

export function createSyncFailureReport({ counters, log, monotonicMs }: SyncFailureParts): (error: unknown) => void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    counters.journalSyncFailures++;
    const nowMs = monotonicMs();
    if (nowMs - loggedAtMs < SYNC_FAILURES_LOG_MS) return;
    loggedAtMs = nowMs;
    log.error(
      "the disk failed to sync the journal; unconfirmed events are rejected or flushed to files at once, new events go to a new segment",
      { reason: reasonOf(error), failures: counters.journalSyncFailures },
    );
  };
}
