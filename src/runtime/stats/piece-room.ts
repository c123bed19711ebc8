/** How many pieces are worked on at a time: as many as the engine's memory has room for beside what else it holds, in the order in which they come. */

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

export class PieceRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Runs the task once there is room for so many bytes; one that is too large for the room has it for itself. Rejects with the signal's reason when aborted before. */
  async run<T>(bytes: number, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#waiting.size > 0 || !this.#hasRoomFor(bytes)) await this.#wait(bytes, signal);
    else this.#bytes += bytes;
    try {
      return await task();
    } finally {
      this.#bytes -= bytes;
      this.#beginNext();
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bytesMax;
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!this.#waiting.delete(waiting)) return;
        reject(signal.reason as Error);
        this.#beginNext();
      };
      const waiting: Waiting = {
        bytes,
        begin: () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #beginNext(): void {
    for (const next of this.#waiting) {
      if (!this.#hasRoomFor(next.bytes)) return;
      this.#waiting.delete(next);
      this.#bytes += next.bytes;
      next.begin();
    }
  }
}
