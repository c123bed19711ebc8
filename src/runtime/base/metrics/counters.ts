/** What has happened since the start, as numbers that only increase. */

export interface Counters {
  /** Accepted events of `POST /api/event`, without those of bots. */
  eventsIngested: number;
  /** The same for the pixel. */
  pixelEventsIngested: number;
  /** Events dropped because a bot sent them. */
  botEventsDropped: number;
  /** Events dropped because the settings of their site exclude them. */
  eventsExcluded: number;
  /** Events answered with 503 because they could not be stored. */
  eventsRefused: number;
  flushFailures: number;
  /** Syncs of the journal that the disk did not confirm. */
  journalSyncFailures: number;
  /** Files that compaction replaced by merged ones. */
  filesCompacted: number;
  compactionFailures: number;
  rollupsMade: number;
  /** Rollups that could not be made and are tried again. */
  rollupFailures: number;
  /** Time spent making rollups. */
  rollupMs: number;
  /** Inserts into ClickHouse that succeeded. */
  clickhouseInserts: number;
  /** Inserts into ClickHouse that are tried again. */
  clickhouseInsertFailures: number;
  /** Time spent inserting into ClickHouse, failures included. */
  clickhouseInsertMs: number;
  /** On request and by retention. */
  eventsErased: number;
  /** Retention runs that will be retried. */
  retentionFailures: number;
  /** Events rejected by the rate limit of their site. */
  rateLimitRejections: number;
  /** Events rejected because of `max_sites`. */
  maxSitesRejections: number;
  /** Logins with a wrong password, and setups with a wrong setup code. */
  loginFailures: number;
  cacheHits: number;
  cacheMisses: number;
}

export const createCounters = (): Counters => ({
  eventsIngested: 0,
  pixelEventsIngested: 0,
  botEventsDropped: 0,
  eventsExcluded: 0,
  eventsRefused: 0,
  flushFailures: 0,
  journalSyncFailures: 0,
  filesCompacted: 0,
  compactionFailures: 0,
  rollupsMade: 0,
  rollupFailures: 0,
  rollupMs: 0,
  clickhouseInserts: 0,
  clickhouseInsertFailures: 0,
  clickhouseInsertMs: 0,
  eventsErased: 0,
  retentionFailures: 0,
  rateLimitRejections: 0,
  maxSitesRejections: 0,
  loginFailures: 0,
  cacheHits: 0,
  cacheMisses: 0,
});
