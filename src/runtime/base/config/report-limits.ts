/** Every fixed bound of reports, exports and rollups (docs/http-api.md, "Limits"). Names end with the unit. */
import {
  LONG_RANGE_DAYS_MAX,
  INTERVAL_MINUTE_DAYS_MAX,
  INTERVAL_HOUR_DAYS_MAX,
  STEPS_MIN,
  CONDITIONS_MAX,
} from "../../../shared/limits.ts";
import { assertLimits, RESPONSE_GRACE_MS } from "./limits.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

export const BUCKETS_MAX = Math.max(INTERVAL_MINUTE_DAYS_MAX * 1440, INTERVAL_HOUR_DAYS_MAX * 24, LONG_RANGE_DAYS_MAX);

/** Instructions of its compiled program: the worst case of a match is their number times the characters of the text. */
export const FILTER_EXPRESSION_INSTRUCTIONS_MAX = 500;

/**
 * Regular expressions of all conditions of a filter, and the classes of one with the characters of their ranges: together with the
 * instructions, they keep the time to compile one below 3 ms.
 */
export const FILTER_EXPRESSIONS_MAX = 5;
export const FILTER_EXPRESSION_CLASSES_MAX = 10;
export const FILTER_EXPRESSION_RANGE_CHARS_MAX = 2000;

/** Expressions of which it is remembered whether they are valid, so that each is compiled once to find out. */
export const EXPRESSIONS_KNOWN_MAX = 1000;

export const BREAKDOWN_ROWS_DEFAULT = 10;

/** Reports of dropped events and of crawlers that may wait while one is computed. */
export const COUNT_REPORTS_WAITING_MAX = 20;

/** Rows of each dimension in a report of changes. */
export const CHANGE_ROWS_DEFAULT = 10;
export const CHANGE_ROWS_MAX = 100;

/** Values of a dimension, of each window, among which these rows are: others have less than a ten-thousandth, and are in `rest` only. */
export const CHANGE_VALUES_MAX = 10_000;

/** Events of the days that a further question about the first finding reads: more are too slow for a report that is asked all the time. */
export const CHANGE_DRILL_EVENTS_MAX = 500_000;
/** The longest period of such a question. */
export const CHANGE_DRILL_DAYS_MAX = 31;

/** The parameter `search`. */
export const SEARCH_CHARS_MAX = 256;

/** Characters of the values that one statement looks up in another window, encoded: ClickHouse gets them in a URL of at most a mebibyte. */
export const LOOKED_UP_CHARS_MAX = 200_000;

/** The parameter `minutes` of realtime. */
export const REALTIME_MINUTES_MAX = 60;

/** Rows of lists without a `limit` parameter. */
export const REALTIME_ROWS_MAX = 10;
/** More than there are country codes. */
export const REALTIME_COUNTRIES_MAX = 300;
export const REVENUE_ROWS_MAX = 100;
export const GOAL_ROWS_MAX = 1000;
export const PROPERTY_KEYS_MAX = 1000;
export const PROPERTY_VALUES_MAX = 1000;

export const OVERVIEW_SITES_DEFAULT = 200;

/** Memory of the numbers of overviews that the registry of Cloudflare Workers keeps: a site may have visits of each minute. */
export const OVERVIEW_NUMBERS_BYTES_MAX = 32 * MIB;

/** Sites of an overview that are computed at the same time: mostly, they wait for files and for the engine. */
export const OVERVIEW_SITES_AT_ONCE = 8;

/** The share of the time limit after which an overview begins no further site: those that are done are worth a response. */
export const OVERVIEW_TIME_SHARE = 0.8;

/** Memory of results that are reused while their events are unchanged: 1,000 sites over 90 days fit. */
export const UNCHANGED_RESULTS_BYTES_MAX = 32 * MIB;

/**
 * Files, their bytes in all and events without a file that are read on the thread that takes events, in place of the engine: a file
 * takes it a millisecond at most, and so do all events without one.
 */
export const FILE_EXECUTION = { fileBytesMax: 64 * KIB, bytesMax: MIB, unflushedMax: 500 };

