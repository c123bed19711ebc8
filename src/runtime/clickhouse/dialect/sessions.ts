/**
 * Sessions in ClickHouse, where no relation `sessions` is kept: the events of each visitor are collected in an array, sorted, and split
 * at pauses. Over 3,000,000 events of 600,000 visitors that took 0.4 to 0.7 s; window functions, which sort all events, 1.5 to 2.5 s.
 * Visitors are grouped where their events are, so a cluster does this on its shards.
 */
import type { Calendar } from "../../../storage/calendar.ts";
import { PAGEVIEW } from "../../base/config/names.ts";
import {
  type AdditiveDimension,
  type BreakdownDimension,
  columnOf,
  type Condition,
  isDimension,
  isSessionDimension,
  isVisitDimension,
  type VisitDimension,
  type VisitValue,
  type WaveRule,
  visitValueOf,
} from "../../query/filters.ts";
import {
  bitsSql,
  goalMarks,
  isOnGoal,
  isOnSession,
  isOnValue,
  arrivalPasses,
  negated,
  or,
  type SessionCondition,
  type SessionEvents,
  stepBitsSql,
  stepSql,
  valuePasses,
} from "../../query/conditions.ts";
import { isSuspect, isWave, leftOutBy, OF_OTHERS, testsOfRules } from "../../query/left-out-visits.ts";
import { eventsIn, hidesEvents as hides, rangedEvents, type Scope } from "../../query/scope.ts";
import { NO_ARRIVAL_RULES } from "../../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { column, joinSql, resultColumn, sql, SqlText, textCode } from "../../query/sql.ts";
import { countsOfVisits, type EventColumn, eventColumn, type VisitColumn } from "../../reports/measures/visits.ts";
import { ANY_TEXT, type TextTest } from "../../query/text-matching.ts";
import type { Neighbour } from "../../reports/flow.ts";
import type { StepEvents } from "../../reports/measures/step-events.ts";
import type { DescribedVisits } from "../../reports/measures/visit-sums.ts";
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

/** The scheme and host of an event's referrer, by which rules name an arrival. */
const REFERRER_HOST = sql`extract(toString(referrer), '^[^:]*:[/]{2}(?:[[][^]]*[]]|[^/?#:]*)')`;

/** The columns of an arrival, all texts. */
export const ARRIVAL_TEXTS = sql`${REFERRER_HOST} AS host, toString(utm_source) AS source, toString(utm_medium) AS medium, toString(click_id) AS click`;

/** A number for how an event arrived. Nobody gains from two arrivals with one number, which takes billions of them. */
export const ARRIVAL = sql`sipHash64(${REFERRER_HOST}, toString(utm_source), toString(utm_medium), toString(click_id))`;

/** The value that a visit has if the event is its first. */
function firstValue(value: VisitValue, rules: ArrivalRules): SqlText {
  if ("column" in value) return column(value.column);
  const { name } = value;
  if (name !== "referrer") return sql`${{ arrivalRules: rules, name }}`;
  return sql`if(${arrivalPasses(ARRIVAL, { name, rules, test: ANY_TEXT })}, toString(referrer), ${textCode(UNRECORDED)})`;
}

function firstPasses(value: VisitValue, test: TextTest, rules: ArrivalRules): SqlText {
  if ("column" in value) return valuePasses(column(value.column), value.column, test);
  // Rules see its host only.
  if (value.name === "referrer") return valuePasses(firstValue(value, rules), "referrer", test);
  return arrivalPasses(ARRIVAL, { name: value.name, rules, test });
}

/** An event in an array of its visitor's. The bits of `met` are what it meets. First and last ones need the order of events at the same time. */
function conditionEvent(met: SqlText, hidesEvents: boolean, withPages: boolean): SessionEvent {
  const shared = hidesEvents ? sql`shared` : sql`1`;
  const element = withPages
    ? sql`CAST(
    (timestamp, segment, row, ${met}, ${shared}, event_name = ${textCode(PAGEVIEW)}, toString(pathname)),
    'Tuple(ms Int64, segment UInt64, row UInt32, met Int64, shared UInt8, is_pageview UInt8, path String)')`
    : sql`CAST((timestamp, ${met}, ${shared}), 'Tuple(ms Int64, met Int64, shared UInt8)')`;
  return { element, timeMs: sql`event.ms`, isShared: sql`event.shared` };
}

/** A type as a literal of SQL. */
const typeSql = (type: string): SqlText => new SqlText([`'${type}'`]);

