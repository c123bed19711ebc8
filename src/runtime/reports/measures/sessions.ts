/** A session is a run of one visitor's events without a pause longer than the session window; a filter keeps sessions with a matching event (docs/reports.md, "Sessions"). */
import { DAY_MS } from "../../../storage/event.ts";
import type { AggregateQuery } from "../../execution/aggregate-query.ts";
import { numberIn, ratio } from "../../query/row-values.ts";
import { eventsWithMatch, within, type Scope } from "../../query/scope.ts";
import { sql, type SqlText, type SqlRow } from "../../query/sql.ts";
import { COUNT_PAGEVIEWS } from "./visitor-counts.ts";

/**
 * Relations for a `WITH`. `placed` has one row for each part of a session within one day: `session`, `visitor_id`, `day`,
 * `first_ms`, `last_ms`, `matching` (1 if one of its events matches the filter), the columns of `aggregates`, and
 * `near_midnight`. `chained` has the parts that may continue past midnight, with `chain`, which is equal for the parts of
 * one session of a visitor.
 *
 * Events have the number of their session within their day, so grouping by that number is nearly all of the work. The rest
 * are sessions that continue past midnight, which requires visitor ids that live longer than a day: only parts that end or
 * begin within one session window of midnight are candidates.
 */
export const sessionParts = (scope: Scope, sessionGapMs: number, aggregates: SqlText): SqlText => sql`
  parts AS MATERIALIZED (
    SELECT
      session,
      min(visitor_id) AS visitor_id,
      min(day) AS day,
      min(timestamp) AS first_ms,
      max(timestamp) AS last_ms,
      max(matching) AS matching,
      ${aggregates}
    FROM (${eventsWithMatch(scope)}) AS ranged
    GROUP BY session
  ),
  placed AS (
    SELECT *, first_ms - day_ms <= ${sessionGapMs} OR last_ms - day_ms >= ${DAY_MS - sessionGapMs} AS near_midnight
    FROM (SELECT *, CAST(day AS BIGINT) * ${DAY_MS} AS day_ms FROM parts) AS timed
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

/** The relation `sessions`: start (`day`, `timestamp`), `events`, `pageviews`, `duration_ms` (last minus first event) and `matching`. */
const withSessions = (scope: Scope, sessionGapMs: number): SqlText => sql`
  WITH ${sessionParts(scope, sessionGapMs, sql`count(*) AS events, ${COUNT_PAGEVIEWS} AS pageviews`)},
  sessions AS (
    SELECT day, first_ms AS timestamp, events, pageviews, last_ms - first_ms AS duration_ms, matching
    FROM placed
    WHERE NOT near_midnight
    UNION ALL
    SELECT min(day), min(first_ms), sum(events), sum(pageviews), max(last_ms) - min(first_ms), max(matching)
    FROM chained
    GROUP BY visitor_id, chain
  )`;

/** Sums for the averages; `bounces` are sessions with one page view and no other event. */
const SUMS = sql`
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews`;

const SUM_COLUMNS = ["sessions", "bounces", "duration_ms", "pageviews"] as const;

/** One row of sums over sessions: `sessions`, `bounces`, `duration_ms`, `pageviews`. */
export const sessionSums = (scope: Scope, sessionGapMs: number): AggregateQuery => ({
  keys: [],
  counts: SUM_COLUMNS,
  partial: (range) => sql`
    ${withSessions(within(scope, range), sessionGapMs)}
    SELECT ${SUMS}
    FROM sessions
    WHERE matching = 1`,
});

/** The same sums by `bucket`, the bucket in which a session begins. */
export const sessionSumsBy = (scope: Scope, sessionGapMs: number, bucket: SqlText): AggregateQuery => ({
  keys: ["bucket"],
  counts: SUM_COLUMNS,
  partial: (range) => sql`
    ${withSessions(within(scope, range), sessionGapMs)},
    begun AS (SELECT *, ${bucket} AS bucket FROM sessions WHERE matching = 1)
    SELECT bucket, ${SUMS}
    FROM begun
    GROUP BY bucket`,
});

export interface SessionAverages {
  readonly sessions: number;
  /** Fraction of sessions with one page view and no other event. */
  readonly bounceRate: number;
  readonly durationSecs: number;
  readonly pageviews: number;
}

/** The averages of a row of sums; zeros without a row. */
export function sessionAverages(row: SqlRow | undefined): SessionAverages {
  const sessions = numberIn(row, "sessions");
  return {
    sessions,
    bounceRate: ratio(numberIn(row, "bounces"), sessions),
    durationSecs: ratio(numberIn(row, "duration_ms"), 1000 * sessions),
    pageviews: ratio(numberIn(row, "pageviews"), sessions),
  };
}
