/** A limit on concurrent requests. The rest wait in order; an aborted request that is still waiting never starts. */

export const REQUESTS_MAX = 4;

/** An aborted request keeps its slot this long: the service may still be working on it. */
const ABORTED_SLOT_MS = 50;

export class RequestQueue {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the task once a slot is free; rejects with the signal's reason when aborted before that. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#acquire(signal);
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      if (signal.aborted) setTimeout(() => this.#release(), ABORTED_SLOT_MS);
      else this.#release();
    }
  }

  #release(): void {
    this.#running--;
    this.#waiting.shift()?.();
  }

  #acquire(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#max) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", abandon);
        this.#running++;
        resolve();
      };
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(start);
      signal.addEventListener("abort", abandon, { once: true });
    });
  }
}
