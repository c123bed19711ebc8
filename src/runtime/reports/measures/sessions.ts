/** Sessions: runs of one visitor's events without a pause longer than the session window. A filter keeps sessions with a matching event (docs/reports.md, "Sessions"). */
import type { Calendar } from "../../../storage/calendar.ts";
import { DAY_MS } from "../../../storage/event.ts";
import type { AggregateQuery } from "../../query/plan.ts";
import { DAY_BUCKET, isInUtc, type LocalSql, startOfDaySql } from "../../query/date-range.ts";
import { SESSION_COLUMNS, totalsOfDays } from "../../query/day-sums.ts";
import { fragment, numberIn, ratio, sql, type SqlRow, type SqlText } from "../../query/sql.ts";
import { eventsIn, eventsWithMatch, hidesEvents, inRange, type Scope, within } from "../../query/scope.ts";
import { COUNT_INTERACTIONS, IS_BOUNCE, IS_PAGEVIEW } from "../../query/conditions.ts";
import { COUNT_PAGEVIEWS } from "./counts.ts";

/** A session may continue past midnight if it begins or ends within one session window of the start or end of its day. */
function isNearMidnight({ range }: Scope, calendar: Calendar, sessionGapMs: number): SqlText {
  if (isInUtc(range, calendar)) {
    const dayMs = sql`CAST(day AS BIGINT) * ${DAY_MS}`;
    return sql`first_ms - ${dayMs} <= ${sessionGapMs} OR last_ms - ${dayMs} >= ${DAY_MS - sessionGapMs}`;
  }
  const [startMs, endMs] = [sql`day`, sql`day + 1`].map((day) => startOfDaySql(day, range, calendar));
  return sql`first_ms - (${startMs ?? sql``}) <= ${sessionGapMs} OR (${endMs ?? sql``}) - last_ms <= ${sessionGapMs}`;
}

const ENTRY_PAGE = sql`arg_min(pathname, (timestamp, sequence_number)) FILTER (WHERE ${IS_PAGEVIEW})`;
const EXIT_PAGE = sql`arg_max(pathname, (timestamp, sequence_number)) FILTER (WHERE ${IS_PAGEVIEW})`;

/**
 * The relation `sessions`. A cut scope keeps sessions that end before the cut, and makes those that span it again from their events up to
 * the cut.
 */
function daySessions(scope: Scope): SqlText {
  const { siteId, range, endsAtMs } = scope;
  if (endsAtMs === undefined) return sql`sessions`;
  return sql`(
    SELECT session, visitor_id, day, first_ms, last_ms, interactions, pageviews, entry_page, exit_page FROM sessions WHERE last_ms < ${endsAtMs}
    UNION ALL
    SELECT session, min(visitor_id), day, min(timestamp), max(timestamp), CAST(${COUNT_INTERACTIONS} AS INTEGER),
      CAST(${COUNT_PAGEVIEWS} AS INTEGER), ${ENTRY_PAGE}, ${EXIT_PAGE}
    FROM (${eventsIn({ siteId, range, conditions: [], endsAtMs })}) AS early
    WHERE session IN (
      SELECT session FROM sessions WHERE ${inRange(scope)} AND first_ms < ${endsAtMs} AND last_ms >= ${endsAtMs}
    )
    GROUP BY session, day
  ) AS day_sessions`;
}

/**
 * Relations for a `WITH`, over the relation `sessions` (see `EngineQuery`), whose sessions end with the day. Both contain `session`,
 * `visitor_id`, `day`, `first_ms`, `last_ms`, `matching` (an event of the session matches the filter) and `columns`:
 * - `within_day`: the matching sessions that do not continue past midnight
 * - `chained`: rows of all other sessions plus `chain`, shared by all day-parts of one session of a visitor
 *
 * Sessions continue past midnight only if visitor ids live longer than a day, and only visitors with several parts near midnight are
 * candidates, so nearly all sessions are within a day. DuckDB computes `matched` only if a filter reads it.
 */
