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
