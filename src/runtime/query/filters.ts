/** Filters: their syntax and SQL. All conditions on dimensions must hold (docs/http-api.md, "Filters"). */
import { AppError, invalidInput } from "../errors.ts";
import { exceedsChars } from "../config/code-points.ts";
import { FILTER_CONDITIONS_MAX, FILTER_VALUE_CHARS_MAX } from "../config/report-limits.ts";
import { DIMENSIONS, columnOf, isDimension, isSessionDimension, type Dimension } from "./dimensions.ts";
import { column, joinSql, sql, textCode, type SqlText } from "./sql.ts";

export interface Condition {
  readonly dimension: Dimension;
  readonly operator: "==" | "!=";
  /** The stored value; `(unknown)` for values that were not recorded. */
  readonly value: string;
}

function unknownDimension(name: string): AppError {
  if (isSessionDimension(name)) {
    return invalidInput(`"filters": the dimension "${name}" cannot be filtered on`);
  }
  return invalidInput(`"filters": there is no dimension "${name}"; there are ${DIMENSIONS.join(", ")}`);
}

function parseCondition(text: string): Condition {
  const match = /^([^=!]*)(==|!=)(.*)$/s.exec(text);
  if (!match) throw invalidInput(`"filters": the condition "${text}" has no operator; use dimension==value or dimension!=value`);
  const [, dimension = "", operator = "", value = ""] = match;
  if (!isDimension(dimension)) throw unknownDimension(dimension);
  if (value === "") throw invalidInput(`"filters": the condition on "${dimension}" has an empty value`);
  if (exceedsChars(value, FILTER_VALUE_CHARS_MAX)) {
    throw invalidInput(`"filters": the value for "${dimension}" must be at most ${FILTER_VALUE_CHARS_MAX} characters`);
  }
  return { dimension, operator: operator === "==" ? "==" : "!=", value };
}

const formatted = ({ dimension, operator, value }: Condition): string => `${dimension}${operator}${value}`;

/** The conditions as in the parameter `filters`. */
export const filterText = (conditions: readonly Condition[]): string => conditions.map(formatted).join(";");

/** Sorted and without duplicates, so that equivalent filters are equal. */
export function distinctConditions(conditions: readonly Condition[]): readonly Condition[] {
  const distinct = new Map(conditions.map((condition) => [formatted(condition), condition]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, condition]) => condition);
}

/** The distinct conditions; 400 for invalid ones. */
export function parseSegmentFilter(text: string | null): readonly Condition[] {
  if (text === null || text === "") return [];
  const conditions = text.split(";", FILTER_CONDITIONS_MAX + 1);
  if (conditions.length > FILTER_CONDITIONS_MAX) {
    throw invalidInput(`"filters" must have at most ${FILTER_CONDITIONS_MAX} conditions`);
  }
  return distinctConditions(conditions.map(parseCondition));
}

/**
 * Values that were not recorded have a code like any text (see `EngineQuery`), so `!=` includes them, and `(unknown)`
 * needs no special case.
 */
function conditionSql({ dimension, operator, value }: Condition): SqlText {
  const name = column(columnOf(dimension));
  return operator === "==" ? sql`${name} = ${textCode(value)}` : sql`${name} <> ${textCode(value)}`;
}

/** Whether an event meets all conditions; true without conditions. */
export const matchesSql = (conditions: readonly Condition[]): SqlText =>
  conditions.length === 0 ? sql`true` : joinSql(conditions.map(conditionSql), " AND ");
