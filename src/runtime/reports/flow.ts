/** GET /api/stats/flow: the page viewed right after or before each visitor's first view of a page, in the same session (docs/http-api.md, "Flow"). */
import { FLOW_ROWS_DEFAULT, FLOW_ROWS_MAX } from "../base/config/report-limits.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { Calendar } from "../../storage/calendar.ts";
import { type AggregateQuery, planOf } from "../query/plan.ts";
import { closed, count, fraction, text, type Described, type Schema } from "../base/json-schema.ts";
import { PAGE, stepSql } from "../query/conditions.ts";
import { oneOf, rowLimit, type Values } from "../query/parameters.ts";
import { fragment, largestFirst, numberIn, ratio, sql, type SqlRow, textCode, textIn } from "../query/sql.ts";
import { eventsIn, type Scope, within } from "../query/scope.ts";
import { VISITORS, rows } from "./measures/fields.ts";
import { sessionParts } from "./measures/sessions.ts";
import { report } from "./report.ts";

const PARAMETERS = {
  page: PAGE,
  direction: oneOf("The page viewed after it, or before it.", ["forward", "backward"]),
  repeats: oneOf("`skip`: views of the same path right after one another count as one view, so that no page leads to itself.", [
    "keep",
    "skip",
  ]),
  with_ends: oneOf("`true`: the response is an object with the rows, and the visitors without such a page view.", ["false", "true"]),
  limit: rowLimit("Maximum number of rows.", FLOW_ROWS_MAX, FLOW_ROWS_DEFAULT),
};

const ROWS = rows("Most visitors first, then by page.", FLOW_ROWS_MAX, {
  next_page: text("The path of the page viewed next, or before."),
  visitors: VISITORS,
  share: fraction("Visitors divided by all visitors who viewed the page."),
});

const WITH_ENDS = closed({
  visitors: count("All visitors who viewed the page."),
  ended: count("Those whose session has no page view after it, or before it: there they left the site, or entered it."),
  rows: ROWS,
});

type Rows = Described<typeof ROWS>;
type WithEnds = Described<typeof WITH_ENDS>;

export type Neighbour = Pick<Values<typeof PARAMETERS>, "page" | "direction" | "repeats">;

/**
 * Rows `has_next` (1 or 0), `next_page`, `visitors`: visitors by the neighbour of their first view of the page in any matching session, if
 * there is one. Only events of sessions with a view of the page are sorted.
 */
export const neighboursOfPage = fragment((scope: Scope, calendar: Calendar, sessionGapMs: number, asked: Neighbour) => {
  const { page, direction, repeats } = asked;
  const neighbour = direction === "forward" ? sql`sequence_next_node` : sql`sequence_previous_node`;
  const inOrder = sql`whole, timestamp, sequence_number`;
  // Only the first view of a run of equal paths remains.
  const steps =
    repeats === "keep"
      ? sql`viewed_pages`
      : sql`(
          SELECT * FROM (SELECT *, sequence_previous_node(pathname, ${inOrder}) AS path_before FROM viewed_pages) AS ordered
          WHERE path_before IS DISTINCT FROM pathname
        ) AS steps`;
  const all = eventsIn({ ...scope, conditions: [] });
  const isViewed = sql`CASE WHEN ${stepSql(page)} THEN 1 ELSE 0 END`;
  return sql`
      WITH ${sessionParts(scope, calendar, sessionGapMs, sql`interactions`)},
      viewing AS MATERIALIZED (SELECT DISTINCT session FROM (${all}) AS ranged_events WHERE ${stepSql(page)}),
      marked_parts AS (
        SELECT session, visitor_id, chain, matching, session IN (SELECT session FROM viewing) AS viewed
        FROM chained
      ),
      wholes AS (
        SELECT session, min(session) OVER whole AS whole, bool_or(matching) OVER whole AS matching, bool_or(viewed) OVER whole AS viewed
        FROM marked_parts
        WINDOW whole AS (PARTITION BY visitor_id, chain)
      ),
      wanted AS (
        SELECT session, session AS whole FROM within_day WHERE session IN (SELECT session FROM viewing)
        UNION ALL
        SELECT session, whole FROM wholes WHERE matching AND viewed
      ),
      viewed_pages AS (
        SELECT visitor_id, timestamp, sequence_number, pathname, viewed, whole
        FROM (SELECT *, ${isViewed} AS viewed FROM (${all}) AS ranged_events) AS marked
        JOIN wanted ON wanted.session = marked.session
        WHERE event_name = ${textCode(PAGEVIEW)}
      ),
      views AS (
        SELECT visitor_id, timestamp, sequence_number, viewed, ${neighbour}(pathname, ${inOrder}) AS neighbour
        FROM ${steps}
      ),
      ranked AS (
        SELECT neighbour, row_number() OVER (PARTITION BY visitor_id ORDER BY timestamp, sequence_number) AS place
        FROM views
        WHERE viewed = 1
      )
      SELECT CASE WHEN neighbour IS NULL THEN 0 ELSE 1 END AS has_next, coalesce(neighbour, 0) AS next_page, count(*) AS visitors
      FROM ranked
      WHERE place = 1
      GROUP BY neighbour`;
});

const neighbours = (scope: Scope, sessionGapMs: number, { page, direction, repeats }: Neighbour): AggregateQuery => ({
  keys: ["has_next"],
  codes: ["next_page"],
  counts: ["visitors"],
  partial: (range, calendar) => neighboursOfPage(within(scope, range), calendar, sessionGapMs, { page, direction, repeats }),
});

export const flow = report({
  path: "/api/stats/flow",
  operationId: "getFlow",
  summary: "Pages viewed right after or before a page",
  description: "In the same session, around each visitor's first view of the page.",
  parameters: PARAMETERS,
  result: { name: "Flow", schema: ROWS as Schema<Rows | WithEnds>, forms: { FlowWithEnds: WITH_ENDS } },
  extension: "needed",
  plan: ({ scope, values }, { sessionGapMs }) =>
    planOf(scope, [neighbours(scope, sessionGapMs, values)], (found) => {
      const visitorsIn = (some: readonly SqlRow[]) => some.reduce((sum, row) => sum + numberIn(row, "visitors"), 0);
      const viewers = visitorsIn(found);
      const [pages, ends] = [1, 0].map((hasNext) => found.filter((row) => numberIn(row, "has_next") === hasNext));
      // Shares add up to less than 1: other visitors viewed no such page, or are beyond the limit.
      const listed = (pages ?? [])
        .sort(largestFirst("visitors", "next_page"))
        .slice(0, values.limit)
        .map((row) => ({
          next_page: textIn(row, "next_page"),
          visitors: numberIn(row, "visitors"),
          share: ratio(numberIn(row, "visitors"), viewers),
        }));
      return values.with_ends === "false" ? listed : { visitors: viewers, ended: visitorsIn(ends ?? []), rows: listed };
    }),
});