export function sessionParts(scope: Scope, calendar: Calendar, sessionGapMs: number, columns: SqlText): SqlText {
  const isMatched = scope.conditions.length > 0 ? sql`session IN (SELECT session FROM matched)` : sql`true`;
  const matched = sql`matched AS (SELECT DISTINCT session FROM (${eventsIn(scope)}) AS scoped)`;
  const named = sql`session, visitor_id, day, first_ms, last_ms, ${columns}`;
  const ranged = sql`FROM ${daySessions(scope)} WHERE ${inRange(scope)}`;
  if (scope.sessionRules?.rotationDays === 1) {
    return sql`
  ${matched},
  within_day AS NOT MATERIALIZED (SELECT ${named}, true AS matching ${ranged} AND ${isMatched}),
  chained AS NOT MATERIALIZED (SELECT *, 0 AS chain FROM within_day WHERE false)`;
  }
  return sql`
  ${matched},
  ranged AS MATERIALIZED (SELECT ${named}, ${isMatched} AS matching ${ranged}),
  near_midnight AS MATERIALIZED (SELECT * FROM ranged WHERE ${isNearMidnight(scope, calendar, sessionGapMs)}),
  crossing AS (SELECT visitor_id FROM near_midnight GROUP BY visitor_id HAVING count(*) > 1),
  spaced AS (
    SELECT *, pause_before(visitor_id, first_ms, last_ms, session) AS pause_ms
    FROM near_midnight
    WHERE visitor_id IN (SELECT visitor_id FROM crossing)
  ),
  chained AS MATERIALIZED (
    SELECT *, sessionize(visitor_id, first_ms, session, pause_ms, ${sessionGapMs}) AS chain
    FROM spaced
  ),
  within_day AS NOT MATERIALIZED (SELECT * FROM ranged WHERE matching AND session NOT IN (SELECT session FROM chained))`;
}

/** The relation `matching_sessions`: start (`day`, `first_ms`), `interactions`, `pageviews` and `duration_ms` (first to last event). */
export const withSessions = fragment((scope: Scope, calendar: Calendar, sessionGapMs: number) =>
  hidesEvents(scope) ? sql`WITH ${sharedSessions(scope, calendar, sessionGapMs)}` : withWholeSessions(scope, calendar, sessionGapMs),
);

const withWholeSessions = (scope: Scope, calendar: Calendar, sessionGapMs: number): SqlText => sql`
  WITH ${sessionParts(scope, calendar, sessionGapMs, sql`interactions, pageviews`)},
  matching_sessions AS NOT MATERIALIZED (
    SELECT day, first_ms, interactions, pageviews, last_ms - first_ms AS duration_ms
    FROM within_day
    UNION ALL
    SELECT min(day), min(first_ms), CAST(sum(interactions) AS INTEGER), CAST(sum(pageviews) AS INTEGER), max(last_ms) - min(first_ms)
    FROM chained
    GROUP BY visitor_id, chain
    HAVING bool_or(matching)
  )`;

export const notMaterialized = fragment(() => sql`NOT MATERIALIZED`);

/** The relation `wholes`: each day-part of a session as `session`, with the first part as `whole`. */
const WHOLES = sql`wholes AS (
    SELECT session, session AS whole FROM within_day
    UNION ALL
    SELECT session, min(session) OVER (PARTITION BY visitor_id, chain) AS whole FROM chained
  )`;

/**
 * DuckDB relations for a `WITH`: `wholes` (`session`, `whole`), and `matching_sessions` with `whole`, `visitor_id`, start (`day`,
 * `first_ms`), `interactions`, `pageviews`, `duration_ms`, `entry_page` and `exit_page`.
 */
