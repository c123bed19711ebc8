/** Visitors, page views and events for each value of a dimension (docs/http-api.md, "Breakdowns"). */
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { column, sql, textCode, type ColumnName, type SqlText } from "../../query/sql.ts";
import { REVENUE_TOTAL } from "./revenue-total.ts";
import { COUNT_PAGEVIEWS } from "./visitor-counts.ts";

/** Hundredths of a currency in a group. */
export const revenueIn = (currency: string): SqlText =>
  sql`coalesce(${REVENUE_TOTAL} FILTER (WHERE currency = ${textCode(currency)} AND revenue_amount IS NOT NULL), 0)`;

/** Rows `value`, `visitors`, `pageviews`, `events`. Rollups have them without a filter. */
export const countsByValue = (scope: Scope, name: ColumnName): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  partial: (range) => sql`
    SELECT ${column(name)} AS value, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    GROUP BY ${column(name)}`,
});

/** The same with `revenue`, the hundredths of a currency. */
export const revenueByValue = (scope: Scope, name: ColumnName, currency: string): AggregateQuery => ({
  ...countsByValue(scope, name),
  amounts: ["revenue"],
  partial: (range) => sql`
    SELECT ${column(name)} AS value, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events,
      ${revenueIn(currency)} AS revenue
    FROM (${eventsIn(within(scope, range))}) AS scoped
    GROUP BY ${column(name)}`,
});