/** The bits below are those of conditions on goals, or of rules, of which there are few, and one more. */
const FIRST_BIT = 32;

const hasBit = (position: number): SqlText => sql`arrayExists(event -> bitTest(event.met, ${position}), visit)`;

const isOnPages = ({ dimension }: SessionCondition): boolean => dimension === "entry-page" || dimension === "exit-page";

/** Conditions on what one event of a visit has, for `visit`, an array of events. Those on first events add bits of events to `firsts`. */
function meetByValues(conditions: readonly SessionCondition[], firsts: SqlText[], rules: ArrivalRules): readonly SqlText[] {
  return conditions.filter(isOnValue).map((condition) => {
    const { dimension, test } = condition;
    if (!isVisitDimension(dimension)) return negated(condition, endsOn(dimension, test));
    const position = FIRST_BIT + firsts.push(firstPasses(visitValueOf(dimension), test, rules)) - 1;
    return negated(condition, sql`bitTest(visit[1].met, ${position})`);
  });
}

const bitsOfFirsts = (firsts: readonly SqlText[]): readonly SqlText[] =>
  firsts.map((passes, i) => sql`bitShiftLeft(toInt64(${passes}), ${FIRST_BIT + i})`);

/**
 * ClickHouse has no numbers of sessions: visitor and time of each event of the sessions that meet all conditions. The sessions are made
 * once for all of them: that takes most of the time.
 */
function momentsOf(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const { ordered, hidesEvents, props, rules, arrivalRules } = events;
  const onGoals = conditions.filter(isOnGoal);
  const goals = onGoals.length > 0 ? goalMarks(onGoals, props) : null;
  const firsts: SqlText[] = [];
  const met = meetByValues(conditions, firsts, arrivalRules);
  const bits = [...(goals ? [goals.bits] : []), ...bitsOfFirsts(firsts)];
  const event = conditionEvent(bits.length > 0 ? joinSql(bits, " + ") : sql`0`, hidesEvents, met.length > 0);
  const marked = goals ? sql`SELECT *, ${goals.columns} FROM (${ordered}) AS unmarked` : ordered;
  const sessions = orderedSessions({ events: marked, hidesEvents, event, sessionGapMs: rules.sessionGapMs });
  return momentsWhere(joinSql(goals ? [...met, goals.isMet(hasBit)] : met, " AND "), sessions);
}

/** Visitor and time of each event of the visits for which a condition holds. */
const momentsWhere = (condition: SqlText, sessions: SqlText): SqlText => sql`
    SELECT visitor_id, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
    FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${sessions}) AS histories) AS visits
    WHERE ${condition}`;

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

/**
 * An event in an array of its visitor's: the bits of `met` are what it meets. `origin` stands for its country and browser; a number for two
 * of them would take billions.
 */
