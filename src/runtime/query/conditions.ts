/**
 * Conditions in SQL: whether an event meets a filter, by what it recorded or by the session that it is part of (docs/reports.md,
 * "Filters"), and the steps of funnels and sequences. DuckDB looks up tests of columns and properties among texts that were tested before (see `EngineQuery`).
 */
import { PROPERTY_PREFIX, UNRECORDED } from "../../shared/filters.ts";
import { CONDITIONS_MAX } from "../../shared/limits.ts";
import { normalizeHost, normalizeHostPart, normalizePath, normalizePathPart } from "../../shared/paths.ts";
import { unescapeCommas } from "../../shared/steps.ts";
import { exceedsChars } from "../../shared/text.ts";
import { MINUTE_MS } from "../../storage/event.ts";
import type { ArrivalRules } from "../arrivals/arrivals.ts";
import type { Config } from "../base/config/config.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import { STEP_CHARS_MAX } from "../base/config/report-limits.ts";
import { invalidInput } from "../base/errors.ts";
import { text } from "../base/json-schema.ts";
import type { Goal } from "../sites/goal.ts";
import {
  columnOf,
  type Condition,
  EVIDENCE_FILTER,
  isDimension,
  isSessionFilter,
  isVisitDimension,
  type SessionFilter,
  type ValueFilter,
  type VisitValue,
  visitValueOf,
} from "./filters.ts";
import { type Parameter, type ParameterDescription, required } from "./parameters.ts";
import {
  type ArrivalTest,
  column,
  type ColumnName,
  type EventValue,
  fragment,
  joinSql,
  type PropertyTest,
  resultColumn,
  sql,
  type SqlText,
  textCode,
} from "./sql.ts";
import { ANY_TEXT, compiledTest, type TextTest } from "./text-matching.ts";

const isBitOf = (test: SqlText): SqlText => sql`(tests & CAST(${test} AS BIGINT)) <> 0`;

/** True if the text of a column equals one of the values, of which one may be that it was not recorded. */
function equalsText(code: SqlText, values: readonly string[]): SqlText {
  const codes = values.map((value) => sql`${textCode(value)}`);
  return codes.length === 1 ? sql`${code} = ${joinSql(codes, ", ")}` : sql`${code} IN (${joinSql(codes, ", ")})`;
}

/**
 * True if a column, or an expression over codes of texts, was recorded and passes the test. `of` is the column that it reads, if it is
 * known.
 */
export const matchesText = fragment((code: SqlText, of: EventValue | null, test: TextTest) => {
  const matches = test.isOfRule ? sql`matches_of_rules` : sql`matches`;
  return sql`${code} IN (SELECT code FROM ${matches} WHERE ${isBitOf(sql`${{ test, ...(of && { of }) }}`)})`;
});

/**
 * True if an event has a value of the property, and it passes the test. `props` is a SELECT of the column `props` of at least these events.
 */
export const propertyPasses = fragment(
  (propertyTest: PropertyTest, _props: SqlText) =>
    sql`props IN (SELECT props FROM matching_props WHERE ${isBitOf(sql`${{ propertyTest }}`)})`,
);

/** How the columns of pages spell their texts: whole ones and patterns, and parts. */
const SPELLINGS = {
  pathname: { whole: normalizePath, part: normalizePathPart },
  hostname: { whole: normalizeHost, part: normalizeHostPart },
} as const;

/** One object for each test, by which the engine knows it (see `EngineQuery`). */
const SPELLED = { pathname: new WeakMap<TextTest, TextTest>(), hostname: new WeakMap<TextTest, TextTest>() } as const;

/** The test with its values as the column spells them. Regular expressions are written for the stored spelling. */
function spelled(of: ColumnName | null, test: TextTest): TextTest {
  if ((of !== "pathname" && of !== "hostname") || test.kind === "matches") return test;
  const known = SPELLED[of].get(test);
  if (known !== undefined) return known;
  const { whole, part } = SPELLINGS[of];
  const isPart = test.kind === "contains" || test.kind === "begins" || (test.kind === "like" && of === "hostname");
  const values = test.values.map((value) => (value === UNRECORDED ? value : isPart ? part(value) : whole(value)));
  const asStored = { ...test, values: [...new Set(values)] };
  SPELLED[of].set(test, asStored);
  return asStored;
}

