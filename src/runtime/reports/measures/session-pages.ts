/** Entry and exit pages: the first and the last page viewed in a session (docs/reports.md, "Sessions"). */
import type { AggregateQuery } from "../../execution/aggregate-query.ts";
import { within, type Scope } from "../../query/scope.ts";
import { sql } from "../../query/sql.ts";
import { sessionParts } from "./sessions.ts";

/**
 * Rows `value`, `visitors`, `sessions`; visitors descending, then value ascending. Sessions without a page view have neither
 * an entry nor an exit page.
 */
export function sessionPages(scope: Scope, sessionGapMs: number, end: "first" | "last", rowsMax: number): AggregateQuery {
  const [page, pick] = end === "first" ? [sql`entry_page AS page`, sql`arg_min`] : [sql`exit_page AS page`, sql`arg_max`];
  return {
    keys: [],
    codes: ["value"],
    counts: ["visitors", "sessions"],
    readsSessions: true,
    partial: (range) => sql`
      WITH ${sessionParts(within(scope, range), sessionGapMs, page)},
      matching_sessions AS NOT MATERIALIZED (
        SELECT visitor_id, page FROM within_day
        UNION ALL
        SELECT visitor_id, ${pick}(page, first_ms) FILTER (WHERE page IS NOT NULL)
        FROM chained
        GROUP BY visitor_id, chain
        HAVING bool_or(matching)
      )
      SELECT page AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS sessions
      FROM matching_sessions
      WHERE page IS NOT NULL
      GROUP BY page`,
    top: { by: "visitors", rowsMax },
  };
}
