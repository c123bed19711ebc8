/** Visitors and pageviews of a scope by equal stretches of time. */
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** A row for each hour or day that has events: `bucket_ms` (its first instant), `visitors`, `pageviews`. */
export const querySeries = (scope: Scope, bucketMs: number): AggregateQuery => ({
  keys: ["bucket_ms"],
  counts: ["visitors", "pageviews"],
  partial: (range) => sql`
    WITH placed AS (
      SELECT visitor_id, event_name, timestamp - timestamp % ${bucketMs} AS bucket_ms
      FROM (${eventsIn(within(scope, range))}) AS scoped
    )
    SELECT
      bucket_ms,
      count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews
    FROM placed
    GROUP BY bucket_ms`,
  finalize: sql`SELECT bucket_ms, visitors, pageviews FROM figures`,
});