/** True if an arrival's name passes. `arrival` is a code of arrivals, ClickHouse's are hashes. */
export const arrivalPasses = fragment((arrival: SqlText, arrivalTest: ArrivalTest) => {
  const matches = arrivalTest.test.isOfRule ? sql`matching_arrivals_of_rules` : sql`matching_arrivals`;
  return sql`${arrival} IN (SELECT arrival FROM ${matches} WHERE ${isBitOf(sql`${{ arrivalTest }}`)})`;
});

/**
 * True if a value passes: a code in DuckDB, a text in ClickHouse, and as such never NULL. `of` is the column that it is from, if it is
 * known.
 */
export function valuePasses(value: SqlText, of: ColumnName | null, test: TextTest): SqlText {
  const asStored = spelled(of, test);
  return asStored.kind === "is" ? equalsText(value, asStored.values) : matchesText(value, of, asStored);
}

/** A step of a funnel or sequence: `page:/pricing` or `event:signup` in requests (docs/http-api.md, "Funnel"). */
export interface Step {
  readonly kind: "page" | "event";
  /** A path, where `*` matches any characters, or an event name. */
  readonly value: string;
}

/** The notation of a step, with commas unescaped. */
export const stepName = ({ kind, value }: Step): string => `${kind}:${value}`;

/** True if an event matches the step. */
export function stepSql({ kind, value }: Step): SqlText {
  if (kind === "event") return sql`${column("event_name")} = ${textCode(value)}`;
  const isOnPage = valuePasses(column("pathname"), "pathname", { kind: value.includes("*") ? "like" : "is", values: [value] });
  return sql`(${column("event_name")} = ${textCode(PAGEVIEW)} AND ${isOnPage})`;
}

/** A BIGINT with a bit for each test that an event passes; the first test is the lowest bit. */
export const bitsSql = (tests: readonly SqlText[]): SqlText =>
  joinSql(
    tests.map((test, i) => sql`CASE WHEN ${test} THEN CAST(${2 ** i} AS BIGINT) ELSE 0 END`),
    " + ",
  );

export const stepBitsSql = (steps: readonly Step[]): SqlText => bitsSql(steps.map(stepSql));

