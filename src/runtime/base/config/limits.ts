/** Every fixed bound but those of reports, of what administrators set and of ClickHouse, which have files of their own beside this one. Names end with the unit. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Stops the start when an edited limit no longer fits the limits it depends on. */
export function assertLimits(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`Limits contradict each other: ${rule}`);
}

// Requests and connections

/** Largest request body (docs/http-api.md, "Limits"). */
export const BODY_BYTES_MAX = 64 * KIB;

/** Bytes past the limit of a body that are still read and discarded: a client that is still sending then gets to read its 413. */
export const BODY_BYTES_DISCARDED_MAX = MIB;

/** Query parameters of a request, known or not. No endpoint takes more than a dozen. */
export const QUERY_PARAMETERS_MAX = 100;

/** Session cookies and API keys of one request that are checked: each costs a hash. */
export const CREDENTIALS_TRIED_MAX = 4;

/** A text by which a client of the MCP server knows its request. */
export const MCP_ID_CHARS_MAX = 256;

/** Open connections; more are closed at once. An idle connection takes about 10 KB. */
export const CONNECTIONS_MAX = 10_000;

/** Pipelined requests that may wait on one connection; more close it. Each takes about 10 KB. */
export const PIPELINED_REQUESTS_MAX = 32;

/** A client that reads nothing of a response for this long is disconnected. */
export const RESPONSE_STALL_MS = 30_000;

/** How long a client may take for a streamed response of any size, before its average rate counts. */
export const RESPONSE_GRACE_MS = 30_000;

/**
 * Average rates of streamed responses below which a client is disconnected: of any client, of guests of share links and public sites,
 * and of these while another one waits for what they hold. The last one counts from then on, after the same grace.
 */
export const RESPONSE_BYTES_PER_SECOND_MIN = 16 * KIB;
export const GUEST_BYTES_PER_SECOND_MIN = 128 * KIB;
export const GUEST_BYTES_PER_SECOND_MIN_WANTED = 512 * KIB;

/** Bytes of a streamed response that are written at a time: small, so that a slow client is seen to make progress. */
export const RESPONSE_SLICE_BYTES = 32 * KIB;

/** How long the result of a readiness check is reused, and how long a check may take before the next one replaces it. */
export const READINESS_TTL_MS = 1_000;
export const READINESS_CHECK_MS_MAX = 30_000;

// Ingested events. Characters are Unicode code points (docs/http-api.md, "Limits")

export const SITE_ID_CHARS_MAX = 256;
export const EVENT_NAME_CHARS_MAX = 256;
export const URL_CHARS_MAX = 2048;
export const PROPS_CHARS_MAX = 4096;
export const CURRENCY_CHARS_MAX = 3;
export const ENGAGED_SECONDS_MAX = 86_400;

/**
 * Rows of counts of dropped events that wait for a write, of all sites. With more, further paths are not told apart; with twice as many,
 * further sites are not counted.
 */
export const COUNT_ROWS_PENDING_MAX = 40_000;

/** The time between writes of them: what a kill of the process loses. */
export const COUNT_WRITE_MS = 15_000;

/** The longest pause between two files of a write, which is as long as the first took. */
export const COUNT_WRITE_PAUSE_MS_MAX = 1000;

/** How long files of counts are moved or joined before others have their turn. */
export const COUNT_TURN_MS_MAX = 1000;

/** Files of counts that an import has of a day before they are joined: each of its checkpoints writes one. */
export const IMPORT_COUNT_FILES_MAX = 16;

/** Requests of crawlers: the body that reports them, and how many may be in it. */
export const CRAWL_BODY_BYTES_MAX = MIB;
export const CRAWL_REQUESTS_MAX = 1000;

/** Characters of the id that a client gives to such a batch. */
export const CRAWL_BATCH_ID_CHARS_MAX = 128;

/** How old a reported request may be, and how far ahead of the service the clock of its server. Others are not counted. */
export const CRAWL_AGE_DAYS_MAX = 30;
export const CRAWL_AHEAD_MS_MAX = 600_000;

