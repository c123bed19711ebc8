/**
 * Which queries sums of days answer (`storage/day-sums.ts`): all visits, the values of one dimension, and a filter on exactly that dimension.
 * Imports have them in place of events, so a query says as data what its rows are in them.
 */
import { propertyMeasure } from "../../storage/rollup.ts";
import type { BreakdownDimension, Condition, Dimension, FilterDimension } from "./filters.ts";
import { distinctConditions } from "./filters.ts";
import { isOfLens } from "./lenses.ts";
import type { Scope } from "./scope.ts";

/** The numbers of a day and value, as columns of a measure. */
export const DAY_COUNTS = ["visitors", "pageviews", "events", "sessions", "bounces", "duration_ms"] as const;

export type DayCount = (typeof DAY_COUNTS)[number];

/** The rows of a query in sums of days. */
export interface RowsOfDays {
  /** The measure that the rows are of; null for all visits of a day. */
  readonly measure: string | null;
  /** The rows have the values of the measure, and are not their sum. */
  readonly isByValue: boolean;
  /** Which values count; null for all. */
  readonly condition: Condition | null;
  /** The number that each column of the query is. */
  readonly columns: Readonly<Record<string, DayCount | null>>;
  /** Leaves out the row of page views among those of events. */
  readonly isWithoutPageviews?: true;
}

/** The measures of event dimensions. Sources have no channels, pages no hosts of their own, and screens no width. */
export const DAY_MEASURES = {
  pages: "pages",
  referrers: "referrers",
  sources: "sources",
  countries: "countries",
  regions: "regions",
  cities: "cities",
  browsers: "browsers",
  "browser-versions": "browser-versions",
  os: "os",
  "os-versions": "os-versions",
  devices: "devices",
  "utm-sources": "utm-sources",
  "utm-mediums": "utm-mediums",
  "utm-campaigns": "utm-campaigns",
  "utm-contents": "utm-contents",
  "utm-terms": "utm-terms",
  events: "events",
} as const satisfies Partial<Record<Dimension, string>>;

/** Other products count sources by visit: their sums answer for the sources of visits and of events alike. */
const MEASURES: ReadonlyMap<string, string> = new Map<BreakdownDimension | FilterDimension, string>([
  ...(Object.entries(DAY_MEASURES) as [Dimension, string][]),
  ["entry-pages", "entry-pages"],
  ["entry-page", "entry-pages"],
  ["exit-pages", "exit-pages"],
  ["exit-page", "exit-pages"],
  ["visit-sources", "sources"],
  ["visit-referrers", "referrers"],
  ["visit-utm-sources", "utm-sources"],
  ["visit-utm-mediums", "utm-mediums"],
  ["visit-utm-campaigns", "utm-campaigns"],
  ["visit-utm-contents", "utm-contents"],
  ["visit-utm-terms", "utm-terms"],
]);

/** A visit has several pages and events, so the numbers of several values of these do not add up to those of visitors or visits. */
const isOfManyValues = (measure: string): boolean => measure === "pages" || measure === "events";

const isOneValue = ({ test: { kind, values }, isNegated }: Condition): boolean => kind === "is" && values.length === 1 && !isNegated;

/** Sums of days have no visits that a lens could leave out, and none of those that it has left out. */
const holdsForSums = (condition: Condition): boolean => isOfLens(condition) && !condition.isNegated;

/** The conditions that an answer meets, with those of a share link. */
const conditionsOf = ({ conditions, shared }: Scope): readonly Condition[] =>
  distinctConditions([...conditions.filter((condition) => !holdsForSums(condition)), ...(shared?.conditions ?? [])]);

type Described = { readonly ofDays?: RowsOfDays };

/** Says what a query over all visits of the scope is in sums of days; nothing if they cannot answer it. */
export function totalsOfDays(scope: Scope, columns: RowsOfDays["columns"]): Described {
  const [condition = null, ...others] = conditionsOf(scope);
  if (others.length > 0 || scope.endsAtMs !== undefined) return {};
  if (condition === null) return { ofDays: { measure: null, isByValue: false, condition, columns } };
  const measure = MEASURES.get(condition.dimension);
  if (measure === undefined || (isOfManyValues(measure) && !isOneValue(condition))) return {};
  return { ofDays: { measure, isByValue: false, condition, columns } };
}

/** Says so for a query by the values of a dimension. */
export function valuesOfDays(scope: Scope, dimension: BreakdownDimension | null, columns: RowsOfDays["columns"]): Described {
  const [condition = null, ...others] = conditionsOf(scope);
  const measure = dimension === null ? undefined : MEASURES.get(dimension);
  if (measure === undefined || others.length > 0 || scope.endsAtMs !== undefined) return {};
  if (condition !== null && MEASURES.get(condition.dimension) !== measure) return {};
  return { ofDays: { measure, isByValue: true, condition, columns } };
}

/** Says so for a query by the names of events other than page views. */
export function eventsOfDays(scope: Scope): Described {
  const { ofDays } = valuesOfDays(scope, "events", { visitors: "visitors", events: "events" });
  return ofDays ? { ofDays: { ...ofDays, isWithoutPageviews: true } } : {};
}

/** Says so for a query by the values of a custom property. */
export const propertyValuesOfDays = (scope: Scope, key: string, columns: RowsOfDays["columns"]): Described =>
  conditionsOf(scope).length > 0 ? {} : { ofDays: { measure: propertyMeasure(key), isByValue: true, condition: null, columns } };

export const VISITOR_COLUMNS = { visitors: "visitors", pageviews: "pageviews", events: "events" } as const;

export const SESSION_COLUMNS = { sessions: "sessions", bounces: "bounces", duration_ms: "duration_ms", pageviews: "pageviews" } as const;
