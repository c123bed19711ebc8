/** How many statistics requests are under way at once: the rest wait in order, and those that nobody waits for any more never start. */

export const REQUESTS_MAX = 4;

/** How long the place of a request that was broken off stays taken: until then the service may not have heard of it. */
const BREAKING_OFF_MS = 50;

export class RequestQueue {
  readonly #max: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs the task when there is room; rejects with the signal's reason when it is aborted before. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#room(signal);
    try {
      signal.throwIfAborted();
      return await task();
    } finally {
      if (signal.aborted) setTimeout(() => this.#leave(), BREAKING_OFF_MS);
      else this.#leave();
    }
  }

  #leave(): void {
    this.#running--;
    this.#waiting.shift()?.();
  }

  #room(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#max) {
      this.#running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        this.#running++;
        resolve();
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(start);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }
}
