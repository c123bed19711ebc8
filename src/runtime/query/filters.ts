/** Filters: their notation. All conditions must hold (docs/http-api.md, "Filters"); `conditions.ts` has their SQL. */
import { AppError, invalidInput } from "../base/errors.ts";
import { exceedsChars } from "../base/text.ts";
import {
  FILTER_CONDITIONS_MAX,
  FILTER_EXPRESSIONS_MAX,
  FILTER_EXPRESSION_CHARS_MAX,
  FILTER_VALUES_MAX,
  FILTER_VALUE_CHARS_MAX,
} from "../base/config/report-limits.ts";
import { DIMENSIONS, isDimension, isSessionDimension, type Dimension } from "./dimensions.ts";
import type { SiteGoal } from "../sites/goal.ts";
import type { NamedGoal } from "./goal.ts";
import { compileInTurns, isKnownExpression, problemOfExpression, problemOfSize, type TextTest } from "./text-matching.ts";

/** Dimensions of whole sessions: a condition on them keeps all events of the sessions that meet it. */
export const SESSION_FILTERS = ["entry-page", "exit-page", "goal"] as const;
export type SessionFilter = (typeof SESSION_FILTERS)[number];

/** Begins a condition on a custom property: `props:<key>`. */
export const PROPERTY_PREFIX = "props:";

export type FilterDimension = Dimension | SessionFilter | `${typeof PROPERTY_PREFIX}${string}`;

export interface Condition {
  /** The key of a property is decoded. */
  readonly dimension: FilterDimension;
  /** Of the stored value. `is` has the value `(unknown)` for what was not recorded; other tests fail then. */
  readonly test: TextTest;
  /** Whether the test must fail. */
  readonly isNegated: boolean;
  /** The site's goals, of a condition on `goal` (`conditionsOn`). */
  readonly goals?: readonly NamedGoal[];
}

/** What is written between `=` or `=!`, and `=`. */
export const OPERATORS = { in: "is", contains: "contains", begins: "begins", like: "like", matches: "matches" } as const;
type Operator = keyof typeof OPERATORS;

const isOperator = (name: string): name is Operator => Object.hasOwn(OPERATORS, name);

const problem = (text: string): AppError => invalidInput(`"filters": ${text}`);

const tooManyValues = (): AppError => invalidInput(`"filters" must have at most ${FILTER_VALUES_MAX} values in all conditions`);

export const isSessionFilter = (name: string): name is SessionFilter => (SESSION_FILTERS as readonly string[]).includes(name);

/** A value or a key of a property, in which some characters are written as %2C. */
function decoded(written: string, what: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    throw problem(`${what} has a "%" that begins no escape: write %25 for "%", %3B for ";" and %2C for ","`);
  }
}

function parseDimension(name: string): FilterDimension {
  if (isDimension(name) || isSessionFilter(name)) return name;
  if (isSessionDimension(name)) throw problem(`the dimension "${name}" cannot be filtered on`);
  if (!name.startsWith(PROPERTY_PREFIX)) {
    throw problem(
      `there is no dimension "${name}"; there are ${[...DIMENSIONS, ...SESSION_FILTERS].join(", ")} and ${PROPERTY_PREFIX}<key>`,
    );
  }
  const key = decoded(name.slice(PROPERTY_PREFIX.length), "the key of a property");
  if (exceedsChars(key, FILTER_VALUE_CHARS_MAX))
    throw problem(`the key of a property must be at most ${FILTER_VALUE_CHARS_MAX} characters`);
  return `${PROPERTY_PREFIX}${key}`;
}

const BRACKETS = ["()", "[]", "{}"] as const;

/**
 * Whether each bracket in the text has its other one, so that it may be a whole expression. Escaped brackets count among themselves:
 * without the other one they would be an expression as well, but a comma between the two is more likely to be part of one.
 */
function isBalanced(expression: string): boolean {
  const unescaped = expression.replaceAll(/\\./gs, "");
  const escapedOnly = (expression.match(/\\./gs) ?? []).join("");
  return [unescaped, escapedOnly].every((text) =>
    BRACKETS.every(([open = "", close = ""]) => text.split(open).length === text.split(close).length),
  );
}

