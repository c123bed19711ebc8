/** The connections to the database: DuckDB's bindings, which query has which connection, and whose turn it is on the thread. */
import { GUEST_CONNECTIONS_SHARE_MAX } from "../../base/config/report-limits.ts";

/** A checkpoint compresses the rows added since the last one. From this many rows on it is worth its time. */
const ROWS_BEFORE_CHECKPOINT = 50_000;

/** A column that got rows since takes 256 KB until a checkpoint, however few they are. From this many columns on it is worth its time, too. */
const COLUMNS_BEFORE_CHECKPOINT = 40;

/** Uncompressed rows take six times the memory. From this multiple on, no query starts before the checkpoint. */
const OVERDUE_FACTOR = 4;

interface ConnectionPoolOptions {
  readonly connections: readonly number[];
  /** Compresses new rows. No other transaction may be open. */
  readonly checkpoint: () => void;
  readonly rowsBeforeCheckpoint?: number;
}

type Waiting = Pick<Turn, "isGuest" | "until">;

/** The order of queries: at most one per connection, owners before guests, and none while too many new rows wait for a checkpoint. Guests hold half of the connections at most. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #rowsBeforeCheckpoint: number;
  readonly #guestsMax: number;
  readonly #idle: number[];
  /** Waiting queries in order of arrival; guests come after all others. */
  readonly #waiting = { owners: new Set<Waiting>(), guests: new Set<Waiting>() };
  #acquired = 0;
  #guests = 0;
  #newRows = 0;
  /** The number of columns of each table that got rows since the last checkpoint. */
  readonly #grownTables = new Map<string, number>();

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
      this.#count(turn, -1);
      this.#idle.push(connection);
      this.checkpointWhenIdle();
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

  noteRows(rows: number): void {
    this.#newRows += rows;
  }

  /** A table of so many columns got rows. */
  noteColumns(table: string, columns: number): void {
    this.#grownTables.set(table, columns);
  }

  checkpointWhenIdle(): void {
    const columns = [...this.#grownTables.values()].reduce((sum, count) => sum + count, 0);
    const isWorthIt = this.#newRows >= this.#rowsBeforeCheckpoint || columns >= COLUMNS_BEFORE_CHECKPOINT;
    if (this.#acquired > 0 || !isWorthIt) return;
    this.#newRows = 0;
    this.#grownTables.clear();
    this.#options.checkpoint();
  }
}

/** Steps of owners after which a guest has one, so that guests are slow but never stand still. */
const OWNER_STEPS_PER_GUEST_STEP = 4;

export interface Caller {
  /** Reads what is shared, by a link or of a public site. */
  readonly isGuest: boolean;
  readonly signal: AbortSignal;
}

/** A computation that runs in steps. */
export interface Turn extends Caller {
  /** Lets others compute. Resolves when it is this one's turn, and rejects with the signal's reason. */
  readonly next: () => Promise<void>;
  /** Resolves with the first result of `take`, which is called again after each step of others. Rejects with the signal's reason. */
  readonly until: <T>(take: () => T | undefined) => Promise<T>;
}

/**
 * The order of computations on the engine's thread: owners before guests, of whom one at a time computes. A computation that waits asks
 * again after each step of others, instead of awaiting a promise that another one resolves: workerd does not let one object wait for
 * another, and an abort ends every wait within one step.
 */
export class Turns {
  readonly #yieldToOthers: () => Promise<void>;
  /** Owners' computations that are not waiting. */
  #owners = 0;
  /** Steps of owners since the last one of a guest. */
  #ownerSteps = 0;
  /** Guests that want to compute, in order. The first one may be computing. */
  readonly #guests = new Set<Caller>();

  constructor(yieldToOthers: () => Promise<void>) {
    this.#yieldToOthers = yieldToOthers;
  }

  /** Runs a task that calls `next` between its steps. */
  async run<T>(caller: Caller, task: (turn: Turn) => Promise<T>): Promise<T> {
    caller.signal.throwIfAborted();
    const turn: Turn = {
      ...caller,
      next: () => (caller.isGuest ? this.#nextOfGuest(caller) : this.#nextOfOwner(caller)),
      until: (take) => this.#until(caller, take),
    };
    this.#begin(caller);
    try {
      return await task(turn);
    } finally {
      this.#end(caller);
    }
  }

  #begin({ isGuest }: Caller): void {
    if (!isGuest) this.#owners++;
  }

  #end(caller: Caller): void {
    if (caller.isGuest) this.#guests.delete(caller);
    else this.#owners--;
  }

  async #nextOfOwner({ signal }: Caller): Promise<void> {
    await this.#yieldToOthers();
    signal.throwIfAborted();
    this.#ownerSteps++;
  }

  async #nextOfGuest(guest: Caller): Promise<void> {
    // It gives its place away only after others could run: guests that were told in the same moment would compute all at once.
    await this.#yieldToOthers();
    this.#guests.delete(guest);
    this.#guests.add(guest);
    while (!this.#isTurnOf(guest)) {
      guest.signal.throwIfAborted();
      await this.#yieldToOthers();
    }
    guest.signal.throwIfAborted();
    this.#ownerSteps = 0;
  }

  #isTurnOf(guest: Caller): boolean {
    const [first] = this.#guests;
    return first === guest && (this.#owners === 0 || this.#ownerSteps >= OWNER_STEPS_PER_GUEST_STEP);
  }

  /** Whoever waits takes no turns: what it waits for may be held by guests. */
  async #until<T>(caller: Caller, take: () => T | undefined): Promise<T> {
    this.#end(caller);
    try {
      for (;;) {
        const taken = take();
        if (taken !== undefined) return taken;
        await this.#yieldToOthers();
        caller.signal.throwIfAborted();
      }
    } finally {
      this.#begin(caller);
    }
  }
}

/** The part of DuckDB-WASM's blocking bindings that the engine uses. The adapter provides an instance. */
export interface DuckdbBindings {
  /** Runs a statement to its end. Returns the result as Arrow IPC. */
  runQuery(connection: number, text: string): Uint8Array;
  /** Starts a query. Returns the head of its result if it is finished at once, else null. */
  startPendingQuery(connection: number, text: string, allowStreamResult: boolean): Uint8Array | null;
  /** Continues the query for one step. Returns the head of its result if it is finished, else null. */
  pollPendingQuery(connection: number): Uint8Array | null;
  cancelPendingQuery(connection: number): boolean;
  /** The next chunk of a finished query's result; empty at the end, null if it is not ready yet. */
  fetchQueryResults(connection: number): Uint8Array | null;
  insertArrowFromIPCStream(connection: number, bytes: Uint8Array, options: { name: string; create: boolean }): void;
}

/**
 * True if the database is unusable after the error, so that a new instance has to replace it: its memory may be corrupt, or DuckDB
 * has invalidated it, as it does when a checkpoint runs out of memory. A stack overflow unwinds nothing, so transactions stay open.
 */
export const isFatal = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError ||
  (error instanceof Error && /Aborted|unreachable|out of bounds|Maximum call stack|FATAL Error/.test(error.message));

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /out of memory|bad_alloc|could not allocate/i.test(error.message);
