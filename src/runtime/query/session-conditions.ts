/** Conditions on sessions: those that begin or end on a page, or reach a goal. All events of a session meet such a condition, or none. */
import { PAGEVIEW } from "../config/names.ts";
import type { Condition, SessionFilter } from "./filters.ts";
import { goalSql } from "./goal.ts";
import { orderedSessions, type SessionEvent } from "./ordered-sessions.ts";
import type { SessionRules } from "./session-rules.ts";
import { column, joinSql, perDialect, sql, textCode, type SqlText } from "./sql.ts";
import { bitsSql } from "./steps.ts";
import { UNRECORDED, valuePasses } from "./text-conditions.ts";
import { ANY_TEXT, compiledTest, type TextTest } from "./text-matching.ts";

/** The events of a range of whole salt periods, by which its sessions are judged. */
export interface SessionEvents {
  readonly rules: SessionRules;
  /** A SELECT of `props` of all events of the range. */
  readonly props: SqlText;
  /** A SELECT of those that are shared, up to the cut of the range. */
  readonly shown: SqlText;
  /** Whether these are all events of the range, so that the relation `sessions` describes its sessions. */
  readonly areAllShown: boolean;
  /** In ClickHouse, the same SELECT with the events that are not shared, too, and `shared` if there are any. */
  readonly ordered: SqlText;
  readonly hidesEvents: boolean;
  /** Whether a row of `sessions` is of the range. */
  readonly isInRange: SqlText;
}

/** A condition on sessions. */
export type SessionCondition = Condition & { readonly dimension: SessionFilter };

type Wanted = Pick<Condition, "test" | "goals">;

const or = (conditions: readonly SqlText[]): SqlText => (conditions.length === 0 ? sql`false` : sql`(${joinSql(conditions, " OR ")})`);

/** Whether an event reaches a goal whose name passes: one of the site's, or an event of that name if no goal of the site has it. */
function reaches({ test, goals = [] }: Wanted, props: SqlText): SqlText {
  const passes = compiledTest(test);
  const name = column("event_name");
  const defined = goals.filter(({ name: of }) => passes(of)).map(({ goal }) => goalSql(goal, props));
  const taken = goals.map(({ name: of }) => sql`${textCode(of)}`);
  const isFree = taken.length === 0 ? sql`` : sql` AND ${name} NOT IN (${joinSql(taken, ", ")})`;
  const isNoGoal = [PAGEVIEW, UNRECORDED].map((text) => sql`${name} <> ${textCode(text)}`);
  return or([...defined, sql`(${joinSql(isNoGoal, " AND ")} AND ${valuePasses(name, "event_name", test)}${isFree})`]);
}

/** Of the relation `sessions`, with `chain`: equal for the parts of one session of a visitor, which it has on each day. */
const chainedParts = ({ rules: { sessionGapMs }, isInRange }: SessionEvents): SqlText => sql`
  SELECT session, visitor_id, first_ms, sum(begins) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) AS chain
  FROM (
    SELECT session, visitor_id, first_ms,
      CASE WHEN first_ms - lag(last_ms) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) <= ${sessionGapMs} THEN 0 ELSE 1 END AS begins
    FROM sessions
    WHERE ${isInRange}
  ) AS parts`;

/** In DuckDB, the numbers of sessions with an event that meets the condition. */
function sessionsWith(condition: SqlText, events: SessionEvents): SqlText {
  const parts = sql`SELECT session FROM (${events.shown}) AS shown WHERE ${condition}`;
  if (events.rules.rotationDays === 1) return parts;
  return sql`
    SELECT session
    FROM (
      SELECT session, max(CASE WHEN session IN (${parts}) THEN 1 ELSE 0 END) OVER (PARTITION BY visitor_id, chain) AS met
      FROM (${chainedParts(events)}) AS chained
    ) AS wholes
    WHERE met = 1`;
}

const PAGE_OF_SESSIONS = { "entry-page": sql`entry_page`, "exit-page": sql`exit_page` };
const PICK = { "entry-page": sql`arg_min`, "exit-page": sql`arg_max` };

/** `session` and `page`: the first or last page that was viewed, on its day; NULL without a page view. */
function pagesOfParts(end: "entry-page" | "exit-page", { shown, areAllShown, isInRange }: SessionEvents): SqlText {
  if (areAllShown) return sql`SELECT session, ${PAGE_OF_SESSIONS[end]} AS page FROM sessions WHERE ${isInRange}`;
  return sql`
    SELECT session, ${PICK[end]}(pathname, (timestamp, sequence_number)) FILTER (WHERE event_name = ${textCode(PAGEVIEW)}) AS page
    FROM (${shown}) AS shown
    GROUP BY session`;
}

