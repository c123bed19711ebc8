/** The notation of filters: conditions joined by `;`, each with a dimension, an operator and values (docs/http-api.md, "Filters"). */
import { FILTER_VALUES_MAX } from "./limits.ts";

/** Written between `=` or `=!` and `=`. The first is also written `==` and `!=`. */
export const OPERATORS = ["in", "contains", "begins", "like", "matches"] as const;
export type Operator = (typeof OPERATORS)[number];

/** Begins the dimension of a custom property: `props:<key>`. */
export const PROPERTY_PREFIX = "props:";

/** Stands for a value that was not recorded. DuckDB encodes it as 0, which is not a text; ClickHouse stores these words. */
export const UNRECORDED = "(unknown)";

export interface Filter {
  /** The dimension as written, so possibly an unknown one. The key of a property is decoded. */
  readonly dimension: string;
  readonly operator: Operator;
  readonly isNot: boolean;
  /** A text passes with any of them. Sorted and distinct; may be empty texts. */
  readonly values: readonly string[];
}

/** The text is not a filter; the message says why. */
export class FilterSyntaxError extends Error {}

/** One filter has more values than all of them may have. */
export class TooManyValuesError extends Error {}

const isOperator = (name: string): name is Operator => (OPERATORS as readonly string[]).includes(name);

export const filterOf = (dimension: string, operator: Operator, isNot: boolean, values: readonly string[]): Filter => ({
  dimension,
  operator,
  isNot,
  values: [...new Set(values)].sort(),
});

/** A value or a key of a property, in which some characters are written as %2C. */
function decoded(written: string, what: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    throw new FilterSyntaxError(`${what} has a "%" that begins no escape: write %25 for "%", %3B for ";" and %2C for ","`);
  }
}

const decodedDimension = (name: string): string =>
  name.startsWith(PROPERTY_PREFIX) ? PROPERTY_PREFIX + decoded(name.slice(PROPERTY_PREFIX.length), "the key of a property") : name;

const BRACKETS = ["()", "[]", "{}"] as const;

/**
 * True if each bracket has its counterpart, so that the text may be a whole expression. Escaped brackets count among themselves: without
 * their counterpart they would be an expression as well, but a comma between the two is more likely to be part of one.
 */
function isBalanced(expression: string): boolean {
  const unescaped = expression.replaceAll(/\\./gs, "");
  const escapedOnly = (expression.match(/\\./gs) ?? []).join("");
  return [unescaped, escapedOnly].every((text) =>
    BRACKETS.every(([open = "", close = ""]) => text.split(open).length === text.split(close).length),
  );
}

/** A list may also be one regular expression: it is one if it has no comma; otherwise each of its parts must be a whole expression. */
function expressionsIn(listed: readonly string[], written: string, dimension: string): readonly string[] {
  if (listed.length === 1 && listed[0] !== "") return [written];
  if (listed.every(isBalanced)) return listed;
  throw new FilterSyntaxError(
    `the value for "${dimension}" begins and ends like a list, but its commas cut a regular expression in parts: ` +
      "write %2C for a comma of an expression, %28 and %29 for the parentheses around one, and %28, %5B or %7B for a bracket without its other one",
  );
}

/** The values of an operator: a list in parentheses, or one value. */
function valuesIn(written: string, dimension: string, operator: Operator): readonly string[] {
  const isList = written.startsWith("(") && written.endsWith(")") && written.length > 1;
  const listed = isList ? written.slice(1, -1).split(",", FILTER_VALUES_MAX + 1) : null;
  const values = listed === null ? [written] : operator === "matches" ? expressionsIn(listed, written, dimension) : listed;
  if (values.length > FILTER_VALUES_MAX) throw new TooManyValuesError();
  return values.map((value) => decoded(value, `the value for "${dimension}"`));
}

/**
 * `=` and `=!` cannot be in a dimension. Dimensions and operators are short, so that none of these searches is long.
 * @throws FilterSyntaxError, TooManyValuesError
 */
export function parseFilter(text: string): Filter {
  const [, plainName = "", plain, value = ""] = /^([^=!]*)(==|!=)(.*)$/s.exec(text) ?? [];
  if (plain) return filterOf(decodedDimension(plainName), "in", plain === "!=", [value]);
  const [, name = "", negation, operator = "", written = ""] = /^([^=!]*)=(!?)([a-z]*)=(.*)$/s.exec(text) ?? [];
  if (isOperator(operator)) return filterOf(decodedDimension(name), operator, negation === "!", valuesIn(written, name, operator));
  throw new FilterSyntaxError(
    `the condition "${text}" has no operator; use dimension==value or dimension!=value, or one of ` +
      `${OPERATORS.join(", ")} as in dimension=contains=value`,
  );
}

const escaped = (value: string, characters: RegExp): string =>
  value.replaceAll(characters, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const writtenDimension = (dimension: string): string =>
  dimension.startsWith(PROPERTY_PREFIX)
    ? PROPERTY_PREFIX + encodeURIComponent(dimension.slice(PROPERTY_PREFIX.length)).replaceAll("!", "%21")
    : dimension;

/** Canonical: equal for equal filters. */
export function printFilter({ dimension, operator, isNot, values }: Filter): string {
  const name = writtenDimension(dimension);
  const [first = ""] = values;
  if (operator === "in" && values.length === 1 && !first.includes(";")) return `${name}${isNot ? "!=" : "=="}${first}`;
  // The brackets of an expression could look cut by the commas of the list.
  const characters = operator === "matches" && values.length > 1 ? /[%;,()[\]{}]/g : /[%;,()]/g;
  const written = values.map((value) => escaped(value, characters));
  return `${name}=${isNot ? "!" : ""}${operator}=${written.length === 1 ? written.join("") : `(${written.join(",")})`}`;
}