/** Batches that wait for a write: of a site, and of all. */
export const CRAWL_BATCHES_OF_SITE_MAX = 20;
export const CRAWL_BATCHES_WAITING_MAX = 100;

/** Pings of engaged time that wait for the end of their day: of a site and day, and the bytes of all. More are dropped. */
export const PINGS_OF_DAY_MAX = 50_000;
export const PINGS_BYTES_MAX = 16 * MIB;

/** Pings are dropped if they could not be added to the events of their day for this many days after it. */
export const PINGS_LATE_DAYS = 2;

/** The pause between attempts to add pings to the events of past days. */
export const PINGS_RETRY_MS = 600_000;

/** Sites that one event may name, separated by commas. */
export const EVENT_SITES_MAX = 10;

/** Characters of the id by which another product's tag names a site. */
export const EARLIER_TAG_ID_CHARS_MAX = 64;

/** Names of other products' tags that no site has, which the installation check lists. */
export const UNKNOWN_ALIASES_MAX = 20;

/** Requests in one body of Matomo's bulk tracking. */
export const MATOMO_REQUESTS_MAX = 100;
export const UTM_CHARS_MAX = 256;
export const PATHNAME_CHARS_MAX = 2048;

export const UTF8_BYTES_PER_CHAR_MAX = 4;

assertLimits(
  (SITE_ID_CHARS_MAX + EVENT_NAME_CHARS_MAX + 2 * URL_CHARS_MAX + PROPS_CHARS_MAX + CURRENCY_CHARS_MAX) * UTF8_BYTES_PER_CHAR_MAX <
    BODY_BYTES_MAX,
  "a body holds an event whose fields are all at their limits",
);

/** Largest absolute revenue in hundredths: what DECIMAL(12,2) holds. */
export const REVENUE_CENTS_MAX = 999_999_999_999;

/**
 * Longest host of a URL, with port and credentials. DNS names have at most 253 characters (RFC 1035), and converting an
 * internationalized host takes quadratic time.
 */
export const URL_HOST_CHARS_MAX = 320;

assertLimits(URL_HOST_CHARS_MAX < URL_CHARS_MAX, "a URL has room for the longest host");

/** Longest User-Agent that is parsed and cached; the rest is ignored. Real ones have up to about 420 characters. */
export const USER_AGENT_CHARS_MAX = 512;

/** Cached User-Agents: at most 10 MB at two bytes a character. */
export const USER_AGENTS_CACHED_MAX = 10_000;

/** Token buckets in memory, for each of the two rate limits. */
export const RATE_LIMIT_BUCKETS_MAX = 100_000;

/** Changes of a calendar's time zone, of which each takes a day at least. */
export const ZONE_CHANGES_MAX = 1_000;

/** A changed time zone takes effect this long after the change at the earliest: it is stored by then, so that no day begins meanwhile. */
export const ZONE_SETTLE_MS = 60_000;

/** How long the first event of a site waits after a start for the list of stored sites, and the installation check for its dates. */
export const SITES_LISTING_WAIT_MS = 1_000;

/** Pause before the tick retries to replace the secret of visitor ids. Events retry at once. */
export const SALT_RETRY_MS = 10_000;

/** How often secrets of time zones that no site is in any more are looked for. */
export const UNUSED_SALTS_CHECK_MS = 60_000;

/** Salt periods that may end while one event waits for its secret to be stored. */
export const SALT_RENEWALS_PER_EVENT_MAX = 3;

// The journal and the flush

/** Accepted events that may wait for a flush; beyond that, ingestion answers 503. */
export const UNFLUSHED_EVENTS_MAX = 1_000_000;

/** Bytes of journal lines that may wait for a flush; in memory they take up to twice as much. A workerd isolate has 128 MB in all. */
export const UNFLUSHED_BYTES_MAX = 256 * MIB;
export const UNFLUSHED_BYTES_MAX_IN_WORKERD = 16 * MIB;

