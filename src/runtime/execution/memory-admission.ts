/** Admits chunks for processing while they fit into a share of the engine's memory, in order of arrival. */

/** A chunk with a name that is the same for all queries. */
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

  /** Whether a query is processing the chunk. Further queries for it take no more memory. */
  isWorkedOn(name: string): boolean {
    return this.#workers.has(name);
  }

  /** Runs the task once the chunk fits; a chunk larger than the limit runs alone. Rejects with the signal's reason if aborted before. */
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