function judgedEvent(met: SqlText, hidesEvents: boolean, withPages: boolean): SessionEvent {
  const [path, type] = withPages ? [sql`, toString(pathname)`, ", path String"] : [sql``, ""];
  return {
    element: sql`CAST(
    (timestamp, segment, row, ${met}, ${hidesEvents ? sql`shared` : sql`1`}, ${IS_PAGEVIEW}, ${IS_INTERACTION}, day,
      sipHash64(toString(country_code), toString(browser))${path}),
    ${typeSql(
      "Tuple(ms Int64, segment UInt64, row UInt32, met Int64, shared UInt8, is_pageview UInt8, is_interaction UInt8, day Int32, " +
        `origin UInt64${type})`,
    )})`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

const IS_BARE = sql`(arrayCount(event -> event.is_pageview, visit) = 1 AND arrayCount(event -> event.is_interaction, visit) = 1)`;

interface JudgedVisits {
  /** A SELECT of `visitor_id` and `sessions`. */
  readonly sessions: SqlText;
  /** True of a visit that is left out by itself. */
  readonly isNamed: SqlText;
}

/** A visit is left out by itself if an event has a code, or if a rule with filters names it: visits are made once for all of these rules. */
function judgedVisits(events: SessionEvents, lens: Condition): JudgedVisits {
  const { ordered, hidesEvents, arrivalRules, rules } = events;
  const { hasCode, byFilters, goals } = leftOutBy(lens);
  const { tests, isLeftOut } = testsOfRules(byFilters, goals, events);
  const firsts: SqlText[] = [];
  const meets = (conditions: readonly SessionCondition[]) => joinSql(meetByValues(conditions, firsts, arrivalRules), " AND ");
  const ofRules = byFilters.length === 0 ? [] : [isLeftOut({ hasBit, day: sql`visit[1].day`, isBare: IS_BARE, meets })];
  const ofCodes = hasCode === null ? [] : [hasBit(tests.length)];
  const marks = [...tests, ...(hasCode === null ? [] : [hasCode])];
  const bits = [...(marks.length === 0 ? [] : [bitsSql(marks)]), ...bitsOfFirsts(firsts)];
  const withPages = byFilters.some(({ conditions }) => conditions.filter(isOnSession).some(isOnPages));
  const event = judgedEvent(bits.length > 0 ? joinSql(bits, " + ") : sql`0`, hidesEvents, withPages);
  return {
    sessions: orderedSessions({ events: ordered, hidesEvents, event, sessionGapMs: rules.sessionGapMs }),
    isNamed: or([...ofCodes, ...ofRules]),
  };
}

/** A group of visits has those of its visits that are left out by themselves, and its bare ones, which are if it is a wave. */
const momentsWithWaves = ({ sessions, isNamed }: JudgedVisits, wave: WaveRule): SqlText => sql`
    SELECT moment.1 AS visitor_id, moment.2 AS ms
    FROM (
      SELECT arrayJoin(arrayFlatten(if(${isWave(wave)}, arrayConcat(named_ones, bare_ones), named_ones))) AS moment
      FROM (
        SELECT *, ${OF_OTHERS}
        FROM (
          SELECT *, ${isSuspect(wave)} AS is_suspect
          FROM (
            SELECT day, origin, count(*) AS visits, countIf(is_bare) AS bare, groupArrayIf(moments, is_bare) AS bare_ones,
              groupArrayIf(moments, is_named) AS named_ones
            FROM (
              SELECT visit[1].day AS day, visit[1].origin AS origin, ${isNamed} AS is_named, ${IS_BARE} AS is_bare,
                arrayMap(event -> (visitor_id, event.ms), visit) AS moments
              FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${sessions}) AS histories) AS visits
            ) AS judged_visits
            GROUP BY day, origin
          ) AS counted
        ) AS visit_groups
      ) AS compared
    ) AS left_out`;

/** Visitor and time of the events of visits that are left out. */
function leftOutMoments(events: SessionEvents, lens: Condition): SqlText {
  const visits = judgedVisits(events, lens);
  const { waves } = leftOutBy(lens);
  if (waves.length === 0) return momentsWhere(visits.isNamed, visits.sessions);
  return joinSql(
    waves.map((wave) => momentsWithWaves(visits, wave)),
    " UNION ALL ",
  );
}

export const isOfKeptOrderedVisit = (events: SessionEvents, lens: Condition): SqlText =>
  sql`(visitor_id, timestamp) ${lens.isNegated ? sql`IN` : sql`NOT IN`} (${leftOutMoments(events, lens)})`;

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

function textOf(dimension: BreakdownDimension, { arrivalRules = NO_ARRIVAL_RULES }: Scope): SqlText {
  if (isDimension(dimension)) return column(columnOf(dimension));
  return isVisitDimension(dimension) ? firstValue(visitValueOf(dimension), arrivalRules) : sql`pathname`;
}

/** An event in the array of its visitor's events. `text` is the value of a dimension, or the path. */
function valueEvent(scope: Scope, { dimension, goal, currency }: Omit<ValueSessions, "sessionGapMs">): SessionEvent {
  const text = textOf(dimension, scope);
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

function valuesOfVisit(dimension: BreakdownDimension): SqlText {
  if (isVisitDimension(dimension)) return sql`[visit[1].text]`;
  if (isDimension(dimension)) return sql`arrayDistinct(arrayMap(event -> event.text, arrayFilter(event -> event.matching, visit)))`;
  const views = sql`arrayMap(event -> event.text, arrayFilter(event -> event.is_pageview, visit))`;
  return dimension === "entry-pages" ? sql`arraySlice(${views}, 1, 1)` : sql`arraySlice(${views}, -1)`;
}

/** The types of columns in an event of an array; of all others text. */
const COLUMN_TYPES: Partial<Record<EventColumn, string>> = {
  day: "Int32",
  timestamp: "Int64",
  visitor_id: "UInt64",
  revenue_amount: "Nullable(Int64)",
};

function visitedEvent(scope: Scope, dimension: VisitDimension, columns: readonly EventColumn[]): SessionEvent {
  const values = columns.map((name) => (COLUMN_TYPES[name] ? eventColumn(name) : sql`toString(${eventColumn(name)})`));
  const types = columns.map((name) => `of_${name} ${COLUMN_TYPES[name] ?? "String"}`).join(", ");
  return {
    element: sql`CAST(
    (timestamp, segment, row, matching, ${hides(scope) ? sql`shared` : sql`1`}, toString(${textOf(dimension, scope)}), ${joinSql(values, ", ")}),
    ${typeSql(`Tuple(ms Int64, segment UInt64, row UInt32, matching UInt8, shared UInt8, text String, ${types})`)})`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

export function eventsOfOrderedVisits(scope: Scope, dimension: VisitDimension, columns: readonly EventColumn[]): SqlText {
  const event = visitedEvent(scope, dimension, columns);
  const { sessionGapMs = 0 } = scope.sessionRules ?? {};
  const read = { events: rangedEvents(scope), hidesEvents: hides(scope), event, sessionGapMs };
  const named = columns.map((name) => sql`event.${resultColumn(`of_${name}`)} AS ${eventColumn(name)}`);
  return sql`
    SELECT ${joinSql(named, ", ")}, visit_value
    FROM (
      SELECT visit[1].text AS visit_value, arrayJoin(arrayFilter(event -> event.matching, visit)) AS event
      FROM (SELECT arrayJoin(sessions) AS visit FROM (${orderedSessions(read)}) AS histories) AS visits
    ) AS visited_events`;
}

/** The counts of each value. Those of an entry or exit page are of its sessions. */
function countedBy(scope: Scope, { dimension, currency }: ValueSessions, ofSessions: SqlText): SqlText {
  if (isDimension(dimension)) return eventCounts(scope, dimension, currency);
  return isVisitDimension(dimension) ? countsOfVisits(scope, { dimension, currency }, false) : ofSessions;
}

/** Joined by visitor and time: all events of a visitor at one time are of one visit. */
export function eventsWithOrderedVisits(scope: Scope, columns: readonly VisitColumn[]): SqlText {
  if (columns.length === 0) return eventsIn(scope);
  const texts = columns.map(({ dimension }) => sql`toString(${textOf(dimension, scope)})`);
  const names = columns.map(({ name }) => name);
  const event = {
    element: sql`CAST(
    (timestamp, segment, row, ${hides(scope) ? sql`shared` : sql`1`}, ${joinSql(texts, ", ")}),
    ${typeSql(`Tuple(ms Int64, segment UInt64, row UInt32, shared UInt8, ${names.map((name) => `${name} String`).join(", ")})`)})`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
  const { sessionGapMs = 0 } = scope.sessionRules ?? {};
  const read = { events: rangedEvents(scope), hidesEvents: hides(scope), event, sessionGapMs };
  const firsts = names.map((name) => sql`visit[1].${resultColumn(name)} AS ${resultColumn(name)}`);
  return sql`
    SELECT scoped.*, ${joinSql(
      names.map((name) => sql`moments.${resultColumn(name)} AS ${resultColumn(name)}`),
      ", ",
    )}
    FROM (${eventsIn(scope)}) AS scoped
    JOIN (
      SELECT DISTINCT visitor_id, ${joinSql(firsts, ", ")}, arrayJoin(arrayMap(event -> event.ms, visit)) AS ms
      FROM (SELECT visitor_id, arrayJoin(sessions) AS visit FROM (${orderedSessions(read)}) AS histories) AS visits
    ) AS moments ON moments.visitor_id = scoped.visitor_id AND moments.ms = scoped.timestamp`;
}

export function channelsOfOrderedVisits(scope: Scope, _calendar: Calendar, sessionGapMs: number, proposed: ArrivalRules): SqlText {
  const { arrivalRules = NO_ARRIVAL_RULES } = scope;
  const [channel, later] = [arrivalRules, proposed].map((rules) => sql`toString(${firstValue({ name: "channel" }, rules)})`);
  const event = {
    element: sql`CAST(
    (timestamp, segment, row, ${channel ?? sql``}, ${later ?? sql``}),
    'Tuple(ms Int64, segment UInt64, row UInt32, channel String, proposed String)')`,
    timeMs: sql`event.ms`,
    isShared: sql`1`,
  };
  return sql`
    SELECT visit[1].channel AS channel, visit[1].proposed AS proposed, count(*) AS sessions
    FROM (
      SELECT arrayJoin(sessions) AS visit
      FROM (${orderedSessions({ events: rangedEvents(scope), hidesEvents: false, event, sessionGapMs })}) AS histories
    ) AS visits
    GROUP BY channel, proposed`;
}

/** An event of a visit. `text` is the value that the visit has if the event is its first, or the path. */
function describedEvent(scope: Scope, { dimension, goal, currency }: DescribedVisits): SessionEvent {
  const isPaid = currency ? sql`currency = ${textCode(currency)} AND revenue_amount IS NOT NULL` : sql`false`;
  const flag = (condition: SqlText) => sql`CASE WHEN ${condition} THEN 1 ELSE 0 END`;
  return {
    element: sql`CAST(
    (timestamp, segment, row, day, ${IS_PAGEVIEW}, ${IS_INTERACTION}, matching, ${hides(scope) ? sql`shared` : sql`1`},
      ${flag(meetsGoal(goal ?? null, scope))}, ${flag(isPaid)}, ${currency ? sql`if(${isPaid}, assumeNotNull(revenue_amount), 0)` : sql`0`},
      toString(${dimension ? textOf(dimension, scope) : sql`''`})),
    'Tuple(ms Int64, segment UInt64, row UInt32, day Int32, is_pageview UInt8, is_interaction UInt8, matching UInt8, shared UInt8,
      is_goal UInt8, is_paid UInt8, cents Int64, text String)')`,
    timeMs: sql`event.ms`,
    isShared: sql`event.shared`,
  };
}

/** The value of an array of a session's events: `visit`. */
function valueOfVisit(dimension: AdditiveDimension): SqlText {
  if (!isSessionDimension(dimension)) return sql`visit[1].text`;
  const pick = dimension === "entry-pages" ? sql`arrayFirst` : sql`arrayLast`;
  return sql`if(arrayExists(event -> event.is_pageview, visit), ${pick}(event -> event.is_pageview, visit).text, ${textCode(UNRECORDED)})`;
}

export function withOrderedVisits(scope: Scope, _calendar: Calendar, visits: DescribedVisits): SqlText {
  const { sessionGapMs, dimension, goal, currency } = visits;
  const read = { events: rangedEvents(scope), hidesEvents: hides(scope), event: describedEvent(scope, visits), sessionGapMs };
  const columns = [
    sql`toInt64(visit[1].day) AS day`,
    sql`visit[1].ms AS first_ms`,
    sql`arrayCount(event -> event.is_interaction, visit) AS interactions`,
    sql`arrayCount(event -> event.is_pageview, visit) AS pageviews`,
    sql`visit[-1].ms - visit[1].ms AS duration_ms`,
    ...(dimension ? [sql`${valueOfVisit(dimension)} AS value`] : []),
    ...(goal ? [sql`arrayExists(event -> event.is_goal, visit) AS is_converted`] : []),
    ...(currency
      ? [sql`arrayCount(event -> event.is_paid, visit) AS payments`, sql`arraySum(event -> toInt128(event.cents), visit) AS revenue`]
      : []),
  ];
  return sql`
  WITH visits AS (
    SELECT ${joinSql(columns, ", ")}
    FROM (SELECT arrayJoin(sessions) AS visit FROM (${orderedSessions(read)}) AS histories) AS ordered_visits
    WHERE arrayExists(event -> event.matching, visit)
  )`;
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
    counted AS (${countedBy(scope, asked, ofSessions)})
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
  { page, direction, repeats }: Neighbour,
): SqlText {
  const all = eventsIn({ ...scope, conditions: [] });
  const viewers = sql`SELECT visitor_id FROM (${all}) AS ranged_events WHERE ${stepSql(page)}`;
  const events = sql`SELECT * FROM (${rangedEvents(scope)}) AS ranged WHERE visitor_id IN (${viewers})`;
  const isHiding = hides(scope);
  const read = { events, hidesEvents: isHiding, event: pageEvents(isHiding, stepSql(page)), sessionGapMs };
  const neighbour = direction === "forward" ? sql`place + 1` : sql`place - 1`;
  const views = sql`arrayFilter(event -> event.is_pageview, visit)`;
  const steps =
    repeats === "keep"
      ? views
      : sql`arrayFilter((event, i) -> i = 1 OR event.path != ${views}[i - 1].path, ${views}, arrayEnumerate(${views}))`;
  return sql`
      WITH first_visits AS (
        SELECT arrayFirst(
          visit -> arrayExists(event -> event.matching, visit) AND arrayExists(event -> event.viewed, visit),
          sessions
        ) AS visit
        FROM (${orderedSessions(read)}) AS histories
      ),
      views AS (
        SELECT ${steps} AS pages, arrayFirstIndex(event -> event.viewed, pages) AS place
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
