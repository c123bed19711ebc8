/** How failed syncs of the journal are reported: each one is counted, and one a minute is logged. */
import type { EpochMs } from "../../storage/event.ts";
import { SYNC_FAILURES_LOG_MS } from "../config/limits.ts";
import type { Counters } from "./counters.ts";
import { reasonOf, type Log } from "./log.ts";

export interface SyncFailureParts {
  readonly counters: Counters;
  readonly log: Log;
  readonly now: () => EpochMs;
}

export function createSyncFailureReport({ counters, log, now }: SyncFailureParts): (error: unknown) => void {
  let loggedAtMs: EpochMs | null = null;
  return (error) => {
    counters.journalSyncFailures++;
    const nowMs = now();
    // A clock that was set back must not silence the log.
    if (loggedAtMs !== null && nowMs >= loggedAtMs && nowMs - loggedAtMs < SYNC_FAILURES_LOG_MS) return;
    loggedAtMs = nowMs;
    log.error(
      "the disk failed to sync the journal; unconfirmed events are rejected or flushed to files at once, new events go to a new segment",
      { reason: reasonOf(error), failures: counters.journalSyncFailures },
    );
  };
}
