/** Conditions in SQL: whether an event meets a filter, by what it recorded or by the session that it is part of (docs/reports.md, "Filters"). */
import { columnOf, isDimension } from "./dimensions.ts";
import { PROPERTY_PREFIX, isSessionFilter, type Condition } from "./filters.ts";
import { meetsSessionCondition, type SessionEvents } from "./session-conditions.ts";
import { column, joinSql, sql, type SqlText } from "./sql.ts";
import { UNRECORDED, propertyPasses, valuePasses } from "./text-conditions.ts";
import { ANY_TEXT, type TextTest } from "./text-matching.ts";

/** Whether an event's property passes. An event without the property has the value `(unknown)`. */
function meetsProperty(key: string, test: TextTest, props: SqlText): SqlText {
  const hasPassed = propertyPasses({ key, test }, props);
  if (test.kind !== "is" || !test.values.includes(UNRECORDED)) return hasPassed;
  return sql`(${hasPassed} OR NOT ${propertyPasses({ key, test: ANY_TEXT }, props)})`;
}

function passes({ dimension, test, goals }: Condition, events: SessionEvents): SqlText {
  if (isDimension(dimension)) return valuePasses(column(columnOf(dimension)), test);
  if (isSessionFilter(dimension)) return meetsSessionCondition(dimension, { test, goals }, events);
  return meetsProperty(dimension.slice(PROPERTY_PREFIX.length), test, events.props);
}

/**
 * Whether an event meets all conditions; true without conditions. Values that were not recorded have a code like any text (see
 * `EngineQuery`), so `!=` includes them.
 */
export function meetsConditions(conditions: readonly Condition[], events: SessionEvents): SqlText {
  if (conditions.length === 0) return sql`true`;
  const met = conditions.map((condition) => {
    const passed = passes(condition, events);
    return condition.isNegated ? sql`NOT ${passed}` : passed;
  });
  return joinSql(met, " AND ");
}
