/** Entry and exit pages: the first and the last page viewed in a session (docs/reports.md, "Sessions"). */
import type { Calendar } from "../../../storage/calendar.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { hidesEvents, rangedEvents, within, type Scope } from "../../query/scope.ts";
import { perDialect, sql, type SqlText } from "../../query/sql.ts";
import { orderedSessions, pageEvents } from "../../query/ordered-sessions.ts";
import { sessionParts, sharedSessions } from "./sessions.ts";

type End = "first" | "last";

/** Rows `value`, `visitors`, `sessions`. */
function pagesOfDaySessions(scope: Scope, calendar: Calendar, sessionGapMs: number, end: End): SqlText {
  const [page, pick] = end === "first" ? [sql`entry_page AS page`, sql`arg_min`] : [sql`exit_page AS page`, sql`arg_max`];
  return sql`
      WITH ${sessionParts(scope, calendar, sessionGapMs, page)},
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
      GROUP BY page`;
}

/** The same rows for a scope that hides events. */
const pagesOfSharedSessions = (scope: Scope, calendar: Calendar, sessionGapMs: number, end: End): SqlText => {
  const page = end === "first" ? sql`entry_page` : sql`exit_page`;
  return sql`
      WITH ${sharedSessions(scope, calendar, sessionGapMs)}
      SELECT ${page} AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS sessions
      FROM matching_sessions
      WHERE ${page} IS NOT NULL
      GROUP BY ${page}`;
};

/** The same rows in ClickHouse. */
function pagesOfOrderedSessions(scope: Scope, sessionGapMs: number, end: End): SqlText {
  const isHiding = hidesEvents(scope);
  const read = { events: rangedEvents(scope), hidesEvents: isHiding, event: pageEvents(isHiding, sql`0`), sessionGapMs };
  const pick = end === "first" ? sql`arrayFirst` : sql`arrayLast`;
  return sql`
      WITH visits AS (
        SELECT visitor_id, arrayJoin(sessions) AS visit
        FROM (${orderedSessions(read)}) AS histories
      )
      SELECT
        ${pick}(event -> event.is_pageview, visit).path AS value,
        count(DISTINCT visitor_id) AS visitors,
        count(*) AS sessions
      FROM visits
      WHERE arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.is_pageview, visit)
      GROUP BY value`;
}

/** Rows `value`, `visitors`, `sessions`. Sessions without a page view have neither an entry nor an exit page. Rollups have them without a filter. */
export const sessionPages = (scope: Scope, sessionGapMs: number, end: End): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "sessions"],
  partial(range, calendar) {
    const ranged = within(scope, range);
    const pages = hidesEvents(scope)
      ? pagesOfSharedSessions(ranged, calendar, sessionGapMs, end)
      : pagesOfDaySessions(ranged, calendar, sessionGapMs, end);
    return perDialect(pages, pagesOfOrderedSessions(ranged, sessionGapMs, end));
  },
});
