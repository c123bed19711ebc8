/**
 * Sessions in ClickHouse, where no relation `sessions` is kept: the events of each visitor are collected in an array, sorted, and split
 * at pauses. Over 3,000,000 events of 600,000 visitors that took 0.4 to 0.7 s; window functions, which sort all events, 1.5 to 2.5 s.
 * Visitors are grouped where their events are, so a cluster does this on its shards.
 */
import type { Calendar } from "../../../storage/calendar.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import { columnOf, type Dimension, isDimension, type SessionDimension } from "../../query/filters.ts";
import {
  goalMarks,
  isOnGoal,
  isOnPage,
  negated,
  type SessionCondition,
  type SessionEvents,
  stepBitsSql,
  stepSql,
  valuePasses,
} from "../../query/conditions.ts";
import { eventsIn, hidesEvents as hides, rangedEvents, type Scope } from "../../query/scope.ts";
import { column, joinSql, sql, type SqlText, textCode } from "../../query/sql.ts";
import type { TextTest } from "../../query/text-matching.ts";
import type { Neighbour } from "../../reports/flow.ts";
import type { StepEvents } from "../../reports/measures/step-events.ts";
import { columnsOf, type End, eventCounts, meetsGoal, type ValueSessions, valueSums } from "../../reports/measures/values.ts";
import { UNRECORDED } from "../../../shared/filters.ts";

/** An event in an array of its visitor's: `element` sorts by time, and `timeMs` is that time of the element `event`. */
interface SessionEvent {
  readonly element: SqlText;
  readonly timeMs: SqlText;
  /** The element `event` is of a shared event, if others are hidden. */
  readonly isShared: SqlText;
}

interface OrderedSessions {
  /** A SELECT of events with `matching` and, if some are hidden, `shared` (see `rangedEvents`). */
  readonly events: SqlText;
  readonly hidesEvents: boolean;
  readonly event: SessionEvent;
  readonly sessionGapMs: number;
}

const sharedOnly = (sessions: SqlText, { isShared }: SessionEvent): SqlText =>
  sql`arrayFilter(visit -> notEmpty(visit), arrayMap(visit -> arrayFilter(event -> ${isShared}, visit), ${sessions}))`;

/**
 * A SELECT of `visitor_id` and `sessions`: for each visitor with a matching event, an array of sessions in order of time, each an array
 * of the elements of shared events. The others decide with them where a session ends. Sessions may continue past midnight.
 */
function orderedSessions({ events, hidesEvents, event, sessionGapMs }: OrderedSessions): SqlText {
  const { element, timeMs } = event;
  const whole = sql`arraySplit((event, pause_ms) -> pause_ms > ${sessionGapMs}, ordered, arrayDifference(arrayMap(event -> ${timeMs}, ordered)))`;
  return sql`
  SELECT
    visitor_id,
    ${hidesEvents ? sharedOnly(whole, event) : whole} AS sessions
  FROM (
    SELECT visitor_id, arraySort(groupArray(${element})) AS ordered
    FROM (${events}) AS ranged_events
    GROUP BY visitor_id
    HAVING max(matching) = 1
  ) AS histories`;
}

