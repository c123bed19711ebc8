/** Who queries the engine when: on as many connections as there are, and not while fresh rows wait too long to be compressed. */

/** Rows added since the last checkpoint after which it pays to compress them. */
const ROWS_BEFORE_CHECKPOINT = 50_000;

/** So many times as much is too much, for uncompressed rows take six times as much: no further query begins until they are compressed. */
const OVERDUE = 4;

export interface EngineConnectionsOptions {
  readonly connections: readonly number[];
  /** Compresses fresh rows, which no other transaction may overlap. */
  readonly checkpoint: () => void;
  readonly rowsBeforeCheckpoint?: number;
}

export class EngineConnections {
  readonly #options: EngineConnectionsOptions;
  readonly #rowsBeforeCheckpoint: number;
  readonly #idle: number[];
  readonly #waiting: ((connection: number) => void)[] = [];
  #taken = 0;
  #freshRows = 0;

  constructor(options: EngineConnectionsOptions) {
    this.#options = options;
    this.#rowsBeforeCheckpoint = options.rowsBeforeCheckpoint ?? ROWS_BEFORE_CHECKPOINT;
    this.#idle = [...options.connections];
  }

  /** A connection of one's own, which has to be given back, in the order in which they are asked for. */
  take(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#serve();
    });
  }

  giveBack(connection: number): void {
    this.#taken--;
    this.#idle.push(connection);
    this.checkpointWhenIdle();
    this.#serve();
  }

  #serve(): void {
    while (this.#taken === 0 || this.#freshRows < OVERDUE * this.#rowsBeforeCheckpoint) {
      const [next, connection] = [this.#waiting[0], this.#idle.at(-1)];
      if (!next || connection === undefined) return;
      this.#waiting.shift();
      this.#idle.pop();
      this.#taken++;
      next(connection);
    }
  }

  noteRows(rows: number): void {
    this.#freshRows += rows;
  }

  checkpointWhenIdle(): void {
    if (this.#taken > 0 || this.#freshRows < this.#rowsBeforeCheckpoint) return;
    this.#freshRows = 0;
    try {
      this.#options.checkpoint();
    } finally {
      this.#serve();
    }
  }
}
