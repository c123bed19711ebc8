/** Which query runs when: at most one per connection, and none while too many new rows wait for a checkpoint. */

/** A checkpoint compresses the rows added since the last one. From this many rows on it is worth its time. */
const ROWS_BEFORE_CHECKPOINT = 50_000;

/** Uncompressed rows take six times the memory. From this multiple on, no query starts before the checkpoint. */
const OVERDUE_FACTOR = 4;

export interface ConnectionPoolOptions {
  readonly connections: readonly number[];
  /** Compresses new rows. No other transaction may be open. */
  readonly checkpoint: () => void;
  readonly rowsBeforeCheckpoint?: number;
}

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #rowsBeforeCheckpoint: number;
  readonly #idle: number[];
  readonly #waiting: ((connection: number) => void)[] = [];
  #acquired = 0;
  #newRows = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#rowsBeforeCheckpoint = options.rowsBeforeCheckpoint ?? ROWS_BEFORE_CHECKPOINT;
    this.#idle = [...options.connections];
  }

  /** A connection for the caller alone, until `release`. Callers are served in order. */
  acquire(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#serve();
    });
  }

  release(connection: number): void {
    this.#acquired--;
    this.#idle.push(connection);
    this.checkpointWhenIdle();
    this.#serve();
  }

  #serve(): void {
    while (this.#acquired === 0 || this.#newRows < OVERDUE_FACTOR * this.#rowsBeforeCheckpoint) {
      const [next, connection] = [this.#waiting[0], this.#idle.at(-1)];
      if (!next || connection === undefined) return;
      this.#waiting.shift();
      this.#idle.pop();
      this.#acquired++;
      next(connection);
    }
  }

  noteRows(rows: number): void {
    this.#newRows += rows;
  }

  checkpointWhenIdle(): void {
    if (this.#acquired > 0 || this.#newRows < this.#rowsBeforeCheckpoint) return;
    this.#newRows = 0;
    try {
      this.#options.checkpoint();
    } finally {
      this.#serve();
    }
  }
}
