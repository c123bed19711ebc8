/** Admits chunks for processing while they fit into a share of the engine's memory: owners' first, then guests' into a part of it, each in order of arrival. */
import { GUEST_CHUNKS_SHARE_MAX } from "../base/config/report-limits.ts";
import type { Asker } from "../query/asker.ts";

/** A chunk with a name that is the same for all queries. */
export interface NamedChunk {
  readonly name: string;
  readonly bytes: number;
}

interface Admitted {
  readonly chunk: NamedChunk;
  readonly isGuest: boolean;
}

interface Waiting extends Admitted {
  readonly begin: () => void;
}

/** A chunk that is processed. */
interface Processed {
  /** Queries that process it. */
  workers: number;
  /** Admitted for a guest. */
  readonly isGuest: boolean;
}

export class MemoryAdmission {
  readonly #bytesMax: number;
  #bytes = 0;
  /** The part of chunks that were admitted for guests. */
  #guestBytes = 0;
  readonly #processed = new Map<string, Processed>();
  readonly #waiting = { owners: new Set<Waiting>(), guests: new Set<Waiting>() };

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** True if a query is processing the chunk. Further queries for it take no more memory. */
  isWorkedOn(name: string): boolean {
    return this.#processed.has(name);
  }

  /** Runs the task once the chunk fits; a chunk larger than the limit runs alone. Rejects with the signal's reason if aborted before. */
  async run<T>(chunk: NamedChunk, { isGuest, signal }: Asker, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const { owners, guests } = this.#waiting;
    const isFirst = owners.size === 0 && (!isGuest || guests.size === 0);
    if (this.isWorkedOn(chunk.name) || (isFirst && this.#hasRoomFor({ chunk, isGuest }))) this.#enter({ chunk, isGuest });
    else await this.#wait({ chunk, isGuest }, signal);
    try {
      return await task();
    } finally {
      this.#leave(chunk);
      this.#beginNext();
    }
  }

  #hasRoomFor({ chunk: { name, bytes }, isGuest }: Admitted): boolean {
    if (this.#bytes === 0 || this.isWorkedOn(name)) return true;
    const guestsFit = this.#guestBytes === 0 || this.#guestBytes + bytes <= this.#bytesMax * GUEST_CHUNKS_SHARE_MAX;
    return this.#bytes + bytes <= this.#bytesMax && (!isGuest || guestsFit);
  }

  #enter({ chunk: { name, bytes }, isGuest }: Admitted): void {
    const processed = this.#processed.get(name);
    if (processed) {
      processed.workers++;
      return;
    }
    this.#processed.set(name, { workers: 1, isGuest });
    this.#bytes += bytes;
    if (isGuest) this.#guestBytes += bytes;
  }

  #leave({ name, bytes }: NamedChunk): void {
    const processed = this.#processed.get(name);
    if (!processed || --processed.workers > 0) return;
    this.#processed.delete(name);
    this.#bytes -= bytes;
    if (processed.isGuest) this.#guestBytes -= bytes;
  }

  #wait(admitted: Admitted, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting[admitted.isGuest ? "guests" : "owners"];
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!queue.delete(waiting)) return;
        reject(signal.reason as Error);
        this.#beginNext();
      };
      const waiting: Waiting = {
        ...admitted,
        begin: () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        },
      };
      queue.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #beginNext(): void {
    for (const queue of [this.#waiting.owners, this.#waiting.guests]) {
      for (const next of queue) {
        if (!this.#hasRoomFor(next)) return;
        queue.delete(next);
        this.#enter(next);
        next.begin();
      }
    }
  }
}
