/** The reader for whom a query runs, and its time limit. */
export interface Asker {
  /** Reads what is shared, by a link or of a public site. Guests have a part of the query slots only. */
  readonly isGuest: boolean;
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}
