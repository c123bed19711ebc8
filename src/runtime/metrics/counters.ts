/** What has happened since the start, as numbers that only grow. */

export interface Counters {
  /** Accepted, non-bot events of `POST /api/event`. */
  eventsIngested: number;
  /** The same for the pixel. */
  pixelEventsIngested: number;
  /** Events dropped because a bot sent them. */
  botEventsDropped: number;
  /** Events that could not be stored, each answered with 503. */
  eventsRefused: number;
  flushFailures: number;
  /** Syncs of the journal that the disk did not confirm. */
  journalSyncFailures: number;
  /** Files that were merged into others. */
  filesCompacted: number;
  compactionFailures: number;
  /** On request and by retention. */
  eventsErased: number;
  /** Runs of retention that left something to try again. */
  retentionFailures: number;
  rateLimitRejections: number;
  /** Events refused because their site would have been one more than `max_sites`. */
  sitesRefused: number;
  /** Logins with a wrong password. */
  loginFailures: number;
  cacheHits: number;
  cacheMisses: number;
}

export const createCounters = (): Counters => ({
  eventsIngested: 0,
  pixelEventsIngested: 0,
  botEventsDropped: 0,
  eventsRefused: 0,
  flushFailures: 0,
  journalSyncFailures: 0,
  filesCompacted: 0,
  compactionFailures: 0,
  eventsErased: 0,
  retentionFailures: 0,
  rateLimitRejections: 0,
  sitesRefused: 0,
  loginFailures: 0,
  cacheHits: 0,
  cacheMisses: 0,
});
