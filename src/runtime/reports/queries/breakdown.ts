/** A scope's figures for each value of one column: aggregated over numbers first, named last. */
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { column, sql, textCode, type ColumnName } from "../../query/sql.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";

/** Rows `value`, `visitors`, `pageviews`, `events`; visitors descending, then value ascending. */
export const queryBreakdown = (scope: Scope, name: ColumnName, rowsMax: number): AggregateQuery => ({
  keys: ["code"],
  counts: ["visitors", "pageviews", "events"],
  partial: (range) => sql`
    SELECT
      ${column(name)} AS code,
      count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
      count(*) AS events
    FROM (${eventsIn(within(scope, range))}) AS scoped
    GROUP BY ${column(name)}`,
  finalize: sql`
    SELECT coalesce(texts.text, '(unknown)') AS value, visitors, pageviews, events
    FROM figures LEFT JOIN texts ON texts.code = figures.code
    ORDER BY visitors DESC, value ASC
    LIMIT ${rowsMax}`,
});
