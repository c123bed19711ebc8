/**
 * The visits that rules of a lens leave out, in SQL (docs/internals/lenses.md). Scopes judge them by all that their reader may see of the
 * days of the range.
 */
import { dayNumberOf } from "../../storage/calendar.ts";
import { OUTBOUND_CLICK, PAGEVIEW } from "../base/config/names.ts";
import {
  bitsSql,
  chainedParts,
  COUNT_INTERACTIONS,
  EVENT_ORDER,
  hasBit,
  IS_BOUNCE,
  IS_PAGEVIEW,
  isOnSession,
  matchesText,
  meetsConditions,
  meetsSessionConditions,
  or,
  type SessionCondition,
  type SessionEvents,
  valuePasses,
} from "./conditions.ts";
import type { CodesRule, Condition, FilterRule, LensRule, NamedGoal, WaveRule } from "./filters.ts";
import { column, fragment, joinSql, sql, type SqlText, textCode } from "./sql.ts";
import type { TextTest } from "./text-matching.ts";

/** What a lens leaves out, by kind. */
export function leftOutBy({ rules = [], goals = [] }: Pick<Condition, "rules" | "goals">) {
  const codes = rules.filter((rule): rule is Extract<LensRule, CodesRule> => "codes" in rule);
  return {
    hasCode: codes.length === 0 ? null : hasCode(codes),
    waves: rules.filter((rule): rule is Extract<LensRule, WaveRule> => "bareMin" in rule),
    byFilters: rules.filter((rule): rule is Extract<LensRule, FilterRule> => "conditions" in rule),
    goals,
  };
}

/** True if an event has a code for which its visit is left out. */
function hasCode(rules: readonly CodesRule[]): SqlText {
  const test: TextTest = { kind: "word", values: rules.flatMap(({ codes }) => codes), isOfRule: true };
  return matchesText(column("evidence"), "evidence", test);
}

/** True of a group of one day, country and browser, by its `visits` and how many of them are `bare`. */
export const isSuspect = ({ bareMin, barePercentMin }: WaveRule): SqlText =>
  sql`bare >= ${bareMin} AND 100 * bare >= ${barePercentMin} * visits`;

/** True of a suspect group, by the `other_visits` and the `other_active` ones of all groups of the day that are not suspect. */
export const isWave = ({ activeExpectedMin, timesFewer }: WaveRule): SqlText => sql`is_suspect AND other_active >= ${activeExpectedMin}
  AND visits * other_active >= ${activeExpectedMin} * other_visits
  AND ${timesFewer} * (visits - bare) * other_visits <= visits * other_active`;

/** Columns of a group that tell of the others of its day. */
export const OF_OTHERS = sql`
  sum(CASE WHEN is_suspect THEN 0 ELSE visits END) OVER (PARTITION BY day) AS other_visits,
  sum(CASE WHEN is_suspect THEN 0 ELSE visits - bare END) OVER (PARTITION BY day) AS other_active`;

/** A row for each day-part of a visit: what of it the reader may see. */
const partsOf = ({ shown, areAllShown, isInRange }: SessionEvents): SqlText =>
  areAllShown
    ? sql`
      SELECT session, day, interactions, pageviews, visit_country_code AS country, visit_browser AS agent
      FROM sessions
      WHERE ${isInRange}`
    : sql`
      SELECT session, min(day) AS day, ${COUNT_INTERACTIONS} AS interactions, count(*) FILTER (WHERE ${IS_PAGEVIEW}) AS pageviews,
        arg_min(${column("country_code")}, ${EVENT_ORDER}) AS country, arg_min(${column("browser")}, ${EVENT_ORDER}) AS agent
      FROM (${shown}) AS shown
      GROUP BY session`;

/** `session` of each day-part, and of its visit `visit` (the first part), `day`, `country`, `agent`, `interactions` and `pageviews`. */
function visitsOf(events: SessionEvents): SqlText {
  const parts = partsOf(events);
  if (events.rules.rotationDays === 1) return sql`SELECT *, session AS visit FROM (${parts}) AS parts`;
  return sql`
    SELECT chained.session AS session, min(chained.session) OVER whole AS visit, min(day) OVER whole AS day,
      arg_min(country, first_ms) OVER whole AS country, arg_min(agent, first_ms) OVER whole AS agent,
      sum(interactions) OVER whole AS interactions, sum(pageviews) OVER whole AS pageviews
    FROM (${chainedParts(events)}) AS chained JOIN (${parts}) AS parts ON parts.session = chained.session
    WINDOW whole AS (PARTITION BY visitor_id, chain)`;
}

/** A SELECT of `session`: all day-parts of the bare visits of waves. */
const sessionsInWaves = (events: SessionEvents, wave: WaveRule): SqlText => sql`
  WITH judged_visits AS MATERIALIZED (SELECT session, visit, day, country, agent, ${IS_BOUNCE} AS is_bare FROM (${visitsOf(events)}) AS visits),
  visit_groups AS (
    SELECT *, ${isSuspect(wave)} AS is_suspect
    FROM (
      SELECT day, country, agent, count(*) AS visits, count(*) FILTER (WHERE is_bare) AS bare
      FROM judged_visits
      WHERE session = visit
      GROUP BY day, country, agent
    ) AS counted
  ),
  waves AS (SELECT day, country, agent FROM (SELECT *, ${OF_OTHERS} FROM visit_groups) AS compared WHERE ${isWave(wave)})
  SELECT session FROM judged_visits JOIN waves USING (day, country, agent) WHERE is_bare`;

