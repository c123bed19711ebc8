/** How many chunks are processed at a time: as many as fit into a share of the engine's memory, first come, first served. */

/** A chunk, by the name that all queries have for it. */
export interface NamedChunk {
  readonly name: string;
  readonly bytes: number;
}

interface Waiting {
  readonly chunk: NamedChunk;
  readonly begin: () => void;
}

export class MemoryAdmission {
  readonly #bytesMax: number;
  #bytes = 0;
  /** How many queries process each chunk. */
  readonly #workers = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether a query processes the chunk. Another one that joins takes no more room. */
  isWorkedOn(name: string): boolean {
    return this.#workers.has(name);
  }

  /** Runs the task once there is room for the chunk; one that is larger than the room runs alone. Rejects with the signal's reason when aborted before. */
  async run<T>(chunk: NamedChunk, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const mayBegin = this.isWorkedOn(chunk.name) || (this.#waiting.size === 0 && this.#hasRoomFor(chunk));
    if (mayBegin) this.#enter(chunk);
    else await this.#wait(chunk, signal);
    try {
      return await task();
    } finally {
      this.#leave(chunk);
      this.#beginNext();
    }
  }

  #hasRoomFor({ name, bytes }: NamedChunk): boolean {
    return this.#bytes === 0 || this.isWorkedOn(name) || this.#bytes + bytes <= this.#bytesMax;
  }

  #enter({ name, bytes }: NamedChunk): void {
    const workers = this.#workers.get(name) ?? 0;
    if (workers === 0) this.#bytes += bytes;
    this.#workers.set(name, workers + 1);
  }

  #leave({ name, bytes }: NamedChunk): void {
    const workers = (this.#workers.get(name) ?? 1) - 1;
    if (workers > 0) {
      this.#workers.set(name, workers);
      return;
    }
    this.#workers.delete(name);
    this.#bytes -= bytes;
  }

  #wait(chunk: NamedChunk, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!this.#waiting.delete(waiting)) return;
        reject(signal.reason as Error);
        this.#beginNext();
      };
      const waiting: Waiting = {
        chunk,
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
      if (!this.#hasRoomFor(next.chunk)) return;
      this.#waiting.delete(next);
      this.#enter(next.chunk);
      next.begin();
    }
  }
}
