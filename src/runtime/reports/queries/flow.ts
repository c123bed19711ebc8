/** Which page comes after or before a visitor's first view of a page, in the same session. */
import { PAGEVIEW } from "../../config/names.ts";
import { eventsIn, within, type Scope } from "../../query/scope.ts";
import { sql, textCode } from "../../query/sql.ts";
import { stepSql, type Step } from "../../query/steps.ts";
import type { AggregateQuery } from "../../execution/partial-aggregate.ts";
import { sessionParts } from "./sessions.ts";

export const FLOW_DIRECTIONS = ["forward", "backward"] as const;
export type FlowDirection = (typeof FLOW_DIRECTIONS)[number];

/**
 * Rows `next_page`, `visitors`, and `viewers`: the visitors who viewed the page, whether or not another page was next;
 * visitors descending, then page. Only pages of the sessions that the page was viewed in are put in order.
 */
export function queryFlow(scope: Scope, sessionGapMs: number, page: Step, direction: FlowDirection, rowsMax: number): AggregateQuery {
  const neighbour = direction === "forward" ? sql`sequence_next_node` : sql`sequence_previous_node`;
  const isViewed = sql`CASE WHEN ${stepSql(page)} THEN 1 ELSE 0 END`;
  return {
    keys: ["code"],
    counts: ["visitors"],
    partial: (range) => sql`
      WITH ${sessionParts(within(scope, range), sessionGapMs, sql`max(${isViewed}) AS viewed`)},
      wholes AS (
        SELECT session, session AS whole, matching, viewed
        FROM placed
        WHERE NOT near_midnight
        UNION ALL
        SELECT session, min(session) OVER whole_session, max(matching) OVER whole_session, max(viewed) OVER whole_session
        FROM chained
        WINDOW whole_session AS (PARTITION BY visitor_id, chain)
      ),
      wanted AS (SELECT session, whole FROM wholes WHERE matching = 1 AND viewed = 1),
      views AS (
        SELECT visitor_id, timestamp, sequence_number, viewed, ${neighbour}(pathname, whole, timestamp, sequence_number) AS neighbour
        FROM (SELECT *, ${isViewed} AS viewed FROM (${eventsIn({ ...scope, range, conditions: [] })}) AS ranged) AS marked
        JOIN wanted ON wanted.session = marked.session
        WHERE event_name = ${textCode(PAGEVIEW)}
      ),
      ranked AS (
        SELECT neighbour, row_number() OVER (PARTITION BY visitor_id ORDER BY timestamp, sequence_number) AS place
        FROM views
        WHERE viewed = 1
      )
      SELECT neighbour AS code, count(*) AS visitors FROM ranked WHERE place = 1 GROUP BY neighbour`,
    finalize: sql`
      SELECT
        coalesce(texts.text, '(unknown)') AS next_page,
        visitors,
        (SELECT CAST(sum(visitors) AS BIGINT) FROM figures) AS viewers
      FROM figures LEFT JOIN texts ON texts.code = figures.code
      WHERE figures.code IS NOT NULL
      ORDER BY visitors DESC, next_page ASC
      LIMIT ${rowsMax}`,
  };
}
