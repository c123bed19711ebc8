/** Every fixed bound of the calls to ClickHouse. Names end with the unit. */
import { assertLimits } from "./limits.ts";

const MIB = 1024 * 1024;

/** The longest wait for a response. Reports end earlier, with their request (`request_timeout_secs`). */
export const CLICKHOUSE_RESPONSE_MS_MAX = 300_000;

/** The same for an insert. The server is given less, so that an insert that was given up has ended before it is repeated. */
export const CLICKHOUSE_INSERT_MS_MAX = 60_000;
export const CLICKHOUSE_INSERT_EXECUTION_SECS_MAX = 45;

assertLimits(
  CLICKHOUSE_INSERT_EXECUTION_SECS_MAX * 1000 < CLICKHOUSE_INSERT_MS_MAX,
  "the server gives up an insert before the client does",
);

/** How long an accepted event may wait for its flush on Node: within a second, all nodes have it in their figures. */
export const CLICKHOUSE_EVENT_MS = 500;

/** How often it is checked whether one has waited so long. */
export const CLICKHOUSE_FLUSH_CHECK_MS = 100;

/** Sites whose files are written at the same time, so that the next insert waits for the disk as little as possible. */
export const CLICKHOUSE_FILES_AT_ONCE = 8;

/** The longest pause after a failed insert: reports wait for the next one. */
export const CLICKHOUSE_RETRY_MS_MAX = 5_000;

/** The longest wait for the readiness check, for which sites there are, and for the end of a query that nobody waits for any more. */
export const CLICKHOUSE_CHECK_MS_MAX = 5_000;

/** Sites that are listed, and how long their listing is current: other nodes may add sites. */
export const CLICKHOUSE_SITES_MAX = 100_000;
export const CLICKHOUSE_SITES_MS_MAX = 1_000;

/** Bytes of a response, all of which are in memory. Statements limit their rows. */
export const CLICKHOUSE_RESPONSE_BYTES_MAX = 64 * MIB;

/** Characters of an exception's text that are kept for the log. */
export const CLICKHOUSE_REASON_CHARS_MAX = 500;
