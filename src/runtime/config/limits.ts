/** Every fixed bound of the service, with its unit in its name. Bounds that operators set are options in `config.ts`. */

/** Longest accepted ingestion body (contract 8). */
export const BODY_BYTES_MAX = 64 * 1024;

/** Query parameters of a request, known or not. No endpoint has more than a dozen. */
export const QUERY_PARAMETERS_MAX = 100;

/** How much of what follows a body's limit is still taken in and thrown away, so that the sender gets to read its refusal. */
export const BODY_BYTES_DISCARDED_MAX = 1024 * 1024;

/** Lengths of the ingested fields in Unicode code points (contract 8). */
export const SITE_ID_CHARS_MAX = 256;
export const EVENT_NAME_CHARS_MAX = 256;
export const URL_CHARS_MAX = 2048;
export const PROPS_CHARS_MAX = 4096;
export const CURRENCY_CHARS_MAX = 3;
export const UTM_CHARS_MAX = 256;
export const PATHNAME_CHARS_MAX = 2048;

/** Largest absolute revenue: what DECIMAL(12,2) holds, in hundredths. */
export const REVENUE_CENTS_MAX = 999_999_999_999;

/**
 * Longest host of a URL that is parsed, with its port and credentials. DNS names have at most 253 characters (RFC 1035), and
 * encoding a host of many different characters takes quadratic time.
 */
export const URL_HOST_CHARS_MAX = 320;

/** Longest User-Agent that is parsed and remembered; the rest of a longer one is ignored. Real ones have up to about 420. */
export const USER_AGENT_CHARS_MAX = 512;

/** How many parsed User-Agents (and bot verdicts) are remembered: at the length above and two bytes a character, 10 MB at most. */
export const USER_AGENTS_REMEMBERED_MAX = 10_000;

/** How many sites' and addresses' rate-limit buckets are remembered. */
export const RATE_LIMIT_BUCKETS_MAX = 100_000;

/** Longest range of a statistics query, both ends included (contract 8). */
export const RANGE_DAYS_MAX = 366;

/** Ranges of at most this many days are charted by the hour (contract 4.4). */
export const HOURLY_DAYS_MAX = 2;

/** Conditions of a segment filter, and the length of each one's value in code points (contract 8). */
export const FILTER_CONDITIONS_MAX = 12;
export const FILTER_VALUE_CHARS_MAX = 512;

/** Rows of the lists that take no limit of their own. */
export const REALTIME_ROWS_MAX = 10;
export const REVENUE_ROWS_MAX = 100;
export const GOAL_ROWS_MAX = 1000;
export const PROPERTY_KEYS_MAX = 1000;
export const PROPERTY_VALUES_MAX = 1000;

/** Characters of kept answers in all; beside `cache_max_entries`, because answers may be long. */
export const CACHE_CHARS_MAX = 32 * 1024 * 1024;

/** Queries that may wait for a slot where `query_queue_ms` lets them. */
export const QUERIES_WAITING_MAX = 1000;

/** Rows of a raw export (contract 8). */
export const EXPORT_ROWS_DEFAULT = 100_000;
export const EXPORT_ROWS_MAX = 1_000_000;

/** What all raw exports together may hold in memory: so much of what the engine may, and so much in any case. */
export const EXPORTS_SHARE_MAX = 1 / 8;
export const EXPORTS_BYTES_ALLOWED_MIN = 32 * 1024 * 1024;

/** A response of which its client takes nothing for so long is ended, and its connection is closed. */
export const RESPONSE_STALL_MS = 30_000;

/** Bytes of a streamed response that are handed over at a time: so little, that a slow client is seen to take some of it. */
export const RESPONSE_SLICE_BYTES = 32 * 1024;

/** Rows of a breakdown (contract 8). */
export const BREAKDOWN_ROWS_DEFAULT = 10;
export const BREAKDOWN_ROWS_MAX = 1000;

/** Accepted events that may wait for a flush; past this, ingestion answers 503 until the disk takes them again. */
export const UNFLUSHED_EVENTS_MAX = 1_000_000;

