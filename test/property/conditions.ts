/** Random conditions: each operator on each dimension, with values that occur and parts of them. */
import fc from "fast-check";
import { DIMENSION_NAMES } from "../support/dimension-rows.ts";
import { isVisitDimension, VISIT_DIMENSION_NAMES, type Condition } from "./filter-model.ts";
import { EVIDENCE_TEXT, PROPERTY_KEYS, TEXTS } from "./histories.ts";

export const OPERATORS: readonly Condition["operator"][] = ["in", "contains", "begins", "like", "matches"];

export const PROPERTY_DIMENSIONS = PROPERTY_KEYS.map((key) => `props:${key}` as const);

export const FILTER_DIMENSIONS: readonly Condition["dimension"][] = [
  ...DIMENSION_NAMES,
  "entry-page",
  "exit-page",
  "goal",
  "evidence",
  ...VISIT_DIMENSION_NAMES,
  ...PROPERTY_DIMENSIONS,
];

const propertyText = fc.constantFrom("pro", "free", "(unknown)", "true", "false", "1", "0", "-1", "1e+21", "0.1", "[]", '["pro"]', "é");

/** Names that the built-in rules give to arrivals. */
const VISIT_TEXTS: Partial<Record<Condition["dimension"], fc.Arbitrary<string>>> = {
  "visit-channels": fc.constantFrom("Direct", "Organic Search", "Organic Social", "Referral", "Email", "Paid Search"),
  "visit-sources": fc.oneof(TEXTS.sources, TEXTS["utm-sources"]),
};

function textOf(dimension: Condition["dimension"]): fc.Arbitrary<string> {
  if (dimension === "entry-page" || dimension === "exit-page") return TEXTS.pages;
  if (dimension === "goal") return fc.oneof({ weight: 4, arbitrary: TEXTS.events }, { weight: 1, arbitrary: fc.constant("A page") });
  if (isVisitDimension(dimension)) return VISIT_TEXTS[dimension] ?? TEXTS[dimension.replace("visit-", "") as keyof typeof TEXTS];
  if (dimension === "evidence") return fc.oneof(EVIDENCE_TEXT, fc.constantFrom("no_hints", "unmarked", "hints"));
  return dimension.startsWith("props:") ? propertyText : TEXTS[dimension as keyof typeof TEXTS];
}

/** A part of a text, in whole characters. */
const slice = (text: string, from: number, to?: number): string => [...text].slice(from, to).join("");

const quoted = (text: string): string => text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");

/** Regular expressions that mean the same in RE2 and JavaScript. */
const EXPRESSIONS: readonly ((text: string) => string)[] = [
  (text) => `^${quoted(text)}$`,
  (text) => quoted(slice(text, 0, 2)),
  (text) => `^(?:${quoted(slice(text, 0, 1))}|${quoted(slice(text, -1))})`,
  (text) => `^.*${quoted(slice(text, -2))}$`,
  () => "[a-n]",
  () => "^[^a-z]",
  () => "^.{1,3}$",
  () => "\\d",
  () => "o|e$",
];

const VALUES: Readonly<Record<Condition["operator"], (text: string, choice: number) => string>> = {
  in: (text) => text,
  contains: (text, choice) => slice(text, choice % 2, (choice % 2) + 2),
  begins: (text, choice) => slice(text, 0, 1 + (choice % 3)),
  like: (text, choice) =>
    [text, `${slice(text, 0, 1)}*`, `*${slice(text, -1)}`, `${slice(text, 0, 1)}*${slice(text, -1)}`, "*"][choice % 5] ?? "",
  matches: (text, choice) => EXPRESSIONS[choice % EXPRESSIONS.length]?.(text) ?? "",
};

export function conditionOn(dimension: Condition["dimension"], operator: Condition["operator"]): fc.Arbitrary<Condition> {
  const text = fc.oneof(
    { weight: 3, arbitrary: textOf(dimension) },
    { weight: 1, arbitrary: fc.constantFrom("(unknown)", "never recorded") },
  );
  const value = fc
    .tuple(text, fc.nat({ max: 17 }))
    .map(([chosen, choice]) => VALUES[operator](chosen, choice))
    .filter((written) => written !== "");
  return fc.record({
    dimension: fc.constant(dimension),
    operator: fc.constant(operator),
    isNegated: fc.boolean(),
    values: fc.oneof(
      value.map((only) => [only]),
      fc.uniqueArray(value, { minLength: 1, maxLength: operator === "matches" ? 2 : 4 }),
    ),
  });
}

/** As likely about an event's dimension as about all else. */
export const condition: fc.Arbitrary<Condition> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...DIMENSION_NAMES),
      fc.constantFrom(...FILTER_DIMENSIONS, "entry-page", "exit-page", "goal", ...VISIT_DIMENSION_NAMES),
    ),
    fc.constantFrom("in", "in", "in", ...OPERATORS),
  )
  .chain(([dimension, operator]) => conditionOn(dimension, operator));

/** A request has five regular expressions at most. */
const EXPRESSIONS_MAX = 5;

/** As many of the conditions as may be in one request. */
export function allowedTogether(conditions: readonly Condition[]): Condition[] {
  let left = EXPRESSIONS_MAX;
  return conditions.filter(({ operator, values }) => operator !== "matches" || (left -= values.length) >= 0);
}

const escaped = (text: string, characters: RegExp): string =>
  text.replaceAll(characters, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** As it is written in `filters`: `==` and `!=` if they can be. */
export function conditionText({ dimension, operator, isNegated, values }: Condition): string {
  const name = dimension.startsWith("props:") ? `props:${escaped(dimension.slice("props:".length), /[%;=!]/g)}` : dimension;
  const [only = ""] = values;
  if (operator === "in" && values.length === 1 && !only.includes(";")) return `${name}${isNegated ? "!=" : "=="}${only}`;
  // A bracket without its other one looks like an expression that a comma of the list cuts.
  const written = values.map((value) => escaped(value, operator === "matches" ? /[%;,()[\]{}]/g : /[%;,()]/g));
  return `${name}=${isNegated ? "!" : ""}${operator}=${written.length === 1 ? written.join("") : `(${written.join(",")})`}`;
}

export const filterText = (conditions: readonly Condition[]): string => conditions.map(conditionText).join(";");
