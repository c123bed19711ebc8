/** Tests of a text, the operators of filters and searches, as JavaScript runs them for DuckDB; for ClickHouse see `text-conditions.ts`. The only user of re2js. */
import { LruMap } from "../../storage/lru-map.ts";
import { RE2JS } from "re2js";
import {
  EXPRESSIONS_KNOWN_MAX,
  FILTER_EXPRESSION_CLASSES_MAX,
  FILTER_EXPRESSION_INSTRUCTIONS_MAX,
  FILTER_EXPRESSION_RANGE_CHARS_MAX,
} from "../base/config/report-limits.ts";
import { normalizeHostPart, normalizePathPart } from "../../shared/paths.ts";
import { WildcardPattern } from "../../shared/text.ts";
import { expressionSize } from "./expression-size.ts";

/**
 * - `is`: equal
 * - `contains`, `begins`: the text contains the value, or begins with it
 * - `like`: the whole text matches a pattern, in which `*` stands for any characters
 * - `matches`: a part of the text matches a regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax)
 * - `search`: like `contains`, but ignores case
 * - `word`: the value is one of the words of the text, which single spaces separate
 */
export type TextTestKind = "is" | "contains" | "begins" | "like" | "matches" | "search" | "word";

export interface TextTest {
  readonly kind: TextTestKind;
  /** A text passes the test with any of them. */
  readonly values: readonly string[];
  /** A rule of a lens has the test: it neither counts among the patterns of a request, nor do its steps among those of a guest. */
  readonly isOfRule?: true;
}

/** The tests of a guest's query take more steps than they may. */
export class TooManyStepsError extends Error {
  override readonly name = "TooManyStepsError";
}

export const ANY_TEXT: TextTest = { kind: "contains", values: [""] };

type Matcher = (text: string) => boolean;

const TOO_LARGE = "is too large: it repeats too much";

/** The reason why a regular expression is too large to be compiled; null if it is not. Takes microseconds, whatever the expression is. */
export function problemOfSize(expression: string): string | null {
  const { instructions, classes, rangeChars } = expressionSize(expression);
  if (classes > FILTER_EXPRESSION_CLASSES_MAX || rangeChars > FILTER_EXPRESSION_RANGE_CHARS_MAX) {
    return `must have at most ${FILTER_EXPRESSION_CLASSES_MAX} classes of characters, and ranges of at most ${FILTER_EXPRESSION_RANGE_CHARS_MAX} characters in all`;
  }
  return instructions > FILTER_EXPRESSION_INSTRUCTIONS_MAX ? TOO_LARGE : null;
}

/** Compiled expressions are not kept, because each may grow to megabytes with what it has read. */
const compiled = (expression: string): Matcher => {
  const program = RE2JS.compile(expression);
  return (text) => program.test(text);
};

/** The problem of each compiled expression, the last one at the end; null if there is none. */
const PROBLEMS = new LruMap<string, string | null>({ max: EXPRESSIONS_KNOWN_MAX });

/** True if `problemOfExpression` knows the expression and need not compile it. */
export const isKnownExpression = (expression: string): boolean => PROBLEMS.has(expression);

function problemOfSyntax(expression: string): string | null {
  try {
    compiled(expression);
    return null;
  } catch (error) {
    return `is no regular expression in the syntax of RE2: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The problem of a regular expression; null if there is none. Compiles it the first time: 1 ms, and 3 ms in the worst case. */
export function problemOfExpression(expression: string): string | null {
  const known = PROBLEMS.get(expression);
  if (known !== undefined) return known;
  const problem = problemOfSize(expression) ?? problemOfSyntax(expression);
  PROBLEMS.set(expression, problem);
  return problem;
}

/**
 * Both lower-case forms of sigma become one, because which one is written depends on its place in a word. `textPasses` does the same in
 * ClickHouse.
 */
export const lowerCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

const MATCHERS: Readonly<Record<Exclude<TextTestKind, "is">, (value: string) => Matcher>> = {
  contains: (value) => (text) => text.includes(value),
  begins: (value) => (text) => text.startsWith(value),
  like(value) {
    const pattern = new WildcardPattern(value);
    return (text) => pattern.matches(text);
  },
  matches: compiled,
  search(value) {
    const lower = lowerCase(value);
    return (text) => lowerCase(text).includes(lower);
  },
  word: (value) => (text) => ` ${text} `.includes(` ${value} `),
};

/** The worst case of the time per character of a text, in steps of a matcher. */
export const stepsPerChar = ({ kind, values }: TextTest): number =>
  kind === "matches" ? values.reduce((steps, value) => steps + expressionSize(value).instructions, 0) : values.length;

const anyOf =
  (matchers: readonly Matcher[]): Matcher =>
  (text) =>
    matchers.some((matches) => matches(text));

function compile({ kind, values }: TextTest): Matcher {
  if (kind !== "is") return anyOf(values.map(MATCHERS[kind]));
  const wanted = new Set(values);
  return (text) => wanted.has(text);
}

/** Kept as long as the test is, which is that of a request. */
const COMPILED = new WeakMap<TextTest, Matcher>();

function kept(test: TextTest, matcher: Matcher): Matcher {
  COMPILED.set(test, matcher);
  return matcher;
}

/** True if a text passes. Takes time in proportion to the length of the text times `stepsPerChar`. */
export const compiledTest = (test: TextTest): Matcher => COMPILED.get(test) ?? kept(test, compile(test));

export async function compileInTurns(test: TextTest, inTurn: (work: () => Matcher) => Promise<Matcher>): Promise<void> {
  const { kind, values } = test;
  const matchers: Matcher[] = [];
  for (const value of values) matchers.push(await inTurn(() => compile({ kind, values: [value] })));
  kept(test, anyOf(matchers));
}

/**
 * Finds paths and hosts, and what contains them, by what people read: there other characters than those of ASCII are encoded, and each case
 * in its own way.
 */
export function searchTest(search: string): TextTest {
  const paths = [search, search.toLowerCase(), search.toUpperCase()].map(normalizePathPart);
  return { kind: "search", values: [...new Set([search, ...paths, normalizeHostPart(search)].map(lowerCase))] };
}
