/** Storage faults that an operator is alerted to: files that reports leave out, and failed syncs of the journal. */
import { LEFT_OUT_FILES_MAX, SYNC_FAILURES_LOG_MS } from "../config/limits.ts";
import type { Counters } from "./metrics.ts";
import { reasonOf, type Log } from "./log.ts";

export class LeftOutFiles {
  readonly #keys = new Set<string>();

  /** Never more than `LEFT_OUT_FILES_MAX`. */
  get count(): number {
    return this.#keys.size;
  }

  note(key: string): void {
    if (this.#keys.size < LEFT_OUT_FILES_MAX) this.#keys.add(key);
  }

  /** It was read whole. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** They are deleted. */
  forgetAll(isDeleted: (key: string) => boolean): void {
    for (const key of this.#keys) if (isDeleted(key)) this.#keys.delete(key);
  }
}

interface SyncFailureParts {
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
