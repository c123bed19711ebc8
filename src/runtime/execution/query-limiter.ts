/** Limits concurrent stats queries; further ones are refused, at once or after a short wait (docs/http-api.md, "Concurrency"). */
import { AppError } from "../errors.ts";
import { QUERIES_WAITING_MAX } from "../config/report-limits.ts";

const RETRY_SECS = 1;

const tooMany = (): AppError =>
  new AppError({ code: "too_many_requests", retryAfterSecs: RETRY_SECS }, "Too many statistics queries at the same time. Try again later.");

export interface QueryLimiterOptions {
  /** 0 means unlimited. */
  readonly concurrentMax: number;
  /** Maximum wait for a slot; 0 refuses at once. */
  readonly queueMs: number;
  readonly wait: (ms: number) => Promise<void>;
}

export class QueryLimiter {
  readonly #options: QueryLimiterOptions;
  #taken = 0;
  /** Resolvers of waiting queries, called when they get a slot. */
  readonly #waiting = new Set<() => void>();

  constructor(options: QueryLimiterOptions) {
    this.#options = options;
  }

  /** Whether no query is running. */
  get areAllFree(): boolean {
    return this.#taken === 0;
  }

  /** Runs the task in a slot; 429 if none is free in time. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const release = await this.take();
    try {
      return await task();
    } finally {
      release();
    }
  }

  /** Takes a slot until the returned function is called, which is idempotent; 429 if none is free in time. */
  async take(): Promise<() => void> {
    await this.#take();
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  async #take(): Promise<void> {
    const { concurrentMax, queueMs } = this.#options;
    if (concurrentMax === 0 || this.#taken < concurrentMax) {
      this.#taken++;
      return;
    }
    if (queueMs === 0 || this.#waiting.size >= QUERIES_WAITING_MAX) throw tooMany();
    await this.#queue(queueMs);
  }

  #queue(queueMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      void this.#options.wait(queueMs).then(() => {
        if (this.#waiting.delete(resolve)) reject(tooMany());
      });
    });
  }

  /** Passes the slot to the next waiting query, if any. */
  #release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#taken--;
  }
}
