/** Every fixed bound of the calls to ClickHouse. Names end with the unit. */
import { assertLimits } from "./limits.ts";

const MIB = 1024 * 1024;

/** The longest wait for a response. Reports end earlier, with their request (`request_timeout_secs`). */
export const CLICKHOUSE_RESPONSE_MS_MAX = 300_000;

/** Time limit of an insert. The server is given less, so that an abandoned insert has ended before it is repeated. */
export const CLICKHOUSE_INSERT_MS_MAX = 60_000;
export const CLICKHOUSE_INSERT_EXECUTION_SECS_MAX = 45;

assertLimits(
  CLICKHOUSE_INSERT_EXECUTION_SECS_MAX * 1000 < CLICKHOUSE_INSERT_MS_MAX,
  "the server gives up an insert before the client does",
);

/** Queries of one report that the server computes at the same time. A report of changes has some twenty. */
export const CLICKHOUSE_QUERIES_AT_ONCE = 6;

/**
 * How long an accepted event may wait for its flush on Node. The aim is that all nodes report it after a second (docs/scaling.md,
 * "Visibility").
 */
export const CLICKHOUSE_EVENT_MS = 500;

/** How often it is checked whether one has waited so long. */
export const CLICKHOUSE_FLUSH_CHECK_MS = 100;

/** Sites whose files are written at the same time, so that the next insert waits for the disk as little as possible. */
export const CLICKHOUSE_FILES_AT_ONCE = 8;

/** The longest pause after a failed insert: reports wait for the next one. */
export const CLICKHOUSE_RETRY_MS_MAX = 5_000;

/**
 * The longest wait for short statements: the readiness check, the list of sites, what nodes tell each other, and ending an aborted query.
 */
export const CLICKHOUSE_CHECK_MS_MAX = 5_000;

/**
 * Delay after which waiting reports check that the server responds at all, and the time limit of that check: together less than a request's
 * time limit by default.
 */
export const CLICKHOUSE_SLOW_MS = 2_000;
export const CLICKHOUSE_PING_MS_MAX = 3_000;

/** Pause between two pings of a silent server, so that reports follow within a second, and how long after the last report it is pinged. */
export const CLICKHOUSE_PING_PAUSE_MS = 250;
export const CLICKHOUSE_PINGED_MS_MAX = 60_000;

/** How many sites are listed, and how long the list is current: other nodes may add sites. */
export const CLICKHOUSE_SITES_MAX = 100_000;
export const CLICKHOUSE_SITES_MS_MAX = 1_000;

export const NODE_ANNOUNCEMENT_MS = 5_000;

/** Erasures that some node has not carried out. More are refused until it has, or is removed. */
export const ERASURE_REQUESTS_MAX = 10_000;

/** How long a request for an erasure is kept at least, and the pause between two deletions of requests that all nodes have carried out. */
export const ERASURE_REQUEST_KEPT_MS = 3_600_000;

/** How often a node polls for requests, and for confirmations while a request waits for them. */
export const ERASURE_POLL_MS = 1_000;
export const ERASURE_CONFIRMATION_POLL_MS = 200;

/** How long after a request a node drops cached results of the site at each poll. */
export const ERASURE_RECENT_MS = 120_000;

/** How often a node polls for settings that were changed on other nodes. */
export const SETTINGS_POLL_MS = 1_000;

/** How long a changed time zone waits at least until it takes effect: many polls, so that a node that misses some still knows in time. */
export const SETTINGS_SETTLE_MS = 300_000;

/** Changes are read again for this long: clocks of servers differ, and replicas get rows late. */
export const SETTINGS_READ_AGAIN_MS = 600_000;

/** Characters of settings that one statement inserts: more than a file of settings has, so that an import is one statement. */
export const SETTINGS_INSERTED_CHARS_MAX = 16 * MIB;

assertLimits(SETTINGS_SETTLE_MS > 10 * SETTINGS_POLL_MS, "all nodes know a change of time zone before it takes effect");

/** The part of a request's time limit for which it waits for the other nodes. */
export const ERASURE_WAIT_SHARE = 0.8;

/** Bytes of a response, all of which are in memory. Statements limit their rows. */
export const CLICKHOUSE_RESPONSE_BYTES_MAX = 64 * MIB;

/** Characters of an exception's text that are kept for the log. */
export const CLICKHOUSE_REASON_CHARS_MAX = 500;

/** Ways in which the visits of a report arrived: their numbers are part of a statement. */
export const ARRIVALS_MAX = 20_000;

/** Characters of the names of arrivals in a statement. */
export const ARRIVAL_NAMES_CHARS_MAX = 2_000_000;