/** In DuckDB, the numbers of sessions that begin or end on a page that passes. */
function sessionsOfPage(end: "entry-page" | "exit-page", test: TextTest, events: SessionEvents): SqlText {
  const passes = valuePasses(sql`coalesce(page, 0)`, "pathname", test);
  const parts = pagesOfParts(end, events);
  if (events.rules.rotationDays === 1) return sql`SELECT session FROM (${parts}) AS parts WHERE ${passes}`;
  return sql`
    SELECT session
    FROM (
      SELECT chained.session AS session,
        ${PICK[end]}(page, first_ms) FILTER (WHERE page IS NOT NULL) OVER (PARTITION BY visitor_id, chain) AS page
      FROM (${chainedParts(events)}) AS chained LEFT JOIN (${parts}) AS parts ON parts.session = chained.session
    ) AS wholes
    WHERE ${passes}`;
}

/** In DuckDB, whether the number of an event's session is among those that reach a goal. */
const reachesInDuckdb = (condition: SqlText, events: SessionEvents): SqlText => sql`session IN (${sessionsWith(condition, events)})`;

/** A condition whose test is for `(unknown)` is also met by sessions that reach no goal at all. */
const asksForNoGoal = ({ kind, values }: TextTest): boolean => kind === "is" && values.includes(UNRECORDED);

/** Whether sessions of which `reached` tells what they reach pass: by the names of these goals, `(unknown)` without any. */
function passesByGoals(wanted: Wanted, props: SqlText, reached: (condition: SqlText) => SqlText): SqlText {
  const hasPassed = reached(reaches(wanted, props));
  if (!asksForNoGoal(wanted.test)) return hasPassed;
  return sql`(${hasPassed} OR NOT ${reached(reaches({ ...wanted, test: ANY_TEXT }, props))})`;
}

const negated = ({ isNegated }: SessionCondition, passed: SqlText): SqlText => (isNegated ? sql`NOT ${passed}` : passed);

function meetsInDuckdb(condition: SessionCondition, events: SessionEvents): SqlText {
  const { dimension, test } = condition;
  const passed =
    dimension === "goal"
      ? passesByGoals(condition, events.props, (reached) => reachesInDuckdb(reached, events))
      : sql`session IN (${sessionsOfPage(dimension, test, events)})`;
  return negated(condition, passed);
}

/** In ClickHouse, whether a session begins or ends on a page that passes. It reads `visit`, an array of the session's events. */
function endsOn(end: "entry-page" | "exit-page", test: TextTest): SqlText {
  const pick = end === "entry-page" ? sql`arrayFirst` : sql`arrayLast`;
  const page = sql`if(arrayExists(event -> event.is_pageview, visit), ${pick}(event -> event.is_pageview, visit).path, ${textCode(UNRECORDED)})`;
  return valuePasses(page, "pathname", test);
}

/** An event in an array of its visitor's, in ClickHouse. The bits of `met` are what it meets. Pages need the order of events at the same time. */
function conditionEvent(met: SqlText, hidesEvents: boolean, withPages: boolean): SessionEvent {
  const shared = hidesEvents ? sql`shared` : sql`1`;
  const element = withPages
    ? sql`CAST(
    (timestamp, segment, row, ${met}, ${shared}, event_name = ${textCode(PAGEVIEW)}, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, met Int64, shared UInt8, is_pageview UInt8, path String)')`
    : sql`CAST((timestamp, ${met}, ${shared}), 'Tuple(ms Int64, met Int64, shared UInt8)')`;
  return { element, timeMs: sql`event.ms`, isShared: sql`event.shared` };
}

/**
 * In ClickHouse, which has no numbers of sessions: visitor and time of each event of the sessions that meet all conditions. The sessions
 * are made once for all of them: that takes most of the time.
 */
function momentsOf(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const { ordered, hidesEvents, props, rules } = events;
  const marks: SqlText[] = [];
  const reached = (condition: SqlText): SqlText => sql`arrayExists(event -> bitTest(event.met, ${marks.push(condition) - 1}), visit)`;
  const met = conditions.map((condition) => {
    const { dimension, test } = condition;
    return negated(condition, dimension === "goal" ? passesByGoals(condition, props, reached) : endsOn(dimension, test));
  });
  const withPages = conditions.some(({ dimension }) => dimension !== "goal");
  const event = conditionEvent(marks.length > 0 ? bitsSql(marks) : sql`0`, hidesEvents, withPages);
  const sessions = orderedSessions({ events: ordered, hidesEvents, event, sessionGapMs: rules.sessionGapMs });
  return sql`
    SELECT visitor_id, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
    FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${sessions}) AS histories) AS visits
    WHERE ${joinSql(met, " AND ")}`;
}

/** Whether the session of an event meets all conditions: by its entry or exit page, `(unknown)` without a page view, or by the goals that it reaches. */
export function meetsSessionConditions(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const inDuckdb = conditions.map((condition) => meetsInDuckdb(condition, events));
  return perDialect(joinSql(inDuckdb, " AND "), sql`(visitor_id, timestamp) IN (${momentsOf(conditions, events)})`);
}
