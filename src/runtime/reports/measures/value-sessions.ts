/**
 * The sessions of each value of a dimension, described whole: those with a matching event that has the value, or that begin or end at
 * the page. So a row has the numbers that a filter on its value gives (docs/reports.md, "Columns of a breakdown").
 */
import type { Calendar } from "../../../storage/calendar.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import type { AggregateQuery } from "../../query/aggregate-query.ts";
import { columnOf, isDimension, type Dimension, type SessionDimension } from "../../query/dimensions.ts";
import { goalSql } from "../../query/goal.ts";
import { orderedSessions, type SessionEvent } from "../../query/ordered-sessions.ts";
import { eventsIn, hidesEvents, propsIn, rangedEvents, within, type Scope } from "../../query/scope.ts";
import { column, perDialect, sql, textCode, type SqlText } from "../../query/sql.ts";
import type { Goal } from "../../sites/goal.ts";
import { wholeSessions } from "./sessions.ts";
import { revenueIn } from "./value-counts.ts";
import { COUNT_PAGEVIEWS } from "./visitor-counts.ts";

export interface ValueSessions {
  readonly dimension: Dimension | SessionDimension;
  readonly sessionGapMs: number;
  /** The goal whose conversions are counted; null for none. */
  readonly goal: Goal | null;
  /** The currency whose revenue is summed; null for none. */
  readonly currency: string | null;
}

/** Sums over the sessions of a value, in a relation of sessions. `isConverted` tells whether one has an event that meets the goal. */
const sessionSums = (isConverted: SqlText): SqlText => sql`
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_events = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE ${isConverted}) AS conversions`;

const revenueOf = (currency: string | null): SqlText => (currency === null ? sql`` : sql`, ${revenueIn(currency)} AS revenue`);

/** Rows `value`, `pageviews`, `events` and perhaps `revenue` of the events that match. */
const eventCounts = (scope: Scope, dimension: Dimension, currency: string | null): SqlText => {
  const name = column(columnOf(dimension));
  return sql`
    SELECT ${perDialect(name, sql`toString(${name})`)} AS value, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${revenueOf(currency)}
    FROM (${eventsIn(scope)}) AS scoped
    GROUP BY value`;
};

/** The events of the sessions that a scope describes, whether they match or not. */
const shownIn = (scope: Scope): SqlText => eventsIn({ ...scope, conditions: [] });

const meetsGoal = (goal: Goal | null, scope: Scope): SqlText => (goal === null ? sql`false` : goalSql(goal, propsIn(scope)));

const columnsOf = (currency: string | null): SqlText => sql`
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions${currency === null ? sql`` : sql`, revenue`}`;

/** In DuckDB. `valued` has a row for each value of each session. */
function ofWholeSessions(scope: Scope, calendar: Calendar, { dimension, sessionGapMs, goal, currency }: ValueSessions): SqlText {
  const shown = shownIn(scope);
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

/** Of pages where sessions begin or end: each session counts once, both as an event and as a page view, and has the revenue of its events. */
function countsOfSessions(shown: SqlText, currency: string | null): SqlText {
  if (currency === null) return sql`SELECT value, count(*) AS pageviews, count(*) AS events FROM valued GROUP BY value`;
  return sql`
      SELECT value, count(*) AS pageviews, count(*) AS events, coalesce(sum(revenue), 0) AS revenue
      FROM valued LEFT JOIN (
        SELECT whole, ${revenueIn(currency)} AS revenue FROM (${shown}) AS shown JOIN wholes ON wholes.session = shown.session GROUP BY whole
      ) AS revenues ON revenues.whole = valued.whole
      GROUP BY value`;
}

/** In ClickHouse, an event in an array of its visitor's. `text` is the value of a dimension, or the path. */
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
 * Rows `value`, `visitors`, `pageviews`, `events`, `sessions`, `bounces`, `duration_ms`, `session_pageviews` (all page views of these
 * sessions), `conversions` (visitors of those with an event that meets the goal) and, with a currency, `revenue` (hundredths).
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
