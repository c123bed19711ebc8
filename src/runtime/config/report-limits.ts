/** Every fixed bound of reports and exports (docs/http-api.md, "Limits"). Names end with the unit. */
import { assertLimits } from "./limits.ts";

const MIB = 1024 * 1024;
/** Longest date range, both ends included. */
export const RANGE_DAYS_MAX = 366;

/** By default, ranges of at most this many days have hourly buckets, longer ones daily. */
export const HOURLY_DAYS_MAX = 2;

/** Longest range with hourly buckets, if a request asks for them. */
export const INTERVAL_HOUR_DAYS_MAX = 31;

export const FILTER_CONDITIONS_MAX = 12;
export const FILTER_VALUE_CHARS_MAX = 512;

export const BREAKDOWN_ROWS_DEFAULT = 10;
export const BREAKDOWN_ROWS_MAX = 1000;

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

/** Characters of all cached results: `cache_max_entries` bounds their number, and one may be long. */
export const CACHE_CHARS_MAX = 32 * MIB;

/** Queries that may wait for a slot, with `query_queue_ms` above 0. */
export const QUERIES_WAITING_MAX = 1000;

export const EXPORT_ROWS_DEFAULT = 100_000;
export const EXPORT_ROWS_MAX = 1_000_000;

/** Memory of all raw exports together, as a share of the engine's, and the bytes that they always get. */
export const EXPORTS_SHARE_MAX = 1 / 8;
export const EXPORTS_BYTES_ALLOWED_MIN = 32 * MIB;

// Behavioral reports

/** Steps of a funnel or sequence. */
export const STEPS_MIN = 2;

/** Steps of a funnel or sequence, and conditions of a pattern. */
export const CONDITIONS_MAX = 32;

assertLimits(STEPS_MIN <= CONDITIONS_MAX && CONDITIONS_MAX <= 32, "each condition has a bit of a 32-bit number");

/** Characters of a step's page or event, and of a pattern. */
export const STEP_CHARS_MAX = 512;
export const PATTERN_CHARS_MAX = 1024;

/** Events that a pattern may name: each takes a byte for every event of the visitor at hand. */
export const PATTERN_EVENTS_MAX = 64;

/** Longest window of a funnel. */
export const FUNNEL_WEEKS_MAX = 52;

/** Weeks that a retention report follows a cohort for. */
export const RETENTION_WEEKS_MIN = 2;
export const RETENTION_WEEKS_DEFAULT = 4;
export const RETENTION_WEEKS_MAX = 32;

export const FLOW_ROWS_DEFAULT = 10;
export const FLOW_ROWS_MAX = 100;
