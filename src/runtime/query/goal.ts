/** SQL that tests an event against a goal. */
import type { Goal } from "../sites/goal.ts";
import { sql, type SqlText } from "./sql.ts";
import { stepSql } from "./steps.ts";
import { propertyPasses } from "./text-conditions.ts";

export interface NamedGoal {
  readonly name: string;
  readonly goal: Goal;
}

/** `props` is a SELECT of the column `props` of at least the events that are asked about. */
export function goalSql(goal: Goal, props: SqlText): SqlText {
  if ("page" in goal) return stepSql({ kind: "page", value: goal.page });
  const isEvent = stepSql({ kind: "event", value: goal.event });
  if (goal.property === null) return isEvent;
  const { key, value } = goal.property;
  return sql`(${isEvent} AND ${propertyPasses({ key, test: { kind: "is", values: [value] } }, props)})`;
}
