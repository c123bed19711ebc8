/**
 * Numbers of each value of a dimension: of its events, of the sessions that begin or end at a page, and of the sessions with the value
 * (docs/reports.md, "Columns of a breakdown").
 */
import type { Calendar } from "../../../storage/calendar.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { columnOf, isDimension, type Dimension, type SessionDimension } from "../../query/dimensions.ts";
import { goalSql } from "../../query/goal.ts";
import { orderedSessions, pageEvents, type SessionEvent } from "../../query/ordered-sessions.ts";
import { eventsIn, hidesEvents, propsIn, rangedEvents, within, type Scope } from "../../query/scope.ts";
import { column, perDialect, sql, textCode, type ColumnName, type SqlText } from "../../query/sql.ts";
import type { Goal } from "../../sites/goal.ts";
import { COUNT_PAGEVIEWS, REVENUE_TOTAL } from "./counts.ts";
import { sessionParts, sharedSessions, wholeSessions } from "./sessions.ts";

/** Hundredths of a currency in a group. */
const revenueIn = (currency: string): SqlText =>
  sql`coalesce(${REVENUE_TOTAL} FILTER (WHERE currency = ${textCode(currency)} AND revenue_amount IS NOT NULL), 0)`;

/** Rows `value`, `visitors`, `pageviews`, `events` and, with a currency, `revenue` (hundredths). Rollups store them without a filter. */
export const countsByValue = (scope: Scope, name: ColumnName, currency: string | null = null): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  ...(currency !== null && { amounts: ["revenue"] }),
  partial: (range) => sql`
    SELECT ${column(name)} AS value, count(DISTINCT visitor_id) AS visitors, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${
      currency === null
        ? sql``
        : sql`,
      ${revenueIn(currency)} AS revenue`
    }
    FROM (${eventsIn(within(scope, range))}) AS scoped
    GROUP BY ${column(name)}`,
});

type End = "first" | "last";

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

/** Scopes that hide events. */
const pagesOfSharedSessions = (scope: Scope, calendar: Calendar, sessionGapMs: number, end: End): SqlText => {
  const page = end === "first" ? sql`entry_page` : sql`exit_page`;
  return sql`
      WITH ${sharedSessions(scope, calendar, sessionGapMs)}
      SELECT ${page} AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS sessions
      FROM matching_sessions
      WHERE ${page} IS NOT NULL
      GROUP BY ${page}`;
};

/** ClickHouse. */
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

/**
 * The first or last page viewed in each session: rows `value`, `visitors`, `sessions`. Sessions without a page view count nowhere.
 * Rollups store the rows without a filter.
 */
export const sessionPages = (scope: Scope, sessionGapMs: number, end: End): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "sessions"],
  partial(range, calendar) {
    const ranged = within(scope, range);
    const pagesOf = hidesEvents(scope) ? pagesOfSharedSessions : pagesOfDaySessions;
    return perDialect(pagesOf(ranged, calendar, sessionGapMs, end), pagesOfOrderedSessions(ranged, sessionGapMs, end));
  },
});

export interface ValueSessions {
  readonly dimension: Dimension | SessionDimension;
  readonly sessionGapMs: number;
  /** The goal whose conversions are counted; null for none. */
  readonly goal: Goal | null;
  /** The currency whose revenue is summed; null for none. */
  readonly currency: string | null;
}

/** Sums over a relation of sessions. `isConverted`: the session contains an event that meets the goal. */
const sessionSums = (isConverted: SqlText): SqlText => sql`
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_events = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE ${isConverted}) AS conversions`;

/** Rows `value`, `pageviews`, `events` and perhaps `revenue` of the matching events. */
const eventCounts = (scope: Scope, dimension: Dimension, currency: string | null): SqlText => {
  const name = column(columnOf(dimension));
  return sql`
    SELECT ${perDialect(name, sql`toString(${name})`)} AS value, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${currency === null ? sql`` : sql`, ${revenueIn(currency)} AS revenue`}
    FROM (${eventsIn(scope)}) AS scoped
    GROUP BY value`;
};

const meetsGoal = (goal: Goal | null, scope: Scope): SqlText => (goal === null ? sql`false` : goalSql(goal, propsIn(scope)));

const columnsOf = (currency: string | null): SqlText => sql`
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions${currency === null ? sql`` : sql`, revenue`}`;

/** DuckDB. `valued` contains a row for each value of each session. */
function ofWholeSessions(scope: Scope, calendar: Calendar, { dimension, sessionGapMs, goal, currency }: ValueSessions): SqlText {
  const shown = eventsIn({ ...scope, conditions: [] });
  const page = dimension === "entry-pages" ? sql`entry_page` : sql`exit_page`;
  const [valued, counted] = isDimension(dimension)
    ? [
        sql`
      SELECT DISTINCT whole, value
      FROM (SELECT session, ${column(columnOf(dimension))} AS value FROM (${eventsIn(scope)}) AS scoped) AS values_of_events
      JOIN wholes ON wholes.session = values_of_events.session`,
        eventCounts(scope, dimension, currency),
      ]
    : [sql`SELECT whole, ${page} AS value FROM matching_sessions WHERE ${page} IS NOT NULL`, countsOfSessions(shown, currency)];
  return sql`
    WITH ${wholeSessions(scope, calendar, sessionGapMs)},
    valued AS (${valued}),
    converted AS (
      SELECT DISTINCT whole FROM (${shown}) AS shown JOIN wholes ON wholes.session = shown.session WHERE ${meetsGoal(goal, scope)}
    ),
    described AS (
      SELECT valued.value AS value, ${sessionSums(sql`converted.whole IS NOT NULL`)}
      FROM valued
      JOIN (
        SELECT whole, visitor_id, events AS session_events, pageviews AS session_pageviews, duration_ms FROM matching_sessions
      ) AS matched_wholes ON matched_wholes.whole = valued.whole
      LEFT JOIN converted ON converted.whole = valued.whole
      GROUP BY valued.value
    ),
    counted AS (${counted})
    SELECT ${columnsOf(currency)} FROM described JOIN counted USING (value)`;
}