/**
 * Bytes of journal lines that may wait for a flush, beside their number: text takes once or twice as much memory. In workerd
 * all of an isolate's memory is 128 MB.
 */
export const UNFLUSHED_BYTES_MAX = 256 * 1024 * 1024;
export const UNFLUSHED_BYTES_MAX_IN_WORKERD = 16 * 1024 * 1024;

/** A flush begins at this share of them, however few events they are. */
export const FLUSH_BYTES_SHARE = 1 / 4;

/** Whom storage could not serve is told to come back after this. */
export const STORAGE_RETRY_SECS = 10;

/** While events are refused because they cannot be stored, the log says so this often. */
export const REFUSED_EVENTS_LOG_MS = 60_000;

/** Storage that has refused no event for this long counts as sound again. */
export const REFUSALS_OVER_MS = 1_000;

/** Wait before a secret of visitor ids that could not be replaced is tried again without an event. */
export const SALT_RETRY_MS = 10_000;

/** How often an event may find that another salt period has begun while it waited for the last one's secret to be stored. */
export const SALT_RENEWALS_PER_EVENT_MAX = 3;

/** While syncs of the journal fail, the log says so this often. */
export const SYNC_FAILURES_LOG_MS = 60_000;

/** First and longest wait before a failed flush is tried again. */
export const FLUSH_RETRY_MS_MIN = 1_000;
export const FLUSH_RETRY_MS_MAX = 60_000;

/** Faults that a check of the data names one by one; more are only counted. */
export const FAULTS_KEPT_MAX = 1_000;

/** How often files are listed anew because some vanished while they were read. */
export const LISTING_ATTEMPTS_MAX = 20;

/** How long the outcome of a readiness check is reused, and after how long one that hangs is given up for the next. */
export const READINESS_TTL_MS = 1_000;
export const READINESS_CHECK_MS_MAX = 30_000;

/** Pause between two looks for days whose files are to be merged. */
export const COMPACTION_PAUSE_MS = 5_000;

/** Files that no merge could read, which are left out of later ones. */
export const UNREADABLE_FILES_REMEMBERED_MAX = 10_000;

/** Wait before a site is looked at again whose files could not be merged. */
export const COMPACTION_RETRY_MS = 60_000;

/** A clock that went ahead by more than this is not trusted by retention until it has stayed there for so long. */
export const CLOCK_JUMP_MS_MAX = 86_400_000;
export const CLOCK_DISTRUST_MS = 3_600_000;

/** How often the time that was seen is recorded. */
export const CLOCK_RECORD_MS = 3_600_000;

/** Wait before a run of retention that failed is tried again. */
export const RETENTION_RETRY_MS = 3_600_000;

/** How long the first event of a site waits for the listing of sites after a start, where that takes longer. */
export const SITES_LISTING_WAIT_MS = 1_000;

/** How many sites' partition listings are kept in memory. */
export const PARTITION_LISTINGS_MAX = 1_000;

/** Parquet bytes that are decoded into one resident table; days are grouped up to this. */
export const BLOCK_BYTES_MAX = 8 * 1024 * 1024;

/** Parquet bytes that are read and handed to the engine at a time, or one file if that is larger. */
export const LOAD_BYTES_MAX = BLOCK_BYTES_MAX;

/**
 * What is loaded after a start before anybody asks: so many days, as a dashboard shows thirty and compares them with the
 * thirty before, of so many sites, while no more than this share of the engine's memory is taken.
 */
export const WARM_DAYS = 60;
export const WARM_SITES_MAX = 100;
export const WARM_SHARE_MAX = 1 / 4;

/** Parquet bytes that are loaded ahead at a time, or one day if that is larger: a question that comes meanwhile waits for so much. */
export const WARM_BYTES_MAX = 2 * 1024 * 1024;

/** An engine's memory holds at least so many of these tables, or they are made smaller. */
export const BLOCKS_OF_BUDGET_MIN = 16;

/**
 * Parquet bytes of a chunk, where a question is computed chunk by chunk, unless a single salt period has more: about a million
 * events, which are loaded within a few seconds.
 */
export const CHUNK_BYTES_MAX = 24 * 1024 * 1024;