/** Sorts by time, segment and row; then come `is_pageview`, `matching`, `viewed`, if events are hidden `shared` (1 or 0), and `path`. */
function pageEvents(hidesEvents: boolean, viewed: SqlText): SessionEvent {
  const [value, type] = hidesEvents ? [sql` shared,`, sql` shared UInt8,`] : [sql``, sql``];
  return {
    element: sql`CAST(
    (timestamp, segment, row, event_name = ${textCode(PAGEVIEW)}, matching, ${viewed},${value} toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, matching UInt8, viewed UInt8,${type} path String)')`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

/** True if a session begins or ends on a page that passes. It reads `visit`, an array of the session's events. */
function endsOn(end: "entry-page" | "exit-page", test: TextTest): SqlText {
  const pick = end === "entry-page" ? sql`arrayFirst` : sql`arrayLast`;
  const page = sql`if(arrayExists(event -> event.is_pageview, visit), ${pick}(event -> event.is_pageview, visit).path, ${textCode(UNRECORDED)})`;
  return valuePasses(page, "pathname", test);
}

/** An event in an array of its visitor's. The bits of `met` are what it meets. Pages need the order of events at the same time. */
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
 * ClickHouse has no numbers of sessions: visitor and time of each event of the sessions that meet all conditions. The sessions are made
 * once for all of them: that takes most of the time.
 */
function momentsOf(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const { ordered, hidesEvents, props, rules } = events;
  const onGoals = conditions.filter(isOnGoal);
  const onPages = conditions.filter(isOnPage);
  const goals = onGoals.length > 0 ? goalMarks(onGoals, props) : null;
  const isReached = (position: number): SqlText => sql`arrayExists(event -> bitTest(event.met, ${position}), visit)`;
  const met = onPages.map((condition) => negated(condition, endsOn(condition.dimension, condition.test)));
  const event = conditionEvent(goals?.bits ?? sql`0`, hidesEvents, onPages.length > 0);
  const marked = goals ? sql`SELECT *, ${goals.columns} FROM (${ordered}) AS unmarked` : ordered;
  const sessions = orderedSessions({ events: marked, hidesEvents, event, sessionGapMs: rules.sessionGapMs });
  return sql`
    SELECT visitor_id, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
    FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${sessions}) AS histories) AS visits
    WHERE ${joinSql(goals ? [...met, goals.isMet(isReached)] : met, " AND ")}`;
}

export const meetsBySessions = (conditions: readonly SessionCondition[], events: SessionEvents): SqlText =>
  sql`(visitor_id, timestamp) IN (${momentsOf(conditions, events)})`;

/**
 * An event is packed into one number, from the highest bits: its time, 16 bits of its day, one bit if it is shared (only if the
 * scope hides events), one if it is a page view or another interaction, one if it is a page view, one if it matches. `time` and `day` are
 * bit offsets.
 */
const packing = (scope: Scope) =>
  hides(scope) ? { time: sql`20`, day: sql`4`, shared: sql`8 * shared + ` } : { time: sql`19`, day: sql`3`, shared: sql`` };

const IS_PAGEVIEW = sql`(event_name = ${textCode(PAGEVIEW)})`;

const IS_INTERACTION = sql`(event_name = ${textCode(PAGEVIEW)} OR interactive IS NULL)`;

function packed(scope: Scope): SessionEvent {
  const { time, day, shared } = packing(scope);
  return {
    element: sql`bitShiftLeft(timestamp, ${time}) + bitShiftLeft(toInt64(day), ${day}) + ${shared}4 * ${IS_INTERACTION} + 2 * ${IS_PAGEVIEW} + matching`,
    timeMs: sql`bitShiftRight(event, ${time})`,
    isShared: sql`bitTest(event, 3)`,
  };
}

/** Rows of sessions in ClickHouse, where no relation `sessions` is kept: from each visitor's sorted events (`ordered-sessions.ts`). */
export function withOrderedSessions(scope: Scope, _calendar: Calendar, sessionGapMs: number): SqlText {
  const { time, day } = packing(scope);
  return sql`
  WITH visits AS (
    SELECT arrayJoin(sessions) AS visit
    FROM (${orderedSessions({ events: rangedEvents(scope), hidesEvents: hides(scope), event: packed(scope), sessionGapMs })}) AS histories
  ),
  matching_sessions AS (
    SELECT
      bitAnd(bitShiftRight(visit[1], ${day}), 65535) AS day,
      bitShiftRight(visit[1], ${time}) AS first_ms,
      arrayCount(event -> bitTest(event, 2), visit) AS interactions,
      arrayCount(event -> bitTest(event, 1), visit) AS pageviews,
      bitShiftRight(visit[-1], ${time}) - bitShiftRight(visit[1], ${time}) AS duration_ms
    FROM visits
    WHERE arrayExists(event -> bitTest(event, 0), visit)
  )`;
}

export function pagesOfOrderedSessions(scope: Scope, _calendar: Calendar, sessionGapMs: number, end: End): SqlText {
  const isHiding = hides(scope);
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

/** An event in the array of its visitor's events. `text` is the value of a dimension, or the path. */
function valueEvent(scope: Scope, { dimension, goal, currency }: ValueSessions): SessionEvent {
  const text = isDimension(dimension) ? column(columnOf(dimension)) : sql`pathname`;
  const cents = currency === null ? sql`0` : sql`coalesce(if(currency = ${textCode(currency)}, revenue_amount, 0), 0)`;
  return {
    element: sql`CAST(
    (timestamp, segment, row, ${IS_PAGEVIEW}, ${IS_INTERACTION}, matching, ${hides(scope) ? sql`shared` : sql`1`},
      CASE WHEN ${meetsGoal(goal, scope)} THEN 1 ELSE 0 END, ${cents}, toString(${text})),
    'Tuple(ms Int64, segment UInt64, row UInt32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8, is_goal UInt8,
      cents Int64, text String)')`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

function valuesOfVisit(dimension: Dimension | SessionDimension): SqlText {
  if (isDimension(dimension)) return sql`arrayDistinct(arrayMap(event -> event.text, arrayFilter(event -> event.matching, visit)))`;
  const views = sql`arrayMap(event -> event.text, arrayFilter(event -> event.is_pageview, visit))`;
  return dimension === "entry-pages" ? sql`arraySlice(${views}, 1, 1)` : sql`arraySlice(${views}, -1)`;
}

export function valuesOfOrderedSessions(scope: Scope, _calendar: Calendar, asked: ValueSessions): SqlText {
  const { dimension, sessionGapMs, currency } = asked;
  const ofSessions = sql`
      SELECT value, count(*) AS pageviews, count(*) AS events${currency === null ? sql`` : sql`, sum(session_revenue) AS revenue`}
      FROM valued
      GROUP BY value`;
  return sql`
    WITH visits AS (
      SELECT visitor_id, arrayJoin(sessions) AS visit
      FROM (${orderedSessions({ events: rangedEvents(scope), hidesEvents: hides(scope), event: valueEvent(scope, asked), sessionGapMs })}) AS histories
    ),
    valued AS (
      SELECT
        visitor_id,
        arrayCount(event -> event.is_interaction, visit) AS session_interactions,
        arrayCount(event -> event.is_pageview, visit) AS session_pageviews,
        visit[-1].ms - visit[1].ms AS duration_ms,
        arrayExists(event -> event.is_goal, visit) AS is_converted,
        arraySum(event -> toInt128(event.cents), visit) AS session_revenue,
        arrayJoin(${valuesOfVisit(dimension)}) AS value
      FROM visits
      WHERE arrayExists(event -> event.matching, visit)
    ),
    described AS (SELECT value, ${valueSums(sql`is_converted = 1`)} FROM valued GROUP BY value),
    counted AS (${isDimension(dimension) ? eventCounts(scope, dimension, currency) : ofSessions})
    SELECT ${columnsOf(currency)} FROM described JOIN counted USING (value)`;
}

/** Rows `visitor_id`, `history`, an ordered array of tuples with `ms` and `met`. */
export const historiesOfVisitors = (scope: Scope, { steps, needed, withOthers }: StepEvents): SqlText => sql`
  SELECT visitor_id, arraySort(groupArray(event)) AS history
  FROM (
    SELECT visitor_id, met, CAST((timestamp, segment, row, met), 'Tuple(ms Int64, segment UInt64, row UInt32, met Int64)') AS event
    FROM (SELECT visitor_id, timestamp, segment, row, ${stepBitsSql(steps)} AS met FROM (${eventsIn(scope)}) AS scoped) AS marked
    WHERE ${withOthers ? sql`true` : sql`met <> 0`}
  ) AS met_events
  GROUP BY visitor_id
  HAVING bitAnd(groupBitOr(met), ${needed}) = ${needed}`;

/** Only events of visitors with a view of the page are sorted. */
export function neighboursInOrderedSessions(
  scope: Scope,
  _calendar: Calendar,
  sessionGapMs: number,
  { page, direction }: Neighbour,
): SqlText {
  const all = eventsIn({ ...scope, conditions: [] });
  const viewers = sql`SELECT visitor_id FROM (${all}) AS ranged_events WHERE ${stepSql(page)}`;
  const events = sql`SELECT * FROM (${rangedEvents(scope)}) AS ranged WHERE visitor_id IN (${viewers})`;
  const isHiding = hides(scope);
  const read = { events, hidesEvents: isHiding, event: pageEvents(isHiding, stepSql(page)), sessionGapMs };
  const neighbour = direction === "forward" ? sql`place + 1` : sql`place - 1`;
  return sql`
      WITH first_visits AS (
        SELECT arrayFirst(
          visit -> arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.viewed, visit),
          sessions
        ) AS visit
        FROM (${orderedSessions(read)}) AS histories
      ),
      views AS (
        SELECT arrayFilter(event -> event.is_pageview, visit) AS pages, arrayFirstIndex(event -> event.viewed, pages) AS place
        FROM first_visits
        WHERE notEmpty(visit)
      )
      SELECT
        ${neighbour} BETWEEN 1 AND length(pages) AS has_next,
        if(${neighbour} BETWEEN 1 AND length(pages), pages[${neighbour}].path, ${textCode(UNRECORDED)}) AS next_page,
        count(*) AS visitors
      FROM views
      GROUP BY has_next, next_page`;
}