/** Share of these bytes at which a flush starts, however few events they are. */
export const FLUSH_BYTES_SHARE = 1 / 4;

/** First and longest pause before a failed flush is retried. */
export const FLUSH_RETRY_MS_MIN = 1_000;
export const FLUSH_RETRY_MS_MAX = 60_000;

assertLimits(FLUSH_RETRY_MS_MIN <= FLUSH_RETRY_MS_MAX, "the pauses between retries of a flush grow");

/** Interval of the log line while events are refused. */
export const REFUSED_EVENTS_LOG_MS = 60_000;

/** How often requests that fail for the same reason are logged, and for how many reasons they are counted. */
export const FAILURE_REPEATED_MS = 60_000;
export const FAILURE_REASONS_MAX = 100;

/** Ingestion counts as recovered when no event has been refused for this long. */
export const INGEST_RECOVERY_MS = 1_000;

/** Interval of the log line while syncs of the journal fail. */
export const SYNC_FAILURES_LOG_MS = 60_000;

// Stored files

/** Sites whose partition listings are kept in memory. */
export const PARTITION_LISTINGS_MAX = 1_000;

/** Times that files are listed again because some vanished while they were read. */
export const LISTING_ATTEMPTS_MAX = 20;

/** Archives of whole sites that are kept to be downloaded, and for how long. */
export const EXPORTS_KEPT_MAX = 5;
export const EXPORT_KEPT_MS = 24 * 3_600_000;

/** Bytes that the disk must have left when such an archive is begun, and while it is made. */
export const EXPORT_FREE_BYTES_MIN = 2048 * MIB;
export const EXPORT_FREE_BYTES_LEFT_MIN = 1024 * MIB;

/** Faults that `verify` reports one by one; further ones are counted. */
export const FAULTS_KEPT_MAX = 1_000;

/** Pause between two searches for days whose files should be merged. */
export const COMPACTION_PAUSE_MS = 5_000;

/** Pause before a site whose files could not be merged is tried again. */
export const COMPACTION_RETRY_MS = 60_000;

/** Files that reports leave out and that are counted. */
export const LEFT_OUT_FILES_MAX = 10_000;

/** Unreadable files that compaction remembers and skips. */
export const UNREADABLE_FILES_REMEMBERED_MAX = 10_000;

/** Pause before a failed retention run is retried. */
export const RETENTION_RETRY_MS = 3_600_000;

/** Retention distrusts a clock that went forward by more than the first, until it has stayed there for the second. */
export const CLOCK_JUMP_MS_MAX = 86_400_000;
export const CLOCK_DISTRUST_MS = 3_600_000;

/** How often the current time is recorded, for the next start to compare with. */
export const CLOCK_RECORD_MS = 3_600_000;

assertLimits(CLOCK_RECORD_MS < CLOCK_JUMP_MS_MAX, "after a quick restart, the recorded time is not a jump away");

// Memory of the query engine

/** Most memory that the engine is given, whatever the option says: WebAssembly addresses 4 GB, and queries need some of it. */
export const ENGINE_BYTES_MAX = 3 * 1024 * MIB;

/** More threads would each have too little memory, and too few days of a year. */
export const ENGINE_THREADS_MAX = 8;

/** Ranges with less Parquet are computed by one thread. */
export const DIVIDED_BYTES_MIN = 64 * 1024 * 1024;

/** Connections to the database of each thread: this many queries run side by side, the others wait. */
export const ENGINE_CONNECTIONS_MAX = 4;

/** How long a query computes before messages and other queries are served: whoever comes waits for one such step. */
export const ENGINE_STEP_MS = 20;

/** Parquet bytes of one block, the tables of some days in the partition cache, unless a single day has more. */
export const BLOCK_BYTES_MAX = 24 * MIB;

/** Blocks that must fit into the engine's memory; with little memory, blocks are smaller. */
export const BLOCKS_OF_BUDGET_MIN = 16;

/** Parquet bytes that are loaded at a time, unless a single day has more. */
export const LOAD_BYTES_MAX = 8 * MIB;

