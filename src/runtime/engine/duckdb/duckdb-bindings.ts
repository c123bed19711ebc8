/** The part of DuckDB-WASM's blocking bindings that the engine uses. The adapter instantiates them and hands them in. */

export interface DuckdbBindings {
  /** Runs a statement to its end; the result as Arrow IPC bytes. */
  runQuery(connection: number, text: string): Uint8Array;
  /** Begins a query: the head of its result when it was done at once, else null. */
  startPendingQuery(connection: number, text: string, allowStreamResult: boolean): Uint8Array | null;
  /** Works on the query for a while: the head of its result when it is done, else null. */
  pollPendingQuery(connection: number): Uint8Array | null;
  cancelPendingQuery(connection: number): boolean;
  /** The next chunk of a finished query's result; empty at its end, null when there is none yet. */
  fetchQueryResults(connection: number): Uint8Array | null;
  insertArrowFromIPCStream(connection: number, bytes: Uint8Array, options: { name: string; create: boolean }): void;
}

/**
 * Whether the error means that the database cannot be used again, so that only a new instance can go on: its memory cannot be
 * trusted, or DuckDB has given it up, as when there is no room to compress what it holds.
 */
export const isFatal = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError ||
  (error instanceof Error && /Aborted|unreachable|out of bounds|FATAL Error/.test(error.message));

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && /out of memory|bad_alloc|could not allocate/i.test(error.message);
