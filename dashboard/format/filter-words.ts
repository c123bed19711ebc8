/** Filters in words: `Country is not Germany or France`. */
import { PROPERTY_PREFIX, UNRECORDED, type Filter, type Operator } from "../../src/shared/filters.ts";
import type { Dimension } from "../api/types.ts";
import { isOnEmpty } from "../state/filters.ts";
import { readable } from "../state/spelling.ts";
import { fill, words } from "../words/words.ts";
import { breakdownOf, DIMENSIONS, formatValue, hasDirect } from "./dimensions.ts";
import { anyOf } from "./locale.ts";

export const OPERATOR_WORDS: Readonly<Record<Operator | "set" | "empty", { readonly is: string; readonly isNot: string }>> =
  words.format.operators;

export const isOnSet = ({ operator, values }: Pick<Filter, "operator" | "values">): boolean =>
  operator === "in" && values.length === 1 && values[0] === UNRECORDED;

export function dimensionName(dimension: string): string {
  if (dimension === "goal") return words.format.goal;
  if (dimension === "evidence") return words.format.evidence;
  if (dimension.startsWith(PROPERTY_PREFIX)) return fill(words.format.propertyNamed, { name: dimension.slice(PROPERTY_PREFIX.length) });
  const breakdown = breakdownOf(dimension);
  return breakdown === undefined ? dimension : DIMENSIONS[breakdown].singular;
}

export function valueName(dimension: string, value: string, filters: readonly Filter[]): string {
  const breakdown = breakdownOf(dimension);
  return breakdown === undefined ? value : formatValue(breakdown, value, filters);
}

/** Parts and patterns of values are read as the values are. Expressions are shown as typed. */
function partOf(breakdown: Dimension | undefined, operator: Operator, part: string): string {
  const spelling = breakdown === undefined ? undefined : DIMENSIONS[breakdown].spelling;
  return spelling === undefined || operator === "matches" ? part : readable(part, spelling);
}

interface FilterWords {
  /** `Country is not` */
  readonly condition: string;
  /** `Germany`, `France`; empty if the condition says it all. */
  readonly values: readonly string[];
}

/** `filters` are all filters of the view: they decide which browser a version belongs to. */
export function wordsOf(filter: Filter, filters: readonly Filter[]): FilterWords {
  const { dimension, operator, isNot, values } = filter;
  const name = dimensionName(dimension);
  const breakdown = breakdownOf(dimension);
  const hasOwnWord = breakdown !== undefined && hasDirect(breakdown);
  if (isOnSet(filter) && !hasOwnWord) return { condition: `${name} ${OPERATOR_WORDS.set[isNot ? "is" : "isNot"]}`, values: [] };
  if (isOnEmpty(filter)) return { condition: `${name} ${OPERATOR_WORDS.empty[isNot ? "isNot" : "is"]}`, values: [] };
  const texts = values.map((value) => (operator === "in" ? valueName(dimension, value, filters) : partOf(breakdown, operator, value)));
  return { condition: `${name} ${OPERATOR_WORDS[operator][isNot ? "isNot" : "is"]}`, values: texts };
}

export function filterInWords(filter: Filter, filters: readonly Filter[]): string {
  const { condition, values } = wordsOf(filter, filters);
  return values.length === 0 ? condition : `${condition} ${anyOf(values)}`;
}