/** A SELECT of `session`: all day-parts of each visit with a code for which it is left out. */
function sessionsWithCode(events: SessionEvents, hasCodeOf: SqlText): SqlText {
  const parts = sql`SELECT DISTINCT session FROM (${events.shown}) AS shown WHERE ${hasCodeOf}`;
  if (events.rules.rotationDays === 1) return parts;
  return sql`
    SELECT session
    FROM (
      SELECT chained.session AS session, count(parts.session) OVER (PARTITION BY visitor_id, chain) AS parts_with_code
      FROM (${chainedParts(events)}) AS chained LEFT JOIN (${parts}) AS parts ON parts.session = chained.session
    ) AS wholes
    WHERE parts_with_code > 0`;
}

/**
 * True of an event that proves a person: an outbound click, or one of a goal. Of a goal with a property its event is enough: no report but
 * those of properties has to read them. Wildcards of all goals are one test.
 */
function provesPerson(goals: readonly NamedGoal[]): SqlText {
  const names = goals.flatMap(({ goal }) => ("event" in goal ? [goal.event] : []));
  const pages = goals.flatMap(({ goal }) => ("page" in goal ? [goal.page] : []));
  const onPages = (kind: "is" | "like", values: readonly string[]): readonly SqlText[] =>
    values.length === 0 ? [] : [valuePasses(column("pathname"), "pathname", { kind, values, isOfRule: true })];
  const isOnPage = [
    ...onPages(
      "is",
      pages.filter((page) => !page.includes("*")),
    ),
    ...onPages(
      "like",
      pages.filter((page) => page.includes("*")),
    ),
  ];
  const hasName = valuePasses(column("event_name"), "event_name", { kind: "is", values: [...new Set([OUTBOUND_CLICK, ...names])] });
  return isOnPage.length === 0 ? hasName : or([hasName, sql`event_name = ${textCode(PAGEVIEW)} AND ${or(isOnPage)}`]);
}

/** A visit, as SQL of a dialect. */
interface VisitSql {
  /** True if one of its events has the bit. */
  readonly hasBit: (position: number) => SqlText;
  readonly day: SqlText;
  readonly isBare: SqlText;
  readonly meets: (conditions: readonly SessionCondition[]) => SqlText;
}

/**
 * All rules with filters as tests of an event, each with a bit, and what makes of them whether a visit is left out: each event is compared
 * with each rule once, so a statement has the size of the rules.
 */
export function testsOfRules(rules: readonly FilterRule[], goals: readonly NamedGoal[], events: SessionEvents) {
  const tests: SqlText[] = [];
  const bitOf = (test: SqlText): number => tests.push(test) - 1;
  const judged = rules.map(({ conditions, ...rule }) => {
    const onEvents = conditions.filter((condition) => !isOnSession(condition));
    const onSessions = conditions.filter(isOnSession);
    return { ...rule, onSessions, bit: onEvents.length === 0 ? null : bitOf(meetsConditions(onEvents, events)) };
  });
  const proof = rules.some(({ sparesPeople }) => sparesPeople) ? bitOf(provesPerson(goals)) : null;
  const isLeftOut = ({ hasBit: has, day, isBare, meets }: VisitSql): SqlText =>
    or(
      judged.map(({ bit, onSessions, firstDate, lastDate, sparesPeople }) =>
        joinSql(
          [
            ...(bit === null ? [] : [has(bit)]),
            ...(onSessions.length === 0 ? [] : [meets(onSessions)]),
            ...(firstDate === null ? [] : [sql`${day} >= ${dayNumberOf(firstDate)}`]),
            ...(lastDate === null ? [] : [sql`${day} <= ${dayNumberOf(lastDate)}`]),
            ...(sparesPeople && proof !== null ? [isBare, sql`NOT ${has(proof)}`] : []),
          ],
          " AND ",
        ),
      ),
    );
  return { tests, isLeftOut };
}

/** A SELECT of `session`: all day-parts of each visit that a rule with filters names. */
function sessionsOfRules(events: SessionEvents, rules: readonly FilterRule[], goals: readonly NamedGoal[]): SqlText {
  const { tests, isLeftOut } = testsOfRules(rules, goals, events);
  const met = sql`coalesce(met, 0)`;
  const ofVisit = events.rules.rotationDays === 1 ? met : sql`bit_or(${met}) OVER (PARTITION BY visit)`;
  const marked = sql`
      SELECT session, bit_or(met) AS met
      FROM (SELECT session, ${tests.length === 0 ? sql`CAST(0 AS BIGINT)` : bitsSql(tests)} AS met FROM (${events.shown}) AS shown) AS marked
      WHERE met <> 0
      GROUP BY session`;
  return sql`
    SELECT session
    FROM (
      SELECT visits.session AS session, day, ${IS_BOUNCE} AS is_bare, ${ofVisit} AS met
      FROM (${visitsOf(events)}) AS visits LEFT JOIN (${marked}) AS parts ON parts.session = visits.session
    ) AS judged_visits
    WHERE ${isLeftOut({ hasBit, day: sql`day`, isBare: sql`is_bare`, meets: (conditions) => meetsSessionConditions(conditions, events) })}`;
}

/** True if the visit of an event is not left out; if the lens is negated, true if it is. */
export const isOfKeptVisit = fragment((events: SessionEvents, lens: Condition) => {
  const { hasCode: hasCodeOf, waves, byFilters, goals } = leftOutBy(lens);
  const leftOut = [
    ...(hasCodeOf === null ? [] : [sessionsWithCode(events, hasCodeOf)]),
    ...waves.map((wave) => sessionsInWaves(events, wave)),
    ...(byFilters.length === 0 ? [] : [sessionsOfRules(events, byFilters, goals)]),
  ];
  if (lens.isNegated) return or(leftOut.map((sessions) => sql`session IN (${sessions})`));
  return joinSql(
    leftOut.map((sessions) => sql`session NOT IN (${sessions})`),
    " AND ",
  );
});
