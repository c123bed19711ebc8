/** Conditions in SQL: whether an event meets a filter, by what it recorded or by the session that it is part of (docs/reports.md, "Filters"). */
import { PROPERTY_PREFIX, UNRECORDED } from "../../shared/filters.ts";
import { columnOf, isDimension } from "./dimensions.ts";
import { isSessionFilter, type Condition } from "./filters.ts";
import { meetsSessionConditions, type SessionCondition, type SessionEvents } from "./session-conditions.ts";
import { column, joinSql, sql, type SqlText } from "./sql.ts";
import { propertyPasses, valuePasses } from "./text-conditions.ts";
import { ANY_TEXT, type TextTest } from "./text-matching.ts";

/** True if an event's property passes. An event without the property has the value `(unknown)`. */
function meetsProperty(key: string, test: TextTest, props: SqlText): SqlText {
  const hasPassed = propertyPasses({ key, test }, props);
  if (test.kind !== "is" || !test.values.includes(UNRECORDED)) return hasPassed;
  return sql`(${hasPassed} OR NOT ${propertyPasses({ key, test: ANY_TEXT }, props)})`;
}

const isOnSession = (condition: Condition): condition is SessionCondition => isSessionFilter(condition.dimension);

/** True if an event meets a condition on what it recorded. */
function meetsByItself({ dimension, test, isNegated }: Condition, props: SqlText): SqlText {
  const passed = isDimension(dimension)
    ? valuePasses(column(columnOf(dimension)), columnOf(dimension), test)
    : meetsProperty(dimension.slice(PROPERTY_PREFIX.length), test, props);
  return isNegated ? sql`NOT ${passed}` : passed;
}

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