/** Shares of the engine's memory: what a chunk may take, what all chunks may take that are being worked on, and what is kept of chunks. */
export const CHUNKS_OF_BUDGET_MIN = 8;
export const WORKED_ON_SHARE_MAX = 1 / 2;
export const PARTIALS_SHARE_MAX = 1 / 4;

/**
 * What texts may take of the engine's memory before all that can be spared is dropped for their sake. More than the whole
 * memory is refused. So much is allowed in any case.
 */
export const TEXTS_SHARE_MAX = 1 / 2;
export const TEXTS_BYTES_ALLOWED_MIN = 4 * 1024 * 1024;

/**
 * What the properties of events may take of the engine's memory, as the texts that they came as, and so much in any case.
 * Where there is more, or where events need the room, the longest are dropped, and loaded again for reports of properties,
 * which are refused what is more.
 */
export const PROPS_SHARE_MAX = 1 / 2;
export const PROPS_BYTES_ALLOWED_MIN = 1024 * 1024;

/** Different keys of properties, or values of one, that a report of properties may find, where its share of memory does not allow less. */
export const PROPERTY_TEXT_BYTES_MAX = 64 * 1024 * 1024;

/** Questions of which chunks are kept. */
export const PARTIALS_MAX = 1_000;

/** What an engine holds at the most, whatever it is allowed: WebAssembly addresses 4 GB, of which queries need some to work. */
export const ENGINE_BYTES_MAX = 3 * 1024 * 1024 * 1024;

/** Connections of the engine: so many queries advance side by side, the rest wait their turn. */
export const ENGINE_CONNECTIONS_MAX = 4;

/** Longest password that is hashed, in bytes of UTF-8 as sent. The shortest is a rule of the option, too (`ADMIN_PASSWORD_CHARS_MIN`). */
export const PASSWORD_BYTES_MAX = 1024;

/** Password checks that may wait for the one under way; each takes about 50 ms. */
export const PASSWORD_CHECKS_WAITING_MAX = 64;

/** Sessions at the same time. The oldest one ends where there would be more. */
export const SESSIONS_MAX = 10_000;

/** Addresses whose failed logins are remembered. */
export const LOGIN_FAILURE_ADDRESSES_MAX = 100_000;

/** Session cookies and keys of one request that are looked at. */
export const CREDENTIALS_TRIED_MAX = 4;

/** API keys, revoked ones included, of which the oldest go first. */
export const API_KEYS_MAX = 1_000;

/** Longest name of an API key in code points. */
export const API_KEY_NAME_CHARS_MAX = 128;

/** Creations and revocations of keys that may wait for the one that is being stored. */
export const API_KEY_CHANGES_WAITING_MAX = 64;

/** Connections at the same time; more are closed at once. An idle one takes about 10 KB. */
export const CONNECTIONS_MAX = 10_000;

/** Requests of one connection that may wait behind one that is not answered yet; more end the connection. Each takes about 10 KB. */
export const PIPELINED_REQUESTS_MAX = 32;

/** How long a stop waits for requests in flight. */
export const STOP_GRACE_MS = 10_000;

/** Steps of a funnel or a sequence, and conditions of a pattern: each takes one of 32 bits (decisions, "Statistics"). */
export const STEPS_MIN = 2;
export const CONDITIONS_MAX = 32;

/** Length of a step's page or event, in code points, and of a pattern. */
export const STEP_CHARS_MAX = 512;
export const PATTERN_CHARS_MAX = 1024;

/** Events that a pattern may ask for: each takes a byte for every event of the visitor that is looked at. */
export const PATTERN_EVENTS_MAX = 64;

/** Longest window of a funnel. */
export const FUNNEL_WEEKS_MAX = 52;

/** Weeks that cohorts are followed for. */
export const RETENTION_WEEKS_MIN = 2;
export const RETENTION_WEEKS_DEFAULT = 4;
export const RETENTION_WEEKS_MAX = 32;

/** Rows of a flow. */
export const FLOW_ROWS_DEFAULT = 10;
export const FLOW_ROWS_MAX = 100;