export const wholeSessions = (scope: Scope, calendar: Calendar, sessionGapMs: number): SqlText =>
  hidesEvents(scope)
    ? sharedSessions(scope, calendar, sessionGapMs)
    : sql`
  ${sessionParts(scope, calendar, sessionGapMs, sql`interactions, pageviews, entry_page, exit_page`)},
  ${WHOLES},
  matching_sessions AS NOT MATERIALIZED (
    SELECT session AS whole, visitor_id, day, first_ms, interactions, pageviews, last_ms - first_ms AS duration_ms, entry_page, exit_page
    FROM within_day
    UNION ALL
    SELECT min(session), visitor_id, min(day), min(first_ms), CAST(sum(interactions) AS INTEGER), CAST(sum(pageviews) AS INTEGER), max(last_ms) - min(first_ms),
      arg_min(entry_page, first_ms) FILTER (WHERE entry_page IS NOT NULL), arg_max(exit_page, first_ms) FILTER (WHERE exit_page IS NOT NULL)
    FROM chained
    GROUP BY visitor_id, chain
    HAVING bool_or(matching)
  )`;

/**
 * `wholeSessions` for a scope that hides events: hidden events take part in deciding which events are one session, but are not described
 * as part of it.
 */
export const sharedSessions = (scope: Scope, calendar: Calendar, sessionGapMs: number): SqlText => sql`
  ${sessionParts(scope, calendar, sessionGapMs, sql`interactions`)},
  ${WHOLES},
  matching_sessions AS NOT MATERIALIZED (
    SELECT
      whole,
      min(visitor_id) AS visitor_id,
      min(day) AS day,
      min(timestamp) AS first_ms,
      CAST(${COUNT_INTERACTIONS} AS INTEGER) AS interactions,
      CAST(${COUNT_PAGEVIEWS} AS INTEGER) AS pageviews,
      max(timestamp) - min(timestamp) AS duration_ms,
      ${ENTRY_PAGE} AS entry_page,
      ${EXIT_PAGE} AS exit_page
    FROM (${eventsWithMatch(scope)}) AS shown JOIN wholes ON wholes.session = shown.session
    GROUP BY whole
    HAVING max(matching) = 1
  )`;

/** The sums behind the averages. */
export const VISITS_AND_BOUNCES = sql`
    count(*) AS sessions,
    count(*) FILTER (WHERE ${IS_BOUNCE}) AS bounces`;

export const SUMS = sql`${VISITS_AND_BOUNCES},
    CAST(coalesce(sum(duration_ms), 0) AS BIGINT) AS duration_ms,
    CAST(coalesce(sum(pageviews), 0) AS BIGINT) AS pageviews`;

export const SUM_COLUMNS = ["sessions", "bounces", "duration_ms", "pageviews"] as const;

/** One row: `sessions`, `bounces`, `duration_ms`, `pageviews`. */
export const sessionSums = (scope: Scope, sessionGapMs: number): AggregateQuery => ({
  keys: [],
  counts: SUM_COLUMNS,
  ...(scope.endsAtMs !== undefined && { isMomentary: true }),
  ...totalsOfDays(scope, SESSION_COLUMNS),
  partial: (range, calendar) => sql`
    ${withSessions(within(scope, range), calendar, sessionGapMs)}
    SELECT ${SUMS}
    FROM matching_sessions`,
});

export const sessionSumsBy = (scope: Scope, sessionGapMs: number, bucket: LocalSql): AggregateQuery => ({
  keys: ["bucket"],
  counts: SUM_COLUMNS,
  ...(bucket === DAY_BUCKET && totalsOfDays(scope, SESSION_COLUMNS)),
  partial: (range, calendar) => sql`
    ${withSessions(within(scope, range), calendar, sessionGapMs)},
    begun AS ${notMaterialized()} (SELECT *, ${bucket(range, calendar, sql`first_ms`)} AS bucket FROM matching_sessions)
    SELECT bucket, ${SUMS}
    FROM begun
    GROUP BY bucket`,
});

export type SessionAverages = ReturnType<typeof sessionAverages>;

/** Zeros without a row. `bounceRate` is a fraction of `sessions`. */
export function sessionAverages(row: SqlRow | undefined) {
  const sessions = numberIn(row, "sessions");
  return {
    sessions,
    bounceRate: ratio(numberIn(row, "bounces"), sessions),
    durationSecs: ratio(numberIn(row, "duration_ms"), 1000 * sessions),
    pageviews: ratio(numberIn(row, "pageviews"), sessions),
  };
}
