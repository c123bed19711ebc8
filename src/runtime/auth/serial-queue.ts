/** Work that is done one piece after the other, with a bound on how many pieces may wait. */
import { AppError } from "../errors.ts";

export interface SerialQueueOptions {
  /** Pieces that may be there beside the one that is done. */
  readonly waitingMax: number;
  /** Seconds after which it is worth trying again. */
  readonly retryAfterSecs: number;
}

export class SerialQueue {
  readonly #options: SerialQueueOptions;
  #count = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SerialQueueOptions) {
    this.#options = options;
  }

  /** Does the work when everything before it has ended; 429 when too much waits. Work that is given up while it waits is not begun. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
      return work();
    });
    this.#last = result.catch(() => {
      // Whoever asked for it hears of it.
    });
    try {
      return await result;
    } finally {
      this.#count--;
    }
  }
}
