/** A scope's figures for each value of one column: aggregated over numbers first, named last. */
import { PAGEVIEW } from "../../names.ts";
import { eventsIn, type Scope } from "../scope.ts";
import { column, sql, textCode, type ColumnName, type SqlText } from "../sql.ts";

/** Rows `value`, `visitors`, `pageviews`, `events`; visitors descending, then value ascending. */
export const queryBreakdown = (scope: Scope, name: ColumnName, rowsMax: number): SqlText => sql`
  WITH figures AS (
    SELECT
      ${column(name)} AS code,
      count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS pageviews,
      count(*) AS events
    FROM (${eventsIn(scope)}) AS scoped
    GROUP BY ${column(name)}
  )
  SELECT coalesce(texts.text, '(unknown)') AS value, visitors, pageviews, events
  FROM figures LEFT JOIN texts ON texts.code = figures.code
  ORDER BY visitors DESC, value ASC
  LIMIT ${rowsMax}`;
