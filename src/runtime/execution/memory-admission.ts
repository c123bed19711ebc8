/** How many pieces are worked on at a time: as many as the engine's memory has room for beside what else it holds, in the order in which they come. */

/** A piece as all who work on it name it. */
export interface NamedPiece {
  readonly name: string;
  readonly bytes: number;
}

interface Waiting {
  readonly piece: NamedPiece;
  readonly begin: () => void;
}

export class PieceRoom {
  readonly #bytesMax: number;
  #bytes = 0;
  /** How many work on each piece. */
  readonly #workers = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether somebody works on the piece. Whoever joins him takes no more room. */
  isWorkedOn(name: string): boolean {
    return this.#workers.has(name);
  }

  /** Runs the task once there is room for the piece; one that is too large for the room has it for itself. Rejects with the signal's reason when aborted before. */
  async run<T>(piece: NamedPiece, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const mayBegin = this.isWorkedOn(piece.name) || (this.#waiting.size === 0 && this.#hasRoomFor(piece));
    if (mayBegin) this.#enter(piece);
    else await this.#wait(piece, signal);
    try {
      return await task();
    } finally {
      this.#leave(piece);
      this.#beginNext();
    }
  }

  #hasRoomFor({ name, bytes }: NamedPiece): boolean {
    return this.#bytes === 0 || this.isWorkedOn(name) || this.#bytes + bytes <= this.#bytesMax;
  }

  #enter({ name, bytes }: NamedPiece): void {
    const workers = this.#workers.get(name) ?? 0;
    if (workers === 0) this.#bytes += bytes;
    this.#workers.set(name, workers + 1);
  }

  #leave({ name, bytes }: NamedPiece): void {
    const workers = (this.#workers.get(name) ?? 1) - 1;
    if (workers > 0) {
      this.#workers.set(name, workers);
      return;
    }
    this.#workers.delete(name);
    this.#bytes -= bytes;
  }

  #wait(piece: NamedPiece, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (!this.#waiting.delete(waiting)) return;
        reject(signal.reason as Error);
        this.#beginNext();
      };
      const waiting: Waiting = {
        piece,
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
      if (!this.#hasRoomFor(next.piece)) return;
      this.#waiting.delete(next);
      this.#enter(next.piece);
      next.begin();
    }
  }
}