/** Parquet bytes of a chunk, unless a single salt period has more: about a million events, which load within a few seconds. */
export const CHUNK_BYTES_MAX = 24 * MIB;

assertLimits(BLOCK_BYTES_MAX <= CHUNK_BYTES_MAX, "a chunk holds at least one block");

/** Chunks that must fit into the engine's memory; with little memory, chunks are smaller. */
export const CHUNKS_OF_BUDGET_MIN = 8;

/** Share of the engine's memory for all chunks that are being processed. */
export const WORKED_ON_SHARE_MAX = 1 / 2;

assertLimits(1 / CHUNKS_OF_BUDGET_MIN <= WORKED_ON_SHARE_MAX, "the memory for chunks admits at least one");

/** Share of cached days, and of kept rows, from which on those that only guests use are evicted before all others. */
export const GUESTS_CACHE_SHARE_MAX = 1 / 2;

/** Share of the engine's memory for kept rows of parts of ranges, and queries that have any. */
export const PART_ROWS_SHARE_MAX = 1 / 4;
export const PART_ROWS_QUERIES_MAX = 1_000;

/** Parquet bytes up to which parts are joined: a statement takes 2 to 5 ms, in which as many events are read. */
export const PART_BYTES_MIN = MIB;

/** Parquet bytes of a block up to which days that are loaded at different times share one. */
export const JOINED_BYTES_MAX = PART_BYTES_MIN;

/**
 * Rows in all sums that reports have under way: each takes some 100 bytes, beside its texts. They may take as much as kept rows, and
 * always so many.
 */
export const SUM_ROWS_MAX = 4_000_000;
export const SUM_ROWS_ALLOWED_MIN = 200_000;
export const SUM_ROW_BYTES = 100;

/** The bytes that string dictionaries always get. */
export const TEXTS_BYTES_ALLOWED_MIN = 4 * MIB;

/** Share of the engine's memory for custom properties, the largest of which are evicted first, and the bytes that they always get. */
export const PROPS_SHARE_MAX = 1 / 2;
export const PROPS_BYTES_ALLOWED_MIN = MIB;

/** Bytes of the distinct keys, or values of a key, that one property report may find. */
export const PROPERTY_TEXT_BYTES_MAX = 64 * MIB;

// The installation check and the demo site (docs/http-api.md, "Installation check" and "Demo site")

/** Names whose events are counted. A new name beyond that searches all of them for the oldest, which takes about 5 µs. */
export const OUTCOME_NAMES_MAX = 200;

/** Other names that the check of one site lists. */
export const OTHER_NAMES_MAX = 10;

/** Bytes of a page that are read; the rest is ignored. The head, where scripts and policies are, comes first. */
export const PAGE_BYTES_MAX = 1024 * 1024;

/** How long the requests for a page may take together. */
export const PAGE_TIMEOUT_MS = 5_000;

/** Redirects that are followed. Sites redirect to https, to `www` and to a language. */
export const PAGE_REDIRECTS_MAX = 3;

/** Page checks per second, one after the other: an administrator clicks, nobody polls. */
export const PAGE_CHECKS_PER_SEC = 0.5;

/** Addresses in `X-Forwarded-For` beyond those of trusted proxies that the proxy check looks at: more proxies than anybody has. */
export const PROXIES_BEYOND_MAX = 4;

/** Accepted events that the proxy check judges together. Then it counts anew, so that it follows a change of the proxy. */
export const PROXY_WINDOW_EVENTS = 200;

/** Share of these events that must look alike: some events come past the proxy, or with a forged header. */
export const FORWARDED_SHARE_MIN = 0.9;

/** Events before the first conclusion, where visitors have a private address and the header names public ones. */
export const HIDDEN_EVENTS_MIN = 3;

/** Events before the first conclusion, where one visitor could look like all, and between further ones in the same window. */
export const PROXY_EVENTS_MIN = 20;

/** Days of the demo site that are made at a time: a year, up to today. */
export const DEMO_DAYS = 365;

