/** Visitors and pageviews of a scope by equal stretches of time. */
import { PAGEVIEW } from "../../names.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { sql, textCode, type SqlText } from "../sql.ts";

/** A row for each stretch that has events: `offset_ms` from the range's start, `visitors`, `pageviews`. */
export const querySeries = (scope: Scope, bucketMs: number): SqlText => sql`
  WITH placed AS (
    SELECT visitor_id, event_name, timestamp - ${scope.range.startMs} AS since_start_ms
    FROM (${eventsIn(scope)}) AS scoped
  )
  SELECT
    since_start_ms - since_start_ms % ${bucketMs} AS offset_ms,
    count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews
  FROM placed
  GROUP BY offset_ms`;