/** Characters of all cached results: `cache_max_entries` bounds their number, and one may be long. */
export const CACHE_CHARS_MAX = 32 * MIB;

/** Share of the cached results, in number and characters, that those computed for guests of share links and public sites may take. */
export const GUEST_RESULTS_SHARE_MAX = 1 / 4;

/** Requests whose progress can be asked for, and the share up to which those of guests are. Each is under way anyway. */
export const WATCHED_REPORTS_MAX = 1000;
export const GUEST_WATCHED_SHARE_MAX = 1 / 2;

/** Ids of requests in one question about their progress. */
export const PROGRESS_IDS_MAX = 20;

/** Shorter ids could be guessed. */
export const PROGRESS_ID_CHARS_MIN = 22;
export const PROGRESS_ID_CHARS_MAX = 64;

/** Queries that may wait for a slot, with `query_queue_ms` above 0, and for the check of their regular expressions. */
export const QUERIES_WAITING_MAX = 1000;

/**
 * The common share of all guests of share links and public sites: of the slots, of the engine's connections and of the memory for chunks,
 * this many exports at the same time, of which each link and each address has one, and a share of the memory of exports.
 */
export const GUEST_SLOTS_SHARE_MAX = 1 / 2;
export const GUEST_CONNECTIONS_SHARE_MAX = 1 / 2;
export const GUEST_CHUNKS_SHARE_MAX = 1 / 2;
export const GUEST_EXPORTS_MAX = 2;
export const GUEST_EXPORTS_SHARE_MAX = 1 / 2;

/**
 * How long it is remembered that an export was refused for one of another guest: a single request ends no export, because the higher
 * rate has a grace, too; whoever asks again as `Retry-After` says gets its turn.
 */
export const EXPORT_WANTED_MS = 30_000;

assertLimits(EXPORT_WANTED_MS <= RESPONSE_GRACE_MS, "an export ends for those who ask again, not for a single request");

/** Steps that the tests of texts in one query of a guest take at most: characters of the texts times the parts of the patterns. */
export const GUEST_TEST_STEPS_MAX = 100_000_000;

export const EXPORT_ROWS_DEFAULT = 100_000;

/** Memory of all raw exports together, as a share of the engine's, and the bytes that they always get. */
export const EXPORTS_SHARE_MAX = 1 / 8;
export const EXPORTS_BYTES_ALLOWED_MIN = 32 * MIB;

// Behavioral reports

assertLimits(STEPS_MIN <= CONDITIONS_MAX && CONDITIONS_MAX <= 32, "each condition has a bit of a 32-bit number");

/** Characters of a step's page or event, and of a pattern. */
export const STEP_CHARS_MAX = 512;
export const PATTERN_CHARS_MAX = 1024;

/** Events that a pattern may name: each takes a byte for every event of the visitor at hand. */
export const PATTERN_EVENTS_MAX = 64;

export const FUNNEL_WEEKS_MAX = 52;

/** Weeks that a retention report follows a cohort for. */
export const RETENTION_WEEKS_MIN = 2;
export const RETENTION_WEEKS_DEFAULT = 4;
export const RETENTION_WEEKS_MAX = 32;

export const FLOW_ROWS_DEFAULT = 10;
export const FLOW_ROWS_MAX = 100;

// Rollups

/** Salt periods get a rollup once their events weigh this much: with less, reading the events is as fast. */
export const ROLLUP_WEIGHT_BYTES_MIN = 256 * KIB;

/** Weight of a day on top of the size of its Parquet files: opening them takes as long as reading this much. */
export const ROLLUP_DAY_WEIGHT_BYTES = 16 * KIB;

/** Days of the largest rollups: a year mostly has one or two. Longer ranges are sums of several. */
export const ROLLUP_DAYS_MAX = 366;

/** Days of the largest rollups with rows by hour: ranges of hours have up to 31 days, and the history of a change 56. */
export const ROLLUP_HOURLY_DAYS_MAX = 16;

