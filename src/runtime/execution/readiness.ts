/** Whether the query engine answers: checked at most once a second, however many callers ask. */
import { READINESS_CHECK_MS_MAX, READINESS_TTL_MS } from "../config/limits.ts";

interface Check {
  readonly beganMs: number;
  readonly outcome: Promise<boolean>;
  readonly controller: AbortController;
  isRunning: boolean;
}

export class Readiness {
  readonly #query: (signal: AbortSignal) => Promise<boolean>;
  #last: Check | null = null;

  /** `query` resolves to whether the engine has answered, and never rejects. */
  constructor(query: (signal: AbortSignal) => Promise<boolean>) {
    this.#query = query;
  }

  /** The outcome of the last second's check, or of the one that is running, or else of a new one. By the monotonic clock. */
  isReady(nowMs: number): Promise<boolean> {
    if (this.#last && isUsable(this.#last, nowMs)) return this.#last.outcome;
    // No caller may abort a check that others share, so one that hangs is aborted here.
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