/** Entry and exit pages: each session counts once, as an event and as a page view, with the revenue of all its events. */
function countsOfSessions(shown: SqlText, currency: string | null): SqlText {
  if (currency === null) return sql`SELECT value, count(*) AS pageviews, count(*) AS events FROM valued GROUP BY value`;
  return sql`
      SELECT value, count(*) AS pageviews, count(*) AS events, coalesce(sum(revenue), 0) AS revenue
      FROM valued LEFT JOIN (
        SELECT whole, ${revenueIn(currency)} AS revenue FROM (${shown}) AS shown JOIN wholes ON wholes.session = shown.session GROUP BY whole
      ) AS revenues ON revenues.whole = valued.whole
      GROUP BY value`;
}

/** An event in the array of its visitor's events in ClickHouse. `text` is the value of a dimension, or the path. */
function valueEvent(scope: Scope, { dimension, goal, currency }: ValueSessions): SessionEvent {
  const text = isDimension(dimension) ? column(columnOf(dimension)) : sql`pathname`;
  const cents = currency === null ? sql`0` : sql`coalesce(if(currency = ${textCode(currency)}, revenue_amount, 0), 0)`;
  return {
    element: sql`CAST(
    (timestamp, segment, row, event_name = ${textCode(PAGEVIEW)}, matching, ${hidesEvents(scope) ? sql`shared` : sql`1`},
      CASE WHEN ${meetsGoal(goal, scope)} THEN 1 ELSE 0 END, ${cents}, toString(${text})),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, shared UInt8, is_goal UInt8, cents Int64, text String)')`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

/** The values of a session in ClickHouse. */
function valuesOfVisit(dimension: Dimension | SessionDimension): SqlText {
  if (isDimension(dimension)) return sql`arrayDistinct(arrayMap(event -> event.text, arrayFilter(event -> event.matching, visit)))`;
  const views = sql`arrayMap(event -> event.text, arrayFilter(event -> event.is_pageview, visit))`;
  return dimension === "entry-pages" ? sql`arraySlice(${views}, 1, 1)` : sql`arraySlice(${views}, -1)`;
}

/** ClickHouse. */
function ofOrderedSessions(scope: Scope, asked: ValueSessions): SqlText {
  const { dimension, sessionGapMs, currency } = asked;
  const ofSessions = sql`
      SELECT value, count(*) AS pageviews, count(*) AS events${currency === null ? sql`` : sql`, sum(session_revenue) AS revenue`}
      FROM valued
      GROUP BY value`;
  return sql`
    WITH visits AS (
      SELECT visitor_id, arrayJoin(sessions) AS visit
      FROM (${orderedSessions({ events: rangedEvents(scope), hidesEvents: hidesEvents(scope), event: valueEvent(scope, asked), sessionGapMs })}) AS histories
    ),
    valued AS (
      SELECT
        visitor_id,
        length(visit) AS session_events,
        arrayCount(event -> event.is_pageview, visit) AS session_pageviews,
        visit[-1].ms - visit[1].ms AS duration_ms,
        arrayExists(event -> event.is_goal, visit) AS is_converted,
        arraySum(event -> toInt128(event.cents), visit) AS session_revenue,
        arrayJoin(${valuesOfVisit(dimension)}) AS value
      FROM visits
      WHERE arrayExists(event -> event.matching, visit)
    ),
    described AS (SELECT value, ${sessionSums(sql`is_converted = 1`)} FROM valued GROUP BY value),
    counted AS (${isDimension(dimension) ? eventCounts(scope, dimension, currency) : ofSessions})
    SELECT ${columnsOf(currency)} FROM described JOIN counted USING (value)`;
}

/**
 * The sessions with a matching event of a value, or that begin or end at the page. Each is described whole, so a row equals the report
 * that is filtered on its value. Rows `value`, `visitors`, `pageviews`, `events`, `sessions`, `bounces`, `duration_ms`,
 * `session_pageviews` (all page views of these sessions), `conversions` (visitors whose sessions meet the goal) and, with a currency,
 * `revenue` (hundredths).
 */
export const sessionsByValue = (scope: Scope, asked: ValueSessions): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events", "sessions", "bounces", "duration_ms", "session_pageviews", "conversions"],
  ...(asked.currency !== null && { amounts: ["revenue"] }),
  partial(range, calendar) {
    const ranged = within(scope, range);
    return perDialect(ofWholeSessions(ranged, calendar, asked), ofOrderedSessions(ranged, asked));
  },
});
