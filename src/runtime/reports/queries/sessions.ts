/** Sessions of a scope: each visitor's runs of events without a gap longer than the session window, those with a matching event. */
import { DAY_MS } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../config/names.ts";
import { eventsWithMatch, within, type Scope } from "../../query/scope.ts";
import { sql, textCode, type SqlText } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/**
 * Relations for a `WITH`. `placed`: the part of a session that lies within one day a row, with `session`, `visitor_id`,
 * `first_ms`, `last_ms`, `matching` (1 where an event of it meets the filter), the columns of `figures`, and
 * `near_midnight`. `chained`: those parts that may go on past midnight, with `chain`, which the parts of one session of
 * a visitor share.
 *
 * Events are numbered by session within their day, so grouping by that number does nearly all of it. What is left are
 * sessions that go on past midnight, which happen where visitor ids live longer than a day: only parts that end or
 * begin within the window of midnight can be such.
 */
export const sessionParts = (scope: Scope, sessionGapMs: number, figures: SqlText): SqlText => sql`
  parts AS MATERIALIZED (
    SELECT
      session,
      min(visitor_id) AS visitor_id,
      min(timestamp) AS first_ms,
      max(timestamp) AS last_ms,
      max(matching) AS matching,
      ${figures}
    FROM (${eventsWithMatch(scope)}) AS ranged
    GROUP BY session
  ),
  placed AS (
    SELECT *, first_ms % ${DAY_MS} <= ${sessionGapMs} OR last_ms % ${DAY_MS} >= ${DAY_MS - sessionGapMs} AS near_midnight
    FROM parts
  ),
  spaced AS (
    SELECT *, pause_before(visitor_id, first_ms, last_ms, session) AS pause_ms
    FROM placed
    WHERE near_midnight
  ),
  chained AS (
    SELECT *, sessionize(visitor_id, first_ms, session, pause_ms, ${sessionGapMs}) AS chain
    FROM spaced
  )`;

const PAGEVIEWS = sql`count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews`;

/** `sessions`: when each began, its `events`, `pageviews` and `duration_ms` (last minus first event), and `matching`. */
const withSessions = (scope: Scope, sessionGapMs: number): SqlText => sql`
  WITH ${sessionParts(scope, sessionGapMs, sql`count(*) AS events, ${PAGEVIEWS}`)},
  sessions AS (
    SELECT first_ms, events, pageviews, last_ms - first_ms AS duration_ms, matching
    FROM placed
    WHERE NOT near_midnight
    UNION ALL
    SELECT min(first_ms), sum(events), sum(pageviews), max(last_ms) - min(first_ms), max(matching)
    FROM chained
    GROUP BY visitor_id, chain
  )`;

/** From which the rates are made; `bounces` are sessions of one pageview and nothing else. */
const SUMS = sql`
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews`;

/** One row of sums over sessions: `sessions`, `bounces`, `duration_ms`, `pageviews`. */
export const querySessions = (scope: Scope, sessionGapMs: number): AggregateQuery => ({
  keys: [],
  counts: ["sessions", "bounces", "duration_ms", "pageviews"],
  partial: (range) => sql`
    ${withSessions(within(scope, range), sessionGapMs)}
    SELECT ${SUMS}
    FROM sessions
    WHERE matching = 1`,
  finalize: sql`SELECT sessions, bounces, duration_ms, pageviews FROM figures`,
});

/** The same sums for each hour or day in which sessions begin: `bucket_ms`, its first instant. */
export const querySessionSeries = (scope: Scope, sessionGapMs: number, bucketMs: number): AggregateQuery => ({
  keys: ["bucket_ms"],
  counts: ["sessions", "bounces", "duration_ms", "pageviews"],
  partial: (range) => sql`
    ${withSessions(within(scope, range), sessionGapMs)},
    begun AS (
      SELECT *, first_ms - first_ms % ${bucketMs} AS bucket_ms
      FROM sessions
      WHERE matching = 1
    )
    SELECT bucket_ms, ${SUMS}
    FROM begun
    GROUP BY bucket_ms`,
  finalize: sql`SELECT bucket_ms, sessions, bounces, duration_ms, pageviews FROM figures`,
});

/** More than any block has rows. */
const SEQUENCE_NUMBERS = 2 ** 31;

/**
 * Rows `value`, `visitors`, `sessions` of the pages that sessions begin or end with; visitors descending, then value
 * ascending. Sessions without a pageview have no such page.
 */
export function querySessionPages(scope: Scope, sessionGapMs: number, end: "first" | "last", rowsMax: number): AggregateQuery {
  const pick = end === "first" ? sql`arg_min` : sql`arg_max`;
  // Within a day, one number says when an event was and which of those at the same time came first.
  const moment = sql`timestamp % ${DAY_MS} * ${SEQUENCE_NUMBERS} + sequence_number`;
  const page = sql`${pick}(pathname, ${moment}) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS page`;
  return {
    keys: ["code"],
    counts: ["visitors", "sessions"],
    partial: (range) => sql`
      WITH ${sessionParts(within(scope, range), sessionGapMs, page)},
      sessions AS (
        SELECT visitor_id, page, matching
        FROM placed
        WHERE NOT near_midnight
        UNION ALL
        SELECT visitor_id, ${pick}(page, first_ms) FILTER (WHERE page IS NOT NULL), max(matching)
        FROM chained
        GROUP BY visitor_id, chain
      )
      SELECT page AS code, count(DISTINCT visitor_id) AS visitors, count(*) AS sessions
      FROM sessions
      WHERE matching = 1 AND page IS NOT NULL
      GROUP BY page`,
    finalize: sql`
      SELECT coalesce(texts.text, '(unknown)') AS value, visitors, sessions
      FROM figures LEFT JOIN texts ON texts.code = figures.code
      ORDER BY visitors DESC, value ASC
      LIMIT ${rowsMax}`,
  };
}
