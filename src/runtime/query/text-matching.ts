/** Tests of a text, the operators of filters and searches, as JavaScript runs them for DuckDB; for ClickHouse see `text-conditions.ts`. The only user of re2js. */
import { RE2JS } from "re2js";
import {
  FILTER_EXPRESSION_CLASSES_MAX,
  FILTER_EXPRESSION_INSTRUCTIONS_MAX,
  FILTER_EXPRESSION_RANGE_CHARS_MAX,
} from "../config/report-limits.ts";
import { WildcardPattern } from "../config/wildcard-pattern.ts";

/**
 * - `is`: equal
 * - `contains`, `begins`: the text contains the value, or begins with it
 * - `like`: the whole text matches a pattern, in which `*` stands for any characters
 * - `matches`: a part of the text matches a regular expression in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax)
 * - `search`: like `contains`, but ignores case
 */
export type TextTestKind = "is" | "contains" | "begins" | "like" | "matches" | "search";

export interface TextTest {
  readonly kind: TextTestKind;
  /** A text passes the test with any of them. */
  readonly values: readonly string[];
}

/** Every text passes. */
export const ANY_TEXT: TextTest = { kind: "contains", values: [""] };

/** What begins a class of characters. */
const CLASS = /\[|\\[pPDSWdsw]/g;

/** Two characters around a hyphen, as they are or as `\x{…}`. Outside a class that is no range, but rarely a wide one. */
const RANGE = /(?:\\x\{([0-9a-f]+)\}|(.))-(?:\\x\{([0-9a-f]+)\}|(.))/gisu;

const codePointOf = (hex: string | undefined, char = ""): number =>
  hex === undefined ? (char.codePointAt(0) ?? 0) : Number.parseInt(hex, 16);

const charsIn = ([, firstHex, first, lastHex, last]: RegExpExecArray): number => codePointOf(lastHex, last) - codePointOf(firstHex, first);

/** Whether it may take long to compile: if case is ignored, the other case of each character in a class is looked up. */
function isCostly(expression: string): boolean {
  if ([...expression.matchAll(CLASS)].length > FILTER_EXPRESSION_CLASSES_MAX) return true;
  return [...expression.matchAll(RANGE)].some((range) => charsIn(range) > FILTER_EXPRESSION_RANGE_CHARS_MAX);
}

/** What is wrong with a regular expression; null if nothing is. */
export function problemOfExpression(expression: string): string | null {
  if (isCostly(expression)) {
    return `must have at most ${FILTER_EXPRESSION_CLASSES_MAX} classes of characters, and no range of more than ${FILTER_EXPRESSION_RANGE_CHARS_MAX}`;
  }
  try {
    return RE2JS.compile(expression).programSize() > FILTER_EXPRESSION_INSTRUCTIONS_MAX ? "is too large: it repeats too much" : null;
  } catch (error) {
    return `is no regular expression in the syntax of RE2: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Both lower-case forms of sigma become one, because which one is written depends on its place in a word. `textPasses` does the same in ClickHouse. */
export const lowerCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

type Matcher = (text: string) => boolean;

const MATCHERS: Readonly<Record<Exclude<TextTestKind, "is">, (value: string) => Matcher>> = {
  contains: (value) => (text) => text.includes(value),
  begins: (value) => (text) => text.startsWith(value),
  like(value) {
    const pattern = new WildcardPattern(value);
    return (text) => pattern.matches(text);
  },
  matches(value) {
    const expression = RE2JS.compile(value);
    return (text) => expression.test(text);
  },
  search(value) {
    const lower = lowerCase(value);
    return (text) => lowerCase(text).includes(lower);
  },
};

/** The worst case of the time per character of a text, in steps of a matcher. */
export const stepsPerChar = ({ kind, values }: TextTest): number =>
  kind === "matches" ? values.reduce((steps, value) => steps + RE2JS.compile(value).programSize(), 0) : values.length;

/** Whether a text passes. Takes time in proportion to the length of the text times `stepsPerChar`. */
export function compiledTest({ kind, values }: TextTest): Matcher {
  if (kind === "is") {
    const wanted = new Set(values);
    return (text) => wanted.has(text);
  }
  const matchers = values.map(MATCHERS[kind]);
  return (text) => matchers.some((matches) => matches(text));
}

/** What a search finds: texts that contain it, ignoring case. */
export const searchTest = (search: string): TextTest => ({ kind: "search", values: [search] });
