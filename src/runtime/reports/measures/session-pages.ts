/** Entry and exit pages: the first and the last page viewed in a session (docs/reports.md, "Sessions"). */
import { PAGEVIEW } from "../../config/names.ts";
import type { AggregateQuery } from "../../execution/aggregate-query.ts";
import { TIME_OF_DAY } from "../../query/buckets.ts";
import { within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import { sessionParts } from "./sessions.ts";

/** More than the number of rows of any block. */
const SEQUENCE_NUMBERS = 2 ** 31;

/**
 * Rows `value`, `visitors`, `sessions`; visitors descending, then value ascending. Sessions without a page view have neither
 * an entry nor an exit page.
 */
export function sessionPages(scope: Scope, sessionGapMs: number, end: "first" | "last", rowsMax: number): AggregateQuery {
  const pick = end === "first" ? sql`arg_min` : sql`arg_max`;
  // Within a day, one number orders events by time and then by sequence number.
  const moment = sql`${TIME_OF_DAY} * ${SEQUENCE_NUMBERS} + sequence_number`;
  const page = sql`${pick}(pathname, ${moment}) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS page`;
  return {
    keys: [],
    codes: ["value"],
    counts: ["visitors", "sessions"],
    partial: (range) => sql`
      WITH ${sessionParts(within(scope, range), sessionGapMs, page)},
      sessions AS (
        SELECT visitor_id, page, matching
        FROM placed
        WHERE NOT near_midnight
        UNION ALL
        SELECT visitor_id, ${pick}(page, first_ms) FILTER (WHERE page IS NOT NULL), max(matching)
        FROM chained
        GROUP BY visitor_id, chain
      )
      SELECT page AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS sessions
      FROM sessions
      WHERE matching = 1 AND page IS NOT NULL
      GROUP BY page`,
    top: { by: "visitors", rowsMax },
  };
}