/** Files of it that are written at the same time: each waits for the disk. */
export const DEMO_FILES_AT_ONCE = 4;

/** Pause after the demo site could not be continued, which doubles. Otherwise it gets the visits of each minute when that is over. */
export const DEMO_RETRY_MS = 60_000;
export const DEMO_RETRY_MS_MAX = 900_000;

// The stop of a process: how its phases share the time. Each is counted from the signal

/** A stop ends within this time, whatever clients do: Docker kills a container after ten seconds. */
export const STOP_MS_MAX = 5_000;

/** How long it waits for requests that are still being sent. */
export const STOP_UNSENT_MS = 1_000;

/** How long it waits for the responses to the other requests. */
export const STOP_RESPONSES_MS = 3_000;

/** How long it flushes. The remaining events stay in the journal. */
export const STOP_FLUSH_MS = 3_800;

/** How long it waits for files that are being written. The rest of the time is for the end of the process. */
export const STOP_WRITES_MS = 4_300;

// Imports

/** Bytes of a file by which its format is recognized; a header longer than that is refused. */
export const IMPORT_OPENING_BYTES = 64 * KIB;

/** All files of an import share them: they are in memory together. */
export const IMPORT_OPENINGS_BYTES_MAX = 64 * MIB;

/** Longest line, and longest record of CSV; longer ones are bad rows. */
export const IMPORT_LINE_BYTES_MAX = MIB;

/** Characters of a bad value that are shown. */
export const IMPORT_BAD_VALUE_CHARS_MAX = 200;

/** Bad rows that are shown with file, line and value; all are counted. */
export const IMPORT_BAD_ROWS_SHOWN_MAX = 20;

/** Events of an import that are in memory before they are written, with a checkpoint behind them. */
export const IMPORT_CHECKPOINT_EVENTS = 50_000;
export const IMPORT_CHECKPOINT_EVENTS_IN_WORKERD = 5_000;

/** Time for which a Durable Object makes events in one alarm, which may take 30 seconds of processor time, also for rows it skips first. */
export const IMPORT_RUN_MS_IN_WORKERD = 10_000;

/** Times that the process may end while it reads an import, without any progress, before it is given up. */
export const IMPORT_ATTEMPTS_MAX = 5;

/** Values of days, and characters of their texts, that are in memory before they are written. */
export const IMPORT_DAY_GROUPS = 100_000;
export const IMPORT_DAY_GROUPS_IN_WORKERD = 20_000;
export const IMPORT_DAY_TEXT_CHARS = 16 * MIB;

/** Files of sums of days of an import: a report reads all that have its dimension. */
export const IMPORT_DAY_FILES_MAX = 200;

/** Custom properties of an import with sums of days. Rows of further ones are left out, and counted. */
export const IMPORT_DAY_PROPERTIES_MAX = 1_000;

/** Imports that are kept, and those of them that wait for their files or for a confirmation. */
export const IMPORTS_MAX = 1_000;
export const IMPORTS_WAITING_MAX = 10;

/** Logs that are followed into one site. */
export const FOLLOWED_LOGS_MAX = 10;

/** Files of events after which a log goes on in another import: each request with lines makes one for each of their days. */
export const FOLLOWED_FILES_MAX = 950_000;

/** Days after its own for which the salt of a day of a followed log is kept. */
export const FOLLOWED_SALT_DAYS = 1;

/** Changes of imports that may wait while one is made. */
export const IMPORT_CHANGES_WAITING_MAX = 10;

/** Days without a change after which an import that was not confirmed is deleted with its files. */
export const IMPORT_WAITING_DAYS = 7;

/** Bytes of an upload to a Durable Object, which reads them in alarms of 30 seconds of processor time. */
export const IMPORT_UPLOAD_BYTES_MAX_IN_WORKERD = 128 * MIB;

/** Bytes of the request that begins an upload: the names of its files. */
export const IMPORT_BODY_BYTES_MAX = 256 * KIB;

