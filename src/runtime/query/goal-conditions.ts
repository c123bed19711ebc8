/**
 * Conditions on the goals that a session reaches: by their names, `(unknown)` without any. Each event is compared with each goal once,
 * however many conditions there are, so that a statement has the size of goals plus conditions.
 */
import { UNRECORDED } from "../../shared/filters.ts";
import { PAGEVIEW } from "../base/config/names.ts";
import type { Condition } from "./filters.ts";
import { goalSql } from "./goal.ts";
import { column, fragment, joinSql, sql, textCode, type SqlText } from "./sql.ts";
import { bitsSql } from "./steps.ts";
import { valuePasses } from "./text-conditions.ts";
import { compiledTest, type TextTest } from "./text-matching.ts";

type GoalCondition = Pick<Condition, "test" | "isNegated" | "goals">;

export interface GoalMarks {
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

const or = (tests: readonly SqlText[]): SqlText => (tests.length === 0 ? sql`false` : sql`(${joinSql(tests, " OR ")})`);

/** `props` is a SELECT of the column `props` of all events that are asked about. */
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
