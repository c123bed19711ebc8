/**
 * Numbers of each value of a dimension: of its events, of the sessions that begin or end at a page, and of the sessions with the value
 * (docs/reports.md, "Columns of a breakdown").
 */
import type { Calendar } from "../../../storage/calendar.ts";
import type { AggregateQuery } from "../../query/plan.ts";
import {
  type BreakdownDimension,
  columnOf,
  type Dimension,
  dimensionOf,
  isDimension,
  isSessionDimension,
  isVisitDimension,
  type VisitDimension,
} from "../../query/filters.ts";
import { goalSql } from "../../query/conditions.ts";
import { valuesOfDays, VISITOR_COLUMNS } from "../../query/day-sums.ts";
import { eventsIn, hidesEvents, propsIn, type Scope, visitsBy, within } from "../../query/scope.ts";
import { column, type ColumnName, fragment, sql, type SqlText } from "../../query/sql.ts";
import type { Goal } from "../../sites/goal.ts";
import { COUNT_PAGEVIEWS, revenueIn } from "./counts.ts";
import { countsOfVisits } from "./visits.ts";
import { sessionParts, sharedSessions, wholeSessions } from "./sessions.ts";

/** Rows `value`, `visitors`, `pageviews`, `events` and, with a currency, `revenue` (hundredths). Rollups store them without a filter. */
export const countsByValue = (scope: Scope, name: ColumnName, currency: string | null = null): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "pageviews", "events"],
  ...(currency !== null && { amounts: ["revenue"] }),
  ...(currency === null && valuesOfDays(scope, dimensionOf(name), VISITOR_COLUMNS)),
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

export type End = "first" | "last";

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

export const pagesOfSessions = fragment((scope: Scope, calendar: Calendar, sessionGapMs: number, end: End) =>
  (hidesEvents(scope) ? pagesOfSharedSessions : pagesOfDaySessions)(scope, calendar, sessionGapMs, end),
);

/**
 * The first or last page viewed in each session: rows `value`, `visitors`, `sessions`. Sessions without a page view count nowhere.
 * Rollups store the rows without a filter.
 */
export const sessionPages = (scope: Scope, sessionGapMs: number, end: End): AggregateQuery => ({
  keys: [],
  codes: ["value"],
  counts: ["visitors", "sessions"],
  ...valuesOfDays(scope, end === "first" ? "entry-pages" : "exit-pages", { visitors: "visitors", sessions: "sessions" }),
  partial: (range, calendar) => pagesOfSessions(within(scope, range), calendar, sessionGapMs, end),
});

export interface ValueSessions {
  readonly dimension: BreakdownDimension;
  readonly sessionGapMs: number;
  readonly goal: Goal | null;
  readonly currency: string | null;
}

/** Sums over a relation of sessions. `isConverted`: the session contains an event that meets the goal. */
export const valueSums = (isConverted: SqlText): SqlText => sql`
    count(DISTINCT visitor_id) AS visitors,
    count(*) AS sessions,
    count(*) FILTER (WHERE session_pageviews = 1 AND session_interactions = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms,
    CAST(sum(session_pageviews) AS BIGINT) AS session_pageviews,
    count(DISTINCT visitor_id) FILTER (WHERE ${isConverted}) AS conversions`;

/** The value of a dimension, beside others of any column type. */
export const valueText = fragment((name: SqlText) => name);

/** Rows `value`, `pageviews`, `events` and perhaps `revenue` of the matching events. */
export const eventCounts = (scope: Scope, dimension: Dimension, currency: string | null): SqlText => {
  const name = column(columnOf(dimension));
  return sql`
    SELECT ${valueText(name)} AS value, ${COUNT_PAGEVIEWS} AS pageviews, count(*) AS events${currency === null ? sql`` : sql`, ${revenueIn(currency)} AS revenue`}
    FROM (${eventsIn(scope)}) AS scoped
    GROUP BY value`;
};

export const meetsGoal = (goal: Goal | null, scope: Scope): SqlText => (goal === null ? sql`false` : goalSql(goal, propsIn(scope)));

export const columnsOf = (currency: string | null): SqlText => sql`
    value, visitors, pageviews, events, sessions, bounces, duration_ms, session_pageviews, conversions${currency === null ? sql`` : sql`, revenue`}`;

/** A SELECT of `session` and `value`: each value that a session has, more than once perhaps. */
const valuesOfEvents = (scope: Scope, dimension: Dimension | VisitDimension): SqlText =>
  isVisitDimension(dimension)
    ? visitsBy(dimension, scope)
    : sql`SELECT session, ${column(columnOf(dimension))} AS value FROM (${eventsIn(scope)}) AS scoped`;

/** A SELECT of a row for each value of each session, and one of the counts of each value. */
function valuedAndCounted(scope: Scope, dimension: BreakdownDimension, currency: string | null): readonly [SqlText, SqlText] {
  if (isDimension(dimension) || isVisitDimension(dimension)) {
    const valued = sql`
      SELECT DISTINCT whole, value
      FROM (${valuesOfEvents(scope, dimension)}) AS values_of_events
      JOIN wholes ON wholes.session = values_of_events.session`;
    const counted = isDimension(dimension)
      ? eventCounts(scope, dimension, currency)
      : countsOfVisits(scope, { dimension, currency }, false);
    return [valued, counted];
  }
  const page = dimension === "entry-pages" ? sql`entry_page` : sql`exit_page`;
  const shown = eventsIn({ ...scope, conditions: [] });
  return [sql`SELECT whole, ${page} AS value FROM matching_sessions WHERE ${page} IS NOT NULL`, countsOfSessions(shown, currency)];
}

/** `valued` contains a row for each value of each session. */
function ofWholeSessions(scope: Scope, calendar: Calendar, { dimension, sessionGapMs, goal, currency }: ValueSessions): SqlText {
  const shown = eventsIn({ ...scope, conditions: [] });
  const [valued, counted] = valuedAndCounted(scope, dimension, currency);
  return sql`
    WITH ${wholeSessions(scope, calendar, sessionGapMs)},
    valued AS (${valued}),
    converted AS (
      SELECT DISTINCT whole FROM (${shown}) AS shown JOIN wholes ON wholes.session = shown.session WHERE ${meetsGoal(goal, scope)}
    ),
    described AS (
      SELECT valued.value AS value, ${valueSums(sql`converted.whole IS NOT NULL`)}
      FROM valued
      JOIN (
        SELECT whole, visitor_id, interactions AS session_interactions, pageviews AS session_pageviews, duration_ms FROM matching_sessions
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

export const valuesOfSessions = fragment(ofWholeSessions);

/** Each session counts as one event and one page view of its entry or exit page. */
const columnsOfDays = ({ dimension }: ValueSessions) => ({
  ...VISITOR_COLUMNS,
  ...(isSessionDimension(dimension) && ({ pageviews: "sessions", events: "sessions" } as const)),
  ...({ sessions: "sessions", bounces: "bounces", duration_ms: "duration_ms", session_pageviews: "pageviews", conversions: null } as const),
});

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
  ...(asked.currency === null && asked.goal === null && valuesOfDays(scope, asked.dimension, columnsOfDays(asked))),
  partial: (range, calendar) => valuesOfSessions(within(scope, range), calendar, asked),
});
