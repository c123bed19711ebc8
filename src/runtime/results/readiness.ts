/** Checks that reports can be answered, or with `role = ingest` that events can be stored: at most once a second for any number of callers (docs/http-api.md, "Health"). */
import { READINESS_CHECK_MS_MAX, READINESS_TTL_MS } from "../base/config/limits.ts";

interface Check {
  readonly beganMs: number;
  readonly outcome: Promise<boolean>;
  readonly controller: AbortController;
  isRunning: boolean;
}

export class Readiness {
  readonly #query: (signal: AbortSignal) => Promise<boolean>;
  #last: Check | null = null;

  /** `query` resolves to whether the instance is ready, and never rejects. */
  constructor(query: (signal: AbortSignal) => Promise<boolean>) {
    this.#query = query;
  }

  /** The outcome of the check within the last second, of the running one, or of a new one. `nowMs` is of the monotonic clock. */
  isReady(nowMs: number): Promise<boolean> {
    if (this.#last && isUsable(this.#last, nowMs)) return this.#last.outcome;
    // Callers cannot abort a shared check, so a hanging one is aborted here.
    this.#last?.controller.abort();
    this.#last = this.#begin(nowMs);
    return this.#last.outcome;
  }

  #begin(nowMs: number): Check {
    const controller = new AbortController();
    const outcome = this.#query(controller.signal).finally(() => {
      check.isRunning = false;
    });
    const check: Check = { beganMs: nowMs, outcome, controller, isRunning: true };
    return check;
  }
}

const isUsable = ({ beganMs, isRunning }: Check, nowMs: number): boolean =>
  nowMs - beganMs < (isRunning ? READINESS_CHECK_MS_MAX : READINESS_TTL_MS);
