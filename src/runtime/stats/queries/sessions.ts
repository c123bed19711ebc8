/** Sessions of a scope: each visitor's runs of events without a gap longer than the session window, those with a matching event. */
import { DAY_MS } from "../../../storage/event.ts";
import { PAGEVIEW } from "../../names.ts";
import { eventsWithMatch, type Scope } from "../scope.ts";
import { sql, textCode, type SqlText } from "../sql.ts";

/**
 * One row of sums over sessions, from which the rates are made: `sessions`, `bounces` (sessions of
 * one pageview and nothing else), `duration_ms` (last minus first event), `pageviews`.
 *
 * Events are numbered by session within their day, so a sum over that number does nearly all of it.
 * What is left are sessions that go on past midnight, which happen where visitor ids live longer than
 * a day: only parts that end or begin within the window of midnight can be such, and are joined.
 */
export const querySessions = (scope: Scope, sessionGapMs: number): SqlText => sql`
  WITH parts AS MATERIALIZED (
    SELECT
      min(visitor_id) AS visitor_id,
      min(timestamp) AS first_ms,
      max(timestamp) AS last_ms,
      count(*) AS events,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
      max(matching) AS matching
    FROM (${eventsWithMatch(scope)}) AS ranged
    GROUP BY session
  ),
  placed AS (
    SELECT *, first_ms % ${DAY_MS} <= ${sessionGapMs} OR last_ms % ${DAY_MS} >= ${DAY_MS - sessionGapMs} AS near_midnight
    FROM parts
  ),
  spaced AS (
    SELECT *, first_ms - lag(last_ms) OVER (PARTITION BY visitor_id ORDER BY first_ms) AS gap_ms
    FROM placed
    WHERE near_midnight
  ),
  chained AS (
    SELECT *, sum(CASE WHEN gap_ms <= ${sessionGapMs} THEN 0 ELSE 1 END)
      OVER (PARTITION BY visitor_id ORDER BY first_ms ROWS UNBOUNDED PRECEDING) AS chain
    FROM spaced
  ),
  sessions AS (
    SELECT events, pageviews, last_ms - first_ms AS duration_ms, matching
    FROM placed
    WHERE NOT near_midnight
    UNION ALL
    SELECT sum(events), sum(pageviews), max(last_ms) - min(first_ms), max(matching)
    FROM chained
    GROUP BY visitor_id, chain
  )
  SELECT
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
  FROM sessions
  WHERE matching = 1`;
