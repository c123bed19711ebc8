/** Sessions of a scope: each visitor's runs of events without a gap longer than the session window, those with a matching event. */
import { PAGEVIEW } from "../../names.ts";
import { eventsWithMatch, type Scope } from "../scope.ts";
import { sql, textCode, type SqlText } from "../sql.ts";

/**
 * One row of sums over sessions, from which the rates are made: `sessions`, `bounces` (sessions of
 * one pageview and nothing else), `duration_ms` (last minus first event), `pageviews`.
 */
export const querySessions = (scope: Scope, sessionGapMs: number): SqlText => sql`
  WITH spaced AS (
    SELECT
      visitor_id, timestamp, arrival, event_name, matching,
      timestamp - lag(timestamp) OVER (PARTITION BY visitor_id ORDER BY timestamp, arrival) AS gap_ms
    FROM (${eventsWithMatch(scope)}) AS ranged
  ),
  numbered AS (
    SELECT
      visitor_id, timestamp, event_name, matching,
      sum(CASE WHEN gap_ms <= ${sessionGapMs} THEN 0 ELSE 1 END)
        OVER (PARTITION BY visitor_id ORDER BY timestamp, arrival ROWS UNBOUNDED PRECEDING) AS session
    FROM spaced
  ),
  sessions AS (
    SELECT
      count(*) AS events,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
      max(timestamp) - min(timestamp) AS duration_ms
    FROM numbered
    GROUP BY visitor_id, session
    HAVING max(matching) = 1
  )
  SELECT
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews
  FROM sessions`;