/** A list may be a regular expression as well: without a comma it is one, and else its expressions have to be whole. */
function expressionsIn(listed: readonly string[], written: string, dimension: string): readonly string[] {
  if (listed.length === 1 && listed[0] !== "") return [written];
  if (listed.every(isBalanced)) return listed;
  throw problem(
    `the value for "${dimension}" begins and ends like a list, but its commas cut a regular expression in parts: ` +
      "write %2C for a comma of an expression, %28 and %29 for the parentheses around one, and %28, %5B or %7B for a bracket without its other one",
  );
}

/** The values of one of `OPERATORS`: a list in parentheses, or one value. */
function valuesIn(written: string, dimension: string, operator: Operator): readonly string[] {
  const isList = written.startsWith("(") && written.endsWith(")") && written.length > 1;
  const listed = isList ? written.slice(1, -1).split(",", FILTER_VALUES_MAX + 1) : null;
  const values = listed === null ? [written] : operator === "matches" ? expressionsIn(listed, written, dimension) : listed;
  if (values.length > FILTER_VALUES_MAX) throw tooManyValues();
  return [...new Set(values.map((value) => decoded(value, `the value for "${dimension}"`)))].sort();
}

function checkValue(value: string, dimension: string): void {
  if (value === "") throw problem(`the condition on "${dimension}" has an empty value`);
  if (exceedsChars(value, FILTER_VALUE_CHARS_MAX)) {
    throw problem(`the value for "${dimension}" must be at most ${FILTER_VALUE_CHARS_MAX} characters`);
  }
}

interface Expression {
  readonly value: string;
  /** Begins a message about it. */
  readonly what: string;
}

const expressionsOf = ({ dimension, test: { kind, values } }: Condition): Expression[] =>
  kind === "matches" ? values.map((value) => ({ value, what: `the regular expression for "${dimension}"` })) : [];

/** Without compiling any of them: filters are parsed on the thread that takes events, and before a query has a slot. */
function checkExpressions(conditions: readonly Condition[]): void {
  const expressions = conditions.flatMap(expressionsOf);
  if (expressions.length > FILTER_EXPRESSIONS_MAX) {
    throw invalidInput(`"filters" must have at most ${FILTER_EXPRESSIONS_MAX} regular expressions in all conditions`);
  }
  for (const { value, what } of expressions) {
    if (exceedsChars(value, FILTER_EXPRESSION_CHARS_MAX))
      throw problem(`${what} must be at most ${FILTER_EXPRESSION_CHARS_MAX} characters`);
    const found = problemOfSize(value);
    if (found !== null) throw problem(`${what} ${found}`);
  }
}

/** What a turn of the thread is for: a few milliseconds at most. */
type InTurn = <Result>(work: () => Result) => Promise<Result>;

/** 400 for what is no regular expression. Each is compiled in a turn of its own, and the tests of goals are then ready to be used. */
export async function checkSyntax(conditions: readonly Condition[], inTurn: InTurn): Promise<void> {
  for (const condition of conditions) {
    for (const { value, what } of expressionsOf(condition)) {
      const check = () => problemOfExpression(value);
      const found = isKnownExpression(value) ? check() : await inTurn(check);
      if (found !== null) throw problem(`${what} ${found}`);
    }
    if (condition.dimension === "goal" && condition.test.kind === "matches") await compileInTurns(condition.test, inTurn);
  }
}

interface WrittenCondition {
  readonly name: string;
  readonly operator: Operator;
  readonly isNegated: boolean;
  /** Decoded. */
  readonly values: readonly string[];
}