/** Days of the largest rollups with the values of each day, so that the history of a change is in a few files. */
export const ROLLUP_DAILY_VALUES_DAYS_MAX = 64;

/** A measure with more rows is left out of a rollup: reading it would take longer than a dashboard should. */
export const ROLLUP_MEASURE_ROWS_MAX = 50_000;

/**
 * Rows of a measure in all rollups that a report adds up, which are in memory together: a year of a site with 40,000 pages a day has
 * fewer, and a `Map` of V8 holds hardly more. With more, all is computed from events.
 */
export const ROLLUP_TOTAL_ROWS_MAX = 16_000_000;

/** Values of a dimension of which a day, or an hour, has a row: all with a fiftieth of its visits are among them. */
export const VALUES_PER_BUCKET_MAX = 50;

/** Keys of custom properties whose values are in a rollup. */
export const ROLLUP_PROPERTIES_MAX = 32;

/** Memory of cached rollups: of files, of their decompressed pages, and of decoded measures. */
export const ROLLUP_CACHE = { fileBytesMax: 4 * MIB, unpackedBytesMax: 16 * MIB, measureBytesMax: 28 * MIB };

/** Rows of rollups that the thread that makes them keeps for the next sums. */
export const ROLLUPS_MADE_BYTES_MAX = 32 * MIB;

/** A workerd isolate has 128 MB in all, and reading a file takes a request: the files of a year fit, and so do their decompressed pages. */
export const ROLLUP_CACHE_IN_WORKERD = { fileBytesMax: 2 * MIB, unpackedBytesMax: 10 * MIB, measureBytesMax: 4 * MIB };

/**
 * Memory for making a rollup of events: about 120 bytes for each visitor and 20 for each visit of a salt period, 24 for each event of a
 * day, the texts of all measures, and one file. A day of 5,000,000 events by 1,000,000 visitors takes half of it. Salt periods that need
 * more have no rollup.
 */
export const ROLLUP_EVENT_BYTES_MAX = 512 * MIB;

/** Enough for 100,000 visitors in a salt period. */
export const ROLLUP_EVENT_BYTES_MAX_IN_WORKERD = 24 * MIB;

export const ROLLUP_READS_MAX = 16;

/** Sites whose listings of rollups are kept in memory. */
export const ROLLUP_LISTINGS_MAX = 1_000;

/** Characters of all cached headers of rollups; the least recently used are evicted first. */
export const ROLLUP_HEADERS_CHARS_MAX = 8 * MIB;

/** Unreadable rollups that are remembered, because each is reported once. */
export const UNREADABLE_ROLLUPS_REMEMBERED_MAX = 10_000;

/** A run of the job that makes rollups begins no further one after this time: on workerd, an alarm must end. */
export const ROLLUP_RUN_MS_MAX = 10_000;

/** First and longest pause before a site whose rollup could not be made is tried again. */
export const ROLLUP_RETRY_MS_MIN = 60_000;
export const ROLLUP_RETRY_MS_MAX = 3_600_000;

/** Days that the job remembers and skips, because they cannot be in a rollup until they change. */
export const ROLLUP_DAYS_SKIPPED_MAX = 10_000;

/** Rollups of each site that `verify` compares with their events, unless it compares all. At least the newest and the largest. */
export const ROLLUPS_COMPARED_PER_SITE = 4;

/** Visitors of a differing rollup that `verify` looks for in several salt periods. */
export const VISITORS_COMPARED_MAX = 1_000_000;

/** Memory for measures of sums of days that were read last, and files whose headers are kept beside them. */
export const IMPORTED_DAYS_BYTES_MAX = 16 * MIB;
export const IMPORTED_DAYS_HEADERS_MAX = 200;

/** Items of a feed: each is a report of changes, and readers keep older ones. */
export const FEED_WEEKS_MAX = 4;
export const FEED_DAYS_MAX = 7;

/** Entries of `coverage` in an answer. */
export const COVERAGE_MAX = 20;

/** Countries in the preview of a rule. */
export const RULE_COUNTRIES_MAX = 10;
