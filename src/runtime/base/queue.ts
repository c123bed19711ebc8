/** A queue that runs one task at a time and bounds how many may wait; and a limit for the wait for work that cannot be aborted. */
import { AppError } from "./errors.ts";

interface SerialQueueOptions {
  /** Tasks that may wait while one runs. */
  readonly waitingMax: number;
  readonly retryAfterSecs: number;
}

export class SerialQueue {
  readonly #options: SerialQueueOptions;
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SerialQueueOptions) {
    this.#options = options;
  }

  /** Runs the task after all earlier ones; 429 when too many wait. A task whose signal aborts while it waits is not started. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { waitingMax, retryAfterSecs } = this.#options;
    if (this.#count > waitingMax) {
      throw new AppError(
        { code: "too_many_requests", retryAfterSecs },
        "Too many requests of this kind at the same time. Try again later.",
      );
    }
    this.#count++;
    const result = this.#last.then(() => {
      signal.throwIfAborted();
      return task();
    });
    this.#last = result.catch(() => {
      // The caller of that task gets its error.
    });
    try {
      return await result;
    } finally {
      this.#count--;
    }
  }
}

/** The outcome of work that cannot be aborted, such as that of a thread. Rejects with the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