/** `=` and `=!` cannot be in a name. Names and operators are short, so that none of these searches is long. */
function splitCondition(text: string): WrittenCondition {
  const [, plainName = "", plain, value = ""] = /^([^=!]*)(==|!=)(.*)$/s.exec(text) ?? [];
  if (plain) return { name: plainName, operator: "in", isNegated: plain === "!=", values: [value] };
  const [, name = "", negation, operator = "", written = ""] = /^([^=!]*)=(!?)([a-z]*)=(.*)$/s.exec(text) ?? [];
  if (isOperator(operator)) return { name, operator, isNegated: negation === "!", values: valuesIn(written, name, operator) };
  throw problem(
    `the condition "${text}" has no operator; use dimension==value or dimension!=value, or one of ` +
      `${Object.keys(OPERATORS).join(", ")} as in dimension=${Object.keys(OPERATORS)[1] ?? ""}=value`,
  );
}

function parseCondition(text: string): Condition {
  const { name, operator, isNegated, values } = splitCondition(text);
  const dimension = parseDimension(name);
  for (const value of values) checkValue(value, name);
  return { dimension, test: { kind: OPERATORS[operator], values }, isNegated };
}

const escaped = (text: string, characters: RegExp): string => text.replaceAll(characters, encodeURIComponent);

const dimensionText = (dimension: FilterDimension): string =>
  dimension.startsWith(PROPERTY_PREFIX)
    ? PROPERTY_PREFIX + encodeURIComponent(dimension.slice(PROPERTY_PREFIX.length)).replaceAll("!", "%21")
    : dimension;

/** Canonical: equal for equal conditions. */
function formatted({ dimension, test: { kind, values }, isNegated }: Condition): string {
  const name = dimensionText(dimension);
  const [first = ""] = values;
  if (kind === "is" && values.length === 1 && !first.includes(";")) return `${name}${isNegated ? "!=" : "=="}${first}`;
  const operator = Object.entries(OPERATORS).find(([, known]) => known === kind)?.[0] ?? "";
  // The brackets of an expression could look cut by the commas of the list.
  const written = values.map((value) =>
    escaped(value, kind === "matches" && values.length > 1 ? /[%;,()[\]{}]/g : /[%;,()]/g)
      .replaceAll("(", "%28")
      .replaceAll(")", "%29"),
  );
  return `${name}=${isNegated ? "!" : ""}${operator}=${written.length === 1 ? written.join("") : `(${written.join(",")})`}`;
}

/** The conditions as in the parameter `filters`. */
export const filterText = (conditions: readonly Condition[]): string => conditions.map(formatted).join(";");

/** Sorted and without duplicates, so that equivalent filters are equal. */
export function distinctConditions(conditions: readonly Condition[]): readonly Condition[] {
  const distinct = new Map(conditions.map((condition) => [formatted(condition), condition]));
  return [...distinct].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, condition]) => condition);
}

/** The distinct conditions; 400 for invalid ones, except that nothing is compiled (`checkSyntax`). */
export function parseSegmentFilter(text: string | null): readonly Condition[] {
  if (text === null || text === "") return [];
  const written = text.split(";", FILTER_CONDITIONS_MAX + 1);
  if (written.length > FILTER_CONDITIONS_MAX) throw invalidInput(`"filters" must have at most ${FILTER_CONDITIONS_MAX} conditions`);
  const conditions = written.map(parseCondition);
  checkExpressions(conditions);
  if (conditions.reduce((sum, { test: { values } }) => sum + values.length, 0) > FILTER_VALUES_MAX) {
    throw tooManyValues();
  }
  return distinctConditions(conditions);
}

/** The conditions with what they mean for a site. */
export function conditionsOn(conditions: readonly Condition[], goals: () => readonly SiteGoal[]): readonly Condition[] {
  if (!conditions.some(({ dimension }) => dimension === "goal")) return conditions;
  const named = goals().map(({ fields: { name, goal } }) => ({ name, goal }));
  return conditions.map((condition) => (condition.dimension === "goal" ? { ...condition, goals: named } : condition));
}

/** Equal for equal conditions. Every condition on goals has all goals of the site, so they are written once. */
export function keyOfConditions(conditions: readonly Condition[]): unknown {
  const lists = new Set(conditions.flatMap(({ goals }) => (goals ? [goals] : [])));
  return [conditions.map(({ goals: _goals, ...condition }) => condition), ...lists];
}