/** Parts that are received at the same time: each is in memory. */
export const IMPORT_PARTS_AT_ONCE = 4;

/** Parts of uploaded files that are in memory while they are read. */
export const IMPORT_PARTS_CACHED_MAX = 2;

/** Bytes of the disk that an upload leaves free. */
export const IMPORT_FREE_BYTES_MIN = 1024 * MIB;

/** Time after which other work gets its turn while an import reads. */
export const IMPORT_SLICE_MS = 4;

/** Pause before an import that failed because of storage goes on. */
export const IMPORT_RETRY_MS = 60_000;

/** Files that a manifest names of each list; all are counted. */
export const IMPORT_FILES_SHOWN_MAX = 100;

/** Hashes of identities that are in memory while an import runs, beside those of the days of one batch of rows. */
export const IMPORT_IDENTITIES_MAX = 4_000_000;

/** Sentences of an import's files that are kept. */
export const IMPORT_REMARKS_MAX = 100;

/** Characters of a browser's, a system's, a place's or a source's name of another product. The rest is cut. */
export const IMPORT_NAME_CHARS_MAX = 256;

/** First bytes of a log that is followed, by which it is known again when it was renamed. */
export const LOG_FINGERPRINT_BYTES = 1024;

/** Characters of an nginx `log_format` that is given with logs. */
export const IMPORT_LOG_FORMAT_CHARS_MAX = 4096;

/** A Parquet file in an archive, and the columns of a row group that are read: what of them is in memory at once. */
export const IMPORT_PARQUET_BYTES_MAX = 64 * MIB;

/** Names, places and statistics of the columns at the end of a Parquet file. */
export const IMPORT_PARQUET_FOOTER_BYTES_MAX = 16 * MIB;

/** Columns of a row group that become rows at once. */
export const IMPORT_PARQUET_SLICE_BYTES = 4 * MIB;

/** Files of one import: given, in folders and in archives, all together. */
export const IMPORT_FILES_MAX = 10_000;

/** Bytes of an archive's directory: that of 10,000 files takes about one. */
export const IMPORT_DIRECTORY_BYTES_MAX = 8 * MIB;

/** Characters of a file's path. */
export const IMPORT_PATH_CHARS_MAX = 1024;

/** Archives in archives, such as compressed logs in a ZIP. */
export const IMPORT_NESTING_MAX = 3;

/** Bytes of one file, decompressed. */
export const IMPORT_FILE_BYTES_MAX = 200 * 1024 * MIB;

/** How many times its compressed size a file may have, after the bytes that are free: text shrinks to a tenth, repeated lines to a 200th. */
export const IMPORT_EXPANSION_MAX = 500;
export const IMPORT_EXPANSION_BYTES_FREE = 64 * MIB;

/** Compressed bytes that are decompressed at a time: they yield at most a thousand times as much. */
export const IMPORT_INFLATE_BYTES = 16 * KIB;

/** Bytes of a file that are read at a time. Decoded, they still fit among V8's ordinary objects: larger ones stay until a full collection. */
export const IMPORT_READ_BYTES = 32 * KIB;

/** Largest count in a row, and the first date: what lies beyond is a mistake, and never imported. */
export const IMPORT_COUNT_MAX = 10_000_000_000;
export const IMPORT_FIRST_DATE = "1995-01-01";

/** Memory for the rows of one file that are looked up for those of another, and how often both are read at most. */
export const IMPORT_JOIN_BYTES = 48 * MIB;
export const IMPORT_JOIN_PASSES_MAX = 16;

/** Groups of rows, of which as many are joined in one pass as fit into that memory. */
export const IMPORT_JOIN_GROUPS = 4096;

/** Bytes of one object in JSON or XML, such as a visit with all of its actions. */
export const IMPORT_OBJECT_CHARS_MAX = 8 * MIB;

/** Kinds of devices whose last visitor is remembered, for a source that marks only the first view of each visitor. */
export const IMPORT_VISITORS_REMEMBERED_MAX = 50_000;
