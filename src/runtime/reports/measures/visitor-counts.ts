/** Distinct visitors, page views (events named `pageview`) and all events of a scope (docs/reports.md, "Visitors, page views and events"). */
import { PAGEVIEW } from "../../base/config/names.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import type { LocalSql } from "../../query/local-time.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode, type SqlText } from "../../query/sql.ts";

/** The number of page views in a group. */
export const COUNT_PAGEVIEWS = sql`count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)})`;

/** One row: `visitors`, `pageviews`, `events`. */
export const visitorCounts = (scope: Scope): AggregateQuery => ({
  keys: [],
  counts: ["visitors", "pageviews", "events"],
  partial: (range) => sql`
    SELECT count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped`,
});

const placedIn = (scope: Scope, bucket: SqlText): SqlText =>
  sql`(SELECT visitor_id, event_name, ${bucket} AS bucket FROM (${eventsIn(scope)}) AS scoped) AS placed`;

/** Rows `bucket`, `visitors`, `pageviews` of the buckets with events. `bucket` is an expression over the columns of an event. */
export const visitorCountsBy = (scope: Scope, bucket: LocalSql): AggregateQuery => ({
  keys: ["bucket"],
  counts: ["visitors", "pageviews"],
  partial: (range, calendar) => sql`
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews
    FROM ${placedIn(within(scope, range), bucket(range, calendar))}
    GROUP BY bucket`,
});

/** The same with `events`. Rollups do not have these rows. */
export const eventCountsBy = (scope: Scope, bucket: LocalSql): AggregateQuery => ({
  keys: ["bucket"],
  counts: ["visitors", "pageviews", "events"],
  partial: (range, calendar) => sql`
    SELECT bucket, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM ${placedIn(within(scope, range), bucket(range, calendar))}
    GROUP BY bucket`,
});
