/** Whom the journal tells that the disk did not confirm its events: each failure is counted, the first of a burst is logged. */
import type { EpochMs } from "../../storage/event.ts";
import type { Counters } from "./counters.ts";
import { SYNC_FAILURES_LOG_MS } from "../config/limits.ts";
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
    // A clock that was set back must not silence it.
    if (loggedAtMs !== null && nowMs >= loggedAtMs && nowMs - loggedAtMs < SYNC_FAILURES_LOG_MS) return;
    loggedAtMs = nowMs;
    log.error(
      "the disk failed to sync the journal; events that it did not confirm are refused or written to files at once, and the next go to a new segment",
      {
        reason: reasonOf(error),
        failures: counters.journalSyncFailures,
      },
    );
  };
}
