/** The order of queries: at most one per connection, owners before guests, and none while too many new rows wait for a checkpoint. Guests hold half of the connections at most. */
import { GUEST_CONNECTIONS_SHARE_MAX } from "../../base/config/report-limits.ts";
import type { Turn } from "./turns.ts";

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

type Waiting = Pick<Turn, "isGuest" | "until">;

export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #rowsBeforeCheckpoint: number;
  readonly #guestsMax: number;
  readonly #idle: number[];
  /** Waiting queries in order of arrival; guests come after all others. */
  readonly #waiting = { owners: new Set<Waiting>(), guests: new Set<Waiting>() };
  #acquired = 0;
  /** Connections in use by guests. */
  #guests = 0;
  #newRows = 0;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#rowsBeforeCheckpoint = options.rowsBeforeCheckpoint ?? ROWS_BEFORE_CHECKPOINT;
    this.#guestsMax = Math.max(1, Math.floor(options.connections.length * GUEST_CONNECTIONS_SHARE_MAX));
    this.#idle = [...options.connections];
  }

  /** Runs the task with a connection of its own. Rejects as `turn` does while none is free. */
  async run<T>(turn: Waiting, task: (connection: number) => Promise<T>): Promise<T> {
    const connection = await this.#acquire(turn);
    try {
      return await task(connection);
    } finally {
      this.#release(connection, turn);
    }
  }

  async #acquire(turn: Waiting): Promise<number> {
    const waiting = this.#waiting[turn.isGuest ? "guests" : "owners"];
    waiting.add(turn);
    try {
      return await turn.until(() => this.#take(turn));
    } finally {
      waiting.delete(turn);
    }
  }

  /** A connection, if the query is the next one and may have it. */
  #take(turn: Waiting): number | undefined {
    const [owner] = this.#waiting.owners;
    const [guest] = this.#waiting.guests;
    const next = turn.isGuest ? (owner ?? guest) : owner;
    if (next !== turn || (turn.isGuest && this.#guests === this.#guestsMax) || this.#isCheckpointOverdue) return undefined;
    const connection = this.#idle.pop();
    if (connection !== undefined) this.#count(turn, 1);
    return connection;
  }

  get #isCheckpointOverdue(): boolean {
    return this.#acquired > 0 && this.#newRows >= OVERDUE_FACTOR * this.#rowsBeforeCheckpoint;
  }

  #count({ isGuest }: Waiting, connections: 1 | -1): void {
    this.#acquired += connections;
    if (isGuest) this.#guests += connections;
  }

  #release(connection: number, turn: Waiting): void {
    this.#count(turn, -1);
    this.#idle.push(connection);
    this.checkpointWhenIdle();
  }

  noteRows(rows: number): void {
    this.#newRows += rows;
  }

  checkpointWhenIdle(): void {
    if (this.#acquired > 0 || this.#newRows < this.#rowsBeforeCheckpoint) return;
    this.#newRows = 0;
    this.#options.checkpoint();
  }
}
