/** Options of loading days into the engine: what may be evicted for them, and when they are refused. */

export interface Loading {
  /** Once aborted, nothing more is loaded; loaded days stay cached. */
  readonly signal: AbortSignal;
  /** Data loaded for a guest's query is evicted before other data beyond a share of the cache. */
  readonly isGuest?: boolean;
  /** Reject with `EngineFullError` if the days do not fit into the budget. */
  readonly withinBudget: boolean;
  /** A one-pass scan: blocks loaded for it are evicted first, so a scan of more than fits does not evict other blocks. */
  readonly onePass: boolean;
  /** Blocks that are loaded for it are dropped afterwards, unless a query has used them meanwhile. */
  readonly temporary?: boolean;
  /** Load custom properties, too. Rejects with `EngineFullError` if they do not fit. */
  readonly withProperties?: boolean;
  /** Store the sessions of the days, too, if there is room: the relation `sessions` is then read instead of computed. */
  readonly withSessions?: boolean;
  /** Reject with `IncompleteDaysError` if a file of the days is missing or unreadable. By default its events are left out. */
  readonly complete?: boolean;
}

/** Some events of the days could not be loaded, and cannot be until the files of these days change. */
export class IncompleteDaysError extends Error {
  override readonly name = "IncompleteDaysError";
}
