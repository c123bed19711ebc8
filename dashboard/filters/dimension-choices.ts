/** What a filter can be about, in groups, and the operators that make sense for it. */
import { breakdownOf, DIMENSIONS, filterOfVersions } from "../format/dimensions.ts";
import { PROPERTY_PREFIX, type Filter, type Operator, OPERATORS } from "../state/filters.ts";
import { dimensionName, OPERATOR_WORDS, SET_WORDS } from "../format/filter-words.ts";

/** Stands for all custom properties: the key is chosen beside it. */
export const ANY_PROPERTY = "props";

const GROUPS: readonly (readonly [label: string, dimensions: readonly string[]])[] = [
  ["Page", ["pages", "entry-page", "exit-page", "hostnames"]],
  ["Source", ["sources", "referrers"]],
  ["Location", ["countries", "regions", "cities"]],
  ["Device", ["browsers", "browser-versions", "os", "os-versions", "screen-sizes", "devices"]],
  ["Campaign", ["utm-campaigns", "utm-sources", "utm-mediums", "utm-contents", "utm-terms"]],
  ["Event and goal", ["events", "goal"]],
  ["Property", [ANY_PROPERTY]],
];

export interface DimensionChoice {
  readonly id: string;
  readonly label: string;
}

/** A version is offered only beside a filter by what it is a version of, or where it is chosen already. */
function isOffered(dimension: string, chosen: string, others: readonly Filter[]): boolean {
  const breakdown = breakdownOf(dimension);
  const isVersion = breakdown !== undefined && DIMENSIONS[breakdown].versionOf !== undefined;
  return !isVersion || dimension === chosen || filterOfVersions(breakdown, others) !== undefined;
}

const choiceOf = (id: string): DimensionChoice => ({ id, label: id === ANY_PROPERTY ? "Custom property" : dimensionName(id) });

/** `others` are the filters beside the one that is made. */
export const dimensionGroups = (chosen: string, others: readonly Filter[]): readonly (readonly [string, readonly DimensionChoice[]])[] =>
  GROUPS.map(([label, dimensions]) => [label, dimensions.filter((each) => isOffered(each, chosen, others)).map(choiceOf)]);

export const groupedDimensionOf = (dimension: string): string => (dimension.startsWith(PROPERTY_PREFIX) ? ANY_PROPERTY : dimension);

/** What the reader chooses: an operator with its negation, or whether there is a value at all. */
export interface Test {
  readonly words: string;
  readonly operator: Operator;
  readonly isNot: boolean;
  readonly isOnSet?: boolean;
}

export const TESTS: readonly Test[] = [
  ...OPERATORS.flatMap((operator) => [false, true].map((isNot) => ({ words: OPERATOR_WORDS[operator][isNot ? 1 : 0], operator, isNot }))),
  { words: SET_WORDS.isSet, operator: "in", isNot: true, isOnSet: true },
  { words: SET_WORDS.isNotSet, operator: "in", isNot: false, isOnSet: true },
];

/** Values that the dashboard shows by other names than those that are stored, so that nobody looks for a part of them. */
const CODED: ReadonlySet<string> = new Set(["countries", "devices", "screen-sizes"]);

export const testsFor = (dimension: string, chosen: Test): readonly Test[] =>
  TESTS.filter((test) => test === chosen || test.operator === "in" || !CODED.has(dimension));