/** 400 if no page can have the path. `what` starts the message: the parameter, and the position in it. */
function checkPage(value: string, what: string): void {
  if (!/^[/*]/.test(value)) throw invalidInput(`${what} must name a path that begins with "/", or with the wildcard "*"`);
}

function checkLength(value: string, what: string): void {
  if (exceedsChars(value, STEP_CHARS_MAX)) throw invalidInput(`${what} must be at most ${STEP_CHARS_MAX} characters`);
}

function parseStep(written: string, what: string): Step {
  const [, kind, value = ""] = /^(page|event):(.*)$/s.exec(unescapeCommas(written)) ?? [];
  if (kind !== "page" && kind !== "event") {
    throw invalidInput(`${what} must be page:<path> or event:<name>, with %2C for a comma in it; it is "${written}"`);
  }
  if (value === "") throw invalidInput(`${what} has nothing behind "${kind}:"`);
  checkLength(value, what);
  if (kind === "page") checkPage(value, what);
  return { kind, value };
}

export function parseSteps(value: string, name: string, stepsMin: number): readonly Step[] {
  const steps = value === "" ? [] : value.split(",");
  if (steps.length < stepsMin || steps.length > CONDITIONS_MAX) {
    throw invalidInput(
      `"${name}" must list ${stepsMin} to ${CONDITIONS_MAX} of page:<path> and event:<name>, joined by commas; there are ${steps.length}`,
    );
  }
  return steps.map((step, i) => parseStep(step, `"${name}": number ${i + 1}`));
}

/** Unbounded in characters, so that RE2 can compile it in a list: nested repetitions may come to 1,000 at most. */
const STEP = "(?:page:[/*][^,]*|event:[^,]+)";

export const STEP_NOTATION =
  "`page:<path>` is a page view of that path, where `*` matches any characters; `event:<name>` is an event of that name. " +
  "Steps are joined by commas; a comma in a step is written `%2C`, and a literal `%2C` is written `%252C`, before the encoding of the URL. " +
  `A path or name has at most ${STEP_CHARS_MAX} characters.`;

/** A list of steps in the OpenAPI document. `meaning` is the description of its schema. */
export const stepListDescription = (description: string, meaning: string, stepsMin: number): ParameterDescription => ({
  description,
  schema: text(meaning, { pattern: `^${STEP}(?:,${STEP}){${stepsMin - 1},${CONDITIONS_MAX - 1}}$` }),
  example: "page:/pricing,event:signup",
});

export const PAGE: Parameter<Step> = required(
  {
    description: "The path of a page, where `*` matches any characters.",
    schema: text("A path.", { pattern: "^[/*]", maxLength: STEP_CHARS_MAX }),
    example: "/",
  },
  (value, name) => {
    checkLength(value, `"${name}"`);
    checkPage(value, `"${name}"`);
    return { kind: "page", value };
  },
);

/** `props` is a SELECT of the column `props` of at least the events that are asked about. */
export function goalSql(goal: Goal, props: SqlText): SqlText {
  if ("page" in goal) return stepSql({ kind: "page", value: goal.page });
  const isEvent = stepSql({ kind: "event", value: goal.event });
  if (goal.property === null) return isEvent;
  const { key, value } = goal.property;
  return sql`(${isEvent} AND ${propertyPasses({ key, test: { kind: "is", values: [value] } }, props)})`;
}

type GoalCondition = Pick<Condition, "test" | "isNegated" | "goals">;

interface GoalMarks {
  /** Columns of an event, from which `bits` are made. */
  readonly columns: SqlText;
  /** A BIGINT with a bit for each condition whose test an event passes, and one for an event that reaches any goal. */
  readonly bits: SqlText;
  /** True if a session meets all conditions. `isReached` tells whether one of its events has the bit of that position. */
  readonly isMet: (isReached: (position: number) => SqlText) => SqlText;
  /** A session meets them of which no event has a bit. */
  readonly isMetWithoutBits: boolean;
}

/** True if sessions that reach no goal at all meet the condition. */
const asksForNoGoal = ({ test: { kind, values } }: GoalCondition): boolean => kind === "is" && values.includes(UNRECORDED);

/** The column `reached` has a bit for each goal. */
export const reachesAny = fragment((mask: number) => sql`(reached & CAST(${mask} AS BIGINT)) <> 0`);

/** Events that are no goal of the site are goals by their names: the column `other_name`, `(unknown)` for all others. */
function otherName(goalNames: readonly string[]): SqlText {
  const known = [PAGEVIEW, UNRECORDED, ...goalNames].map((name) => sql`${textCode(name)}`);
  const name = column("event_name");
  return sql`CASE WHEN ${name} IN (${joinSql(known, ", ")}) THEN ${textCode(UNRECORDED)} ELSE ${name} END`;
}

/** True if the name of an event that is no goal of the site passes. */
function otherPasses({ kind, values }: TextTest): SqlText[] {
  const wanted = kind === "is" ? values.filter((value) => value !== UNRECORDED) : values;
  return wanted.length === 0 ? [] : [valuePasses(sql`other_name`, "event_name", { kind, values: wanted })];
}

export const or = (tests: readonly SqlText[]): SqlText => (tests.length === 0 ? sql`false` : sql`(${joinSql(tests, " OR ")})`);

/**
 * Conditions on the goals that a session reaches: by their names, `(unknown)` without any. Each event is compared with each goal once,
 * however many conditions there are, so a statement has the size of goals plus conditions. `props` is a SELECT of the column `props` of all
 * events that are asked about.
 */
export function goalMarks(conditions: readonly GoalCondition[], props: SqlText): GoalMarks {
  // Those of the site, and so the same for all conditions.
  const goals = conditions[0]?.goals ?? [];
  const isAnyAsked = conditions.some(asksForNoGoal);
  const passing = conditions.map(({ test }) => goals.filter(({ name }) => compiledTest(test)(name)));
  const compared = isAnyAsked ? goals : [...new Set(passing.flat())];
  const reached = compared.length === 0 ? sql`0` : bitsSql(compared.map(({ goal }) => goalSql(goal, props)));
  const tests = conditions.map(({ test }, i) => {
    const positions = (passing[i] ?? []).map((goal) => compared.indexOf(goal));
    return or([
      ...(positions.length > 0 ? [reachesAny(positions.reduce((sum, position) => sum + 2 ** position, 0))] : []),
      ...otherPasses(test),
    ]);
  });
  const any = sql`(reached <> 0 OR other_name <> ${textCode(UNRECORDED)})`;
  return {
    columns: sql`${reached} AS reached, ${otherName(goals.map(({ name }) => name))} AS other_name`,
    bits: bitsSql(isAnyAsked ? [...tests, any] : tests),
    isMet: (isReached) =>
      joinSql(
        conditions.map((condition, i) => {
          const met = asksForNoGoal(condition) ? sql`(${isReached(i)} OR NOT ${isReached(tests.length)})` : isReached(i);
          return condition.isNegated ? sql`NOT ${met}` : met;
        }),
        " AND ",
      ),
    isMetWithoutBits: conditions.every((condition) => asksForNoGoal(condition) !== condition.isNegated),
  };
}

/** The events of a range of whole salt periods, by which its sessions are judged. */
export interface SessionEvents {
  readonly rules: SessionRules;
  readonly arrivalRules: ArrivalRules;
  readonly props: SqlText;
  /** A SELECT of those that are shared, up to the cut of the range. */
  readonly shown: SqlText;
  /** These are all events of the range, so that the relation `sessions` describes its sessions. */
  readonly areAllShown: boolean;
  /** ClickHouse: the same SELECT plus the events that are not shared, with `shared` if there are any. */
  readonly ordered: SqlText;
  readonly hidesEvents: boolean;
  readonly isInRange: SqlText;
}

export type SessionCondition = Condition & { readonly dimension: SessionFilter };

/** Rows of `sessions` plus `chain`, shared by all day-parts of one session. */
export const chainedParts = ({ rules: { sessionGapMs }, isInRange }: SessionEvents): SqlText => sql`
  SELECT session, visitor_id, first_ms, sum(begins) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) AS chain
  FROM (
    SELECT session, visitor_id, first_ms,
      CASE WHEN first_ms - lag(last_ms) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) <= ${sessionGapMs} THEN 0 ELSE 1 END AS begins
    FROM sessions
    WHERE ${isInRange}
  ) AS parts`;

export const hasBit = (position: number): SqlText => sql`(met & CAST(${2 ** position} AS BIGINT)) <> 0`;

function meetsByGoals(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const { columns, bits, isMet, isMetWithoutBits } = goalMarks(conditions, events.props);
  const marked = sql`
    SELECT session, bit_or(met) AS met
    FROM (SELECT session, ${bits} AS met FROM (SELECT session, ${columns} FROM (${events.shown}) AS shown) AS named) AS marked
    WHERE met <> 0
    GROUP BY session`;
  if (events.rules.rotationDays > 1) {
    return sql`session IN (
      SELECT session
      FROM (
        SELECT chained.session AS session, bit_or(coalesce(met, 0)) OVER (PARTITION BY visitor_id, chain) AS met
        FROM (${chainedParts(events)}) AS chained LEFT JOIN (${marked}) AS parts ON parts.session = chained.session
      ) AS wholes
      WHERE ${isMet(hasBit)})`;
  }
  const among = (isAmong: SqlText) => sql`session IN (SELECT session FROM (${marked}) AS parts WHERE ${isAmong})`;
  return isMetWithoutBits ? sql`NOT ${among(sql`NOT (${isMet(hasBit)})`)}` : among(isMet(hasBit));
}

/** What one of a session's events has. */
interface SessionValue {
  /** The column of `sessions`. */
  readonly ofSession: SqlText;
  /** An aggregate over the events of a session; NULL if none has it. */
  readonly ofEvents: SqlText;
  /** Picks that of a whole session from its day-parts. */
  readonly pick: SqlText;
  /** No cut takes the first event from a session. */
  readonly isOfFirstEvent: boolean;
}

export const EVENT_ORDER = sql`(timestamp, sequence_number)`;
export const IS_PAGEVIEW = sql`event_name = ${textCode(PAGEVIEW)}`;

/** An event other than a page view may say that it is no interaction (`interactive`). */
export const COUNT_INTERACTIONS = sql`count(*) FILTER (WHERE ${IS_PAGEVIEW} OR interactive IS NULL)`;

/** True of a session that is a bounce: one page view, and no other event that is an interaction. */
export const IS_BOUNCE = sql`pageviews = 1 AND interactions = 1`;

const firstValueIn = (name: EventValue): SessionValue => ({
  ofSession: resultColumn(`visit_${name}`),
  ofEvents: sql`arg_min(${column(name)}, ${EVENT_ORDER})`,
  pick: sql`arg_min`,
  isOfFirstEvent: true,
});

/** The column of events in which a value is, or by which it is named. */
export const columnOfValue = (value: VisitValue): EventValue => ("column" in value ? value.column : "arrival");

const firstValue = (value: VisitValue): SessionValue => firstValueIn(columnOfValue(value));

function sessionValueOf(filter: ValueFilter): SessionValue {
  if (isVisitDimension(filter)) return firstValue(visitValueOf(filter));
  const [ofSession, pick] = filter === "entry-page" ? [sql`entry_page`, sql`arg_min`] : [sql`exit_page`, sql`arg_max`];
  return { ofSession, pick, isOfFirstEvent: false, ofEvents: sql`${pick}(pathname, ${EVENT_ORDER}) FILTER (WHERE ${IS_PAGEVIEW})` };
}

interface NamedValue extends SessionValue {
  readonly name: SqlText;
}

/** `session` and the values of each day-part of a session, on its day; NULL without one. */
function valuesOfParts(values: readonly NamedValue[], { shown, areAllShown, hidesEvents, isInRange }: SessionEvents): SqlText {
  const selected = (of: "ofSession" | "ofEvents") =>
    joinSql(
      values.map((value) => sql`${value[of]} AS ${value.name}`),
      ", ",
    );
  const areOfFirst = values.every(({ isOfFirstEvent }) => isOfFirstEvent);
  if (areAllShown || (areOfFirst && !hidesEvents)) return sql`SELECT session, ${selected("ofSession")} FROM sessions WHERE ${isInRange}`;
  return sql`SELECT session, ${selected("ofEvents")} FROM (${shown}) AS shown GROUP BY session`;
}

/** DuckDB: `session` and `value`, that of the whole session, which all its day-parts have. A code, or an arrival; NULL without one. */
const sessionValues = (filter: ValueFilter, events: SessionEvents): SqlText =>
  valuesOfSessions([{ ...sessionValueOf(filter), name: sql`value` }], events);

/** `sessionValues` of what the first event has. */
export const firstValues = (value: VisitValue, events: SessionEvents): SqlText =>
  valuesOfSessions([{ ...firstValue(value), name: sql`value` }], events);

/** `firstValues` of several columns at once, by their names. */
export const firstValuesByColumn = (columns: readonly EventValue[], events: SessionEvents): SqlText =>
  valuesOfSessions(
    columns.map((name) => ({ ...firstValueIn(name), name: column(name) })),
    events,
  );

function valuesOfSessions(values: readonly NamedValue[], events: SessionEvents): SqlText {
  const parts = valuesOfParts(values, events);
  if (events.rules.rotationDays === 1) return parts;
  const picked = values.map(
    ({ pick, name }) => sql`
      ${pick}(${name}, first_ms) FILTER (WHERE ${name} IS NOT NULL) OVER (PARTITION BY visitor_id, chain) AS ${name}`,
  );
  return sql`
    SELECT chained.session AS session,${joinSql(picked, ", ")}
    FROM (${chainedParts(events)}) AS chained LEFT JOIN (${parts}) AS parts ON parts.session = chained.session`;
}

function sessionPasses(filter: ValueFilter, test: TextTest, { arrivalRules: rules }: SessionEvents): SqlText {
  const value = sql`coalesce(value, 0)`;
  if (!isVisitDimension(filter)) return valuePasses(value, "pathname", test);
  const read = visitValueOf(filter);
  return "column" in read ? valuePasses(value, read.column, test) : arrivalPasses(value, { name: read.name, rules, test });
}

export const negated = ({ isNegated }: SessionCondition, passed: SqlText): SqlText => (isNegated ? sql`NOT ${passed}` : passed);

type ValueCondition = SessionCondition & { readonly dimension: ValueFilter };

export const isOnValue = (condition: SessionCondition): condition is ValueCondition => condition.dimension !== "goal";

export const isOnGoal = (condition: SessionCondition): boolean => !isOnValue(condition);

function meetsInDuckdb(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const onGoals = conditions.filter(isOnGoal);
  const onValues = conditions.filter(isOnValue).map((condition) => {
    const { dimension, test } = condition;
    const values = sessionValues(dimension, events);
    return negated(condition, sql`session IN (SELECT session FROM (${values}) AS wholes WHERE ${sessionPasses(dimension, test, events)})`);
  });
  return joinSql(onGoals.length === 0 ? onValues : [...onValues, meetsByGoals(onGoals, events)], " AND ");
}

/**
 * True if the session of an event meets all conditions: by its entry or exit page, `(unknown)` without a page view, by what its first event
 * has, or by the goals that it reaches.
 */
export const meetsSessionConditions = fragment(meetsInDuckdb);

/** True if an event's property passes. An event without the property has the value `(unknown)`. */
function meetsProperty(key: string, test: TextTest, props: SqlText): SqlText {
  const hasPassed = propertyPasses({ key, test }, props);
  if (test.kind !== "is" || !test.values.includes(UNRECORDED)) return hasPassed;
  return sql`(${hasPassed} OR NOT ${propertyPasses({ key, test: ANY_TEXT }, props)})`;
}

export const isOnSession = (condition: Condition): condition is SessionCondition => isSessionFilter(condition.dimension);

/** True if an event's evidence passes: for `==`, if it has the code. An event without any has the value `(unknown)`. */
function meetsEvidence(test: TextTest): SqlText {
  const evidence = column("evidence");
  const hasPassed = valuePasses(evidence, "evidence", test);
  return test.kind === "word" && test.values.includes(UNRECORDED)
    ? sql`(${hasPassed} OR ${equalsText(evidence, [UNRECORDED])})`
    : hasPassed;
}

function passesByItself({ dimension, test }: Condition, props: SqlText): SqlText {
  if (isDimension(dimension)) return valuePasses(column(columnOf(dimension)), columnOf(dimension), test);
  return dimension === EVIDENCE_FILTER ? meetsEvidence(test) : meetsProperty(dimension.slice(PROPERTY_PREFIX.length), test, props);
}

const meetsByItself = (condition: Condition, props: SqlText): SqlText =>
  condition.isNegated ? sql`NOT ${passesByItself(condition, props)}` : passesByItself(condition, props);

/**
 * True if an event meets all conditions; true without conditions. Values that were not recorded have a code like any text (see
 * `EngineQuery`), so `!=` includes them.
 */
export function meetsConditions(conditions: readonly Condition[], events: SessionEvents): SqlText {
  if (conditions.length === 0) return sql`true`;
  const onSessions = conditions.filter(isOnSession);
  const met = conditions.filter((condition) => !isOnSession(condition)).map((condition) => meetsByItself(condition, events.props));
  return joinSql(onSessions.length === 0 ? met : [...met, meetsSessionConditions(onSessions, events)], " AND ");
}

/** The rules that decide which events of a visitor are one session (docs/reports.md, "Sessions"). */
export interface SessionRules {
  /** A longer pause between two events of a visitor starts a new session. */
  readonly sessionGapMs: number;
  /** Days of a salt period. With more than one, sessions continue past midnight. */
  readonly rotationDays: number;
}

export const sessionRulesOf = ({
  sessionWindowMinutes,
  visitorSaltRotationDays,
}: Pick<Config, "sessionWindowMinutes" | "visitorSaltRotationDays">): SessionRules => ({
  sessionGapMs: sessionWindowMinutes * MINUTE_MS,
  rotationDays: visitorSaltRotationDays,
});
