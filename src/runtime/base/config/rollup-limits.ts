/** Every fixed bound of rollups. Names end with the unit. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** Salt periods get a rollup once their events weigh this much: with less, reading the events is as fast. */
export const ROLLUP_WEIGHT_BYTES_MIN = 256 * KIB;

/** What a day weighs on top of the size of its Parquet files: opening them takes as long as reading this much. */
export const ROLLUP_DAY_WEIGHT_BYTES = 16 * KIB;

/** Days of the largest rollups: a year mostly has one or two. Longer ranges are sums of several. */
export const ROLLUP_DAYS_MAX = 366;

/** A measure with more rows is left out of a rollup: reading it would take longer than a dashboard should. */
export const ROLLUP_MEASURE_ROWS_MAX = 50_000;

/**
 * Rows of a measure in all rollups that a report adds up, which are in memory together: a year of a site with 40,000 pages a day has
 * fewer, and a `Map` of V8 holds hardly more. With more, all is computed from events.
 */
export const ROLLUP_TOTAL_ROWS_MAX = 16_000_000;

/**
 * Rows of a query that are computed from events to be added to rollups. They pass the thread that takes events twice, which takes about
 * 0.3 µs each; with more, all is computed from events, and only the result leaves the engine.
 */
export const ROLLUP_ADDED_ROWS_MAX = 100_000;

/** Keys of custom properties whose values are in a rollup. */
export const ROLLUP_PROPERTIES_MAX = 32;

/** Memory of cached rollups: of files, of their decompressed pages, and of decoded measures. */
export const ROLLUP_CACHE = { fileBytesMax: 4 * MIB, unpackedBytesMax: 16 * MIB, measureBytesMax: 28 * MIB };

/** A workerd isolate has 128 MB in all, and reading a file takes a request: the files of a year fit, and so do their decompressed pages. */
export const ROLLUP_CACHE_IN_WORKERD = { fileBytesMax: 2 * MIB, unpackedBytesMax: 10 * MIB, measureBytesMax: 4 * MIB };

/** Rollups that are read at the same time. */
export const ROLLUP_READS_MAX = 16;

/** Sites whose listings of rollups are kept in memory. */
export const ROLLUP_LISTINGS_MAX = 1_000;

/** Characters of all cached headers of rollups; the least recently used are evicted first. */
export const ROLLUP_HEADERS_CHARS_MAX = 8 * MIB;

/** Unreadable rollups that are remembered, because each is reported once. */
export const UNREADABLE_ROLLUPS_REMEMBERED_MAX = 10_000;

/** A run of the job that makes rollups begins no further one after this time: on workerd, an alarm must end. */
export const ROLLUP_RUN_MS_MAX = 10_000;

/** How long a rollup waits for a moment without queries. Then one is made nevertheless. */
export const ROLLUP_WAIT_MS_MAX = 60_000;

/** First and longest pause before a site whose rollup could not be made is tried again. */
export const ROLLUP_RETRY_MS_MIN = 60_000;
export const ROLLUP_RETRY_MS_MAX = 3_600_000;

/** Days that the job remembers and skips, because they cannot be in a rollup until they change. */
export const ROLLUP_DAYS_SKIPPED_MAX = 10_000;

/** Rollups of each site that `verify` compares with their events, unless it compares all. At least the newest and the largest. */
export const ROLLUPS_COMPARED_PER_SITE = 4;

/** Visitors of a differing rollup that `verify` looks for in several salt periods. */
export const VISITORS_COMPARED_MAX = 1_000_000;
