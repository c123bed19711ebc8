/** Conditions on sessions: those that begin or end on a page, or reach a goal. All events of a session meet such a condition, or none. */
import { PAGEVIEW } from "../base/config/names.ts";
import type { Condition, SessionFilter } from "./filters.ts";
import { goalMarks } from "./goal-conditions.ts";
import type { SessionRules } from "./session-rules.ts";
import { fragment, joinSql, sql, textCode, type SqlText } from "./sql.ts";
import { valuePasses } from "./text-conditions.ts";
import type { TextTest } from "./text-matching.ts";

/** The events of a range of whole salt periods, by which its sessions are judged. */
export interface SessionEvents {
  readonly rules: SessionRules;
  /** A SELECT of `props` of all events of the range. */
  readonly props: SqlText;
  /** A SELECT of those that are shared, up to the cut of the range. */
  readonly shown: SqlText;
  /** These are all events of the range, so that the relation `sessions` describes its sessions. */
  readonly areAllShown: boolean;
  /** ClickHouse: the same SELECT plus the events that are not shared, with `shared` if there are any. */
  readonly ordered: SqlText;
  readonly hidesEvents: boolean;
  /** A row of `sessions` is of the range. */
  readonly isInRange: SqlText;
}

/** A condition on sessions. */
export type SessionCondition = Condition & { readonly dimension: SessionFilter };

/** Rows of `sessions` plus `chain`, shared by all day-parts of one session. */
const chainedParts = ({ rules: { sessionGapMs }, isInRange }: SessionEvents): SqlText => sql`
  SELECT session, visitor_id, first_ms, sum(begins) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) AS chain
  FROM (
    SELECT session, visitor_id, first_ms,
      CASE WHEN first_ms - lag(last_ms) OVER (PARTITION BY visitor_id ORDER BY first_ms, session) <= ${sessionGapMs} THEN 0 ELSE 1 END AS begins
    FROM sessions
    WHERE ${isInRange}
  ) AS parts`;

const hasBit = (position: number): SqlText => sql`(met & CAST(${2 ** position} AS BIGINT)) <> 0`;

/** DuckDB: true if the session of an event meets all conditions on goals. */
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

/** DuckDB: the numbers of sessions that begin or end on a page that passes. */
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

export const negated = ({ isNegated }: SessionCondition, passed: SqlText): SqlText => (isNegated ? sql`NOT ${passed}` : passed);

type PageCondition = SessionCondition & { readonly dimension: "entry-page" | "exit-page" };

export const isOnPage = (condition: SessionCondition): condition is PageCondition => condition.dimension !== "goal";

export const isOnGoal = (condition: SessionCondition): boolean => !isOnPage(condition);

function meetsInDuckdb(conditions: readonly SessionCondition[], events: SessionEvents): SqlText {
  const onGoals = conditions.filter(isOnGoal);
  const onPages = conditions.filter(isOnPage).map((condition) => {
    const { dimension, test } = condition;
    return negated(condition, sql`session IN (${sessionsOfPage(dimension, test, events)})`);
  });
  return joinSql(onGoals.length === 0 ? onPages : [...onPages, meetsByGoals(onGoals, events)], " AND ");
}

/**
 * True if the session of an event meets all conditions: by its entry or exit page, `(unknown)` without a page view, or by the goals that it
 * reaches.
 */
export const meetsSessionConditions = fragment(meetsInDuckdb);
