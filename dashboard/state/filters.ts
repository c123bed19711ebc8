/** Filters in the URL, the change that a click makes to them, and the kind of visits or events that they select. */
import { filterOf, parseFilter, printFilter, type Filter, type Operator } from "../../src/shared/filters.ts";
import { FILTER_VALUE_CHARS_MAX } from "../../src/shared/limits.ts";
import { exceedsChars, WildcardPattern } from "../../src/shared/text.ts";
import { fill, words } from "../words/words.ts";

/** A regular expression for the empty text: the API refuses a filter with an empty value. */
const EMPTY_ONLY = "^$";

export const filterBy = (dimension: string, value: string, isNot = false): Filter =>
  value === "" ? filterOf(dimension, "matches", isNot, [EMPTY_ONLY]) : filterOf(dimension, "in", isNot, [value]);

export const isOnEmpty = ({ operator, values }: Filter): boolean =>
  operator === "matches" && values.length === 1 && values[0] === EMPTY_ONLY;

export function parseFilters(text: string | null): Filter[] {
  return (text ?? "").split(";").flatMap((part) => {
    try {
      const filter = parseFilter(part);
      return filter.dimension === "" || filter.values.includes("") ? [] : [filter];
    } catch {
      return [];
    }
  });
}

/** null if there are none. */
export const printFilters = (filters: readonly Filter[]): string | null => filters.map(printFilter).join(";") || null;

/** The reason why a value cannot be filtered by, and an alternative; null if it can. */
export function refusalOf(value: string): string | null {
  if (!exceedsChars(value, FILTER_VALUE_CHARS_MAX)) return null;
  return fill(words.state.tooLongToFilter, { max: FILTER_VALUE_CHARS_MAX });
}

/** True for what can be typed as a value. */
export const canFilterBy = (value: string): boolean => value !== "" && refusalOf(value) === null;

export const isSameFilter = (a: Filter, b: Filter): boolean => printFilter(a) === printFilter(b);

/** Undefined unless the filter lets exactly one value through. */
export function onlyValueOf(filter: Filter): string | undefined {
  const { operator, isNot, values } = filter;
  if (isNot) return undefined;
  if (isOnEmpty(filter)) return "";
  return operator === "in" && values.length === 1 ? values[0] : undefined;
}

/** A click filters by this value only, adds it, or excludes it. A second click undoes it. */
export type Choice = "only" | "also" | "not";

const without = (filters: readonly Filter[], changed: Filter | undefined, value: string): Filter[] =>
  filters.flatMap((filter) => {
    if (filter !== changed) return [filter];
    const values = filter.values.filter((known) => known !== value);
    return values.length === 0 ? [] : [{ ...filter, values }];
  });

/** Each dimension has one list of included values and one of excluded values, and perhaps a filter on the empty value beside them. */
export function withChoice(all: readonly Filter[], dimension: string, value: string, choice: Choice): Filter[] {
  const isNot = choice === "not";
  const chosen = filterBy(dimension, value, isNot);
  if (value === "" && all.some((filter) => isSameFilter(filter, chosen))) return all.filter((filter) => !isSameFilter(filter, chosen));
  // No other value is empty, and no list has the empty value.
  const isReplaced = (filter: Filter): boolean =>
    !isNot && !filter.isNot && filter.dimension === dimension && (isOnEmpty(filter) || (value === "" && filter.operator === "in"));
  const filters = all.filter((filter) => !isReplaced(filter));
  if (value === "") return [...filters.filter((filter) => !isSameFilter(filter, filterBy(dimension, "", !isNot))), chosen];
  const listOf = (negated: boolean) =>
    filters.find((filter) => filter.dimension === dimension && filter.operator === "in" && filter.isNot === negated);
  const known = listOf(isNot);
  if (known?.values.includes(value)) return without(filters, known, value);
  const others = without(filters, listOf(!isNot), value);
  if (!known || choice === "only") return [...others.filter((filter) => filter !== known), chosen];
  return others.map((filter) => (filter === known ? filterOf(dimension, "in", isNot, [...known.values, value]) : filter));
}

const TESTS: Readonly<Record<Exclude<Operator, "matches">, (text: string, value: string) => boolean>> = {
  in: (text, value) => text === value,
  contains: (text, value) => text.includes(value),
  begins: (text, value) => text.startsWith(value),
  like: (text, value) => new WildcardPattern(value).matches(text),
};

/** Only the service can test regular expressions: here, every value passes one. */
export const passes = ({ operator, isNot, values }: Filter, text: string): boolean =>
  operator === "matches" || values.some((value) => TESTS[operator](text, value)) !== isNot;

/**
 * - `visitors`: all or nothing of a visit, as without filters
 * - `events`: single pageviews and events
 * - `goal`: one event other than pageviews, the conversions
 * - `converting`: the visits that reach a goal, as a whole
 */
export type FilterKind = "visitors" | "events" | "goal" | "converting";

/** Begins the names of dimensions that are those of a visit's first event. */
export const VISIT_PREFIX = "visit-";

export const isVisitDimension = (dimension: string): boolean => dimension.startsWith(VISIT_PREFIX);

/** Other dimensions with the same value for all events of a visit. */
const OF_WHOLE_VISITS: ReadonlySet<string> = new Set([
  "countries",
  "regions",
  "cities",
  "browsers",
  "browser-versions",
  "os",
  "os-versions",
  "devices",
  "entry-page",
  "exit-page",
  "goal",
]);

const isGoal = ({ dimension, operator, isNot, values }: Filter): boolean =>
  dimension === "events" && operator === "in" && !isNot && !values.includes("pageview");

const isReachedGoal = ({ dimension, isNot }: Filter): boolean => dimension === "goal" && !isNot;

export function filterKindOf(filters: readonly Filter[]): FilterKind {
  if (filters.some(isGoal)) return "goal";
  if (filters.some(isReachedGoal)) return "converting";
  const isOfVisits = ({ dimension }: Filter): boolean => isVisitDimension(dimension) || OF_WHOLE_VISITS.has(dimension);
  return filters.every(isOfVisits) ? "visitors" : "events";
}

export const countsConversions = (kind: FilterKind): boolean => kind === "goal" || kind === "converting";

const isOnGoals = ({ dimension }: Filter): boolean => dimension === "events" || dimension === "goal";

/** Conversion rates are shares of the visitors who match these. */
export const withoutGoalFilters = (filters: readonly Filter[]): Filter[] => filters.filter((filter) => !isOnGoals(filter));

/** True if the filters on events and goals let the goal through. */
export const hasGoal = (filters: readonly Filter[], name: string): boolean =>
  filters.every((filter) => !isOnGoals(filter) || passes(filter, name));
