/** Filters of the view: those of a share link, of a saved filter (`segment=<id>` in the URL; docs/segments.md), and the reader's own. */
import { computed, signal } from "@preact/signals";
import type { Filter } from "../../src/shared/filters.ts";
import type { ServiceError } from "../api/http.ts";
import { listSegments, type Segment } from "../api/saved.ts";
import { words } from "../words/words.ts";
import {
  countsConversions,
  filterKindOf,
  isOnEmpty,
  onlyValueOf,
  parseFilters,
  printFilters,
  withChoice,
  withoutGoalFilters,
  type Choice,
  type FilterKind,
} from "./filters.ts";
import { isGuest, shared } from "./share.ts";
import { navigate, param } from "./url.ts";

/** Keyed by site. */
const loaded = signal<Readonly<Record<string, readonly Segment[]>>>({});

/** null until loaded. */
export const savedItems = computed((): readonly Segment[] | null => loaded.value[param("site") ?? ""] ?? null);

/** Guests have no saved filters. */
export const savedFilterId = computed((): string | null => (isGuest ? null : param("segment")));

/** null until the list has loaded, and for a saved filter that is not in it, such as another reader's private one. */
export const savedFilter = computed((): Segment | null => savedItems.value?.find(({ id }) => id === savedFilterId.value) ?? null);

/** An id that the service does not know, and so not another reader's private one. */
const missingId = signal<string | null>(null);

/** The reason why the saved filter in the URL has no name; null if it has one, or before the list has loaded. */
export const namelessFilter = computed((): "missing" | "private" | null => {
  if (savedFilterId.value === null || savedItems.value === null || savedFilter.value !== null) return null;
  return missingId.value === savedFilterId.value ? "missing" : "private";
});

/** Call with the error of a report. */
export function noteSavedFilterProblem(error: ServiceError | null): void {
  if (error?.kind === "invalid" && error.message.startsWith('"segment"')) missingId.value = savedFilterId.value;
}

export const savedConditions = computed((): readonly Filter[] => parseFilters(savedFilter.value?.filters ?? null));

/** @throws ServiceError */
export async function loadSavedItems(siteId: string): Promise<void> {
  const list = await listSegments(siteId);
  loaded.value = { ...loaded.value, [siteId]: list };
}

/** Filters of a share link. The service applies them to every report, so requests omit them. */
export const lockedFilters = computed((): readonly Filter[] => parseFilters(shared.value?.filters ?? null));
export const ownFilters = computed((): readonly Filter[] => parseFilters(param("filters")));
/** Filters that a click on a row does not change. */
const givenFilters = computed((): readonly Filter[] => [...lockedFilters.value, ...savedConditions.value]);
export const filters = computed((): readonly Filter[] => [...givenFilters.value, ...ownFilters.value]);
export const isFiltered = computed(() => filters.value.length > 0 || savedFilterId.value !== null);
/** The reader can clear some of them. */
export const canClear = computed(() => ownFilters.value.length > 0 || savedFilterId.value !== null);
/** Conversion rates are shares of all visitors, who are unknown if a link filters events or goals. */
export const hasConversionRates = computed(() => withoutGoalFilters(lockedFilters.value).length === lockedFilters.value.length);
export const filterKind = computed((): FilterKind => filterKindOf(filters.value));
/** The only goal whose visits are shown: rows then have conversion rates. Null for other filters. */
export const filteredGoal = computed((): string | null => {
  const onGoals = filters.value.filter(({ dimension }) => dimension === "goal");
  const [only] = onGoals;
  const isAlone = onGoals.length === 1 && filterKind.value === "converting" && hasConversionRates.value;
  return (isAlone && only && onlyValueOf(only)) || null;
});
/** Rows have conversions in place of visitors. */
export const showsConversions = computed(() => countsConversions(filterKind.value));
/** The words that count visitors of the view. */
export const visitorWords = computed(() => (showsConversions.value ? words.counts.conversion : words.counts.visitor));

const isGiven = (dimension: string, value: string): boolean =>
  givenFilters.value.some((filter) => filter.dimension === dimension && onlyValueOf(filter) === value);
/** Values that the reader's filters on a dimension list: included, or excluded ones. */
const ownValues = (dimension: string, isNot: boolean): readonly string[] =>
  ownFilters.value
    .filter((filter) => filter.dimension === dimension && filter.isNot === isNot)
    .flatMap((filter) => (isOnEmpty(filter) ? [""] : filter.operator === "in" ? filter.values : []));

export const hasFilter = (dimension: string, value: string): boolean =>
  isGiven(dimension, value) || ownValues(dimension, false).includes(value);
export const isExcluded = (dimension: string, value: string): boolean => ownValues(dimension, true).includes(value);
/** A list of values to which others can be added. */
export const hasListOf = (dimension: string): boolean => ownValues(dimension, false).length > 0;

export const clearAllFilters = (): void => navigate({ filters: null, segment: null, panel: null });
/** Replaces all other filters. */
export const showSavedFilter = (id: string): void => navigate({ filters: null, segment: id, panel: null });
/** Closes the filter dialog. */
export const setFilters = (next: readonly Filter[]): void => navigate({ filters: printFilters(next), panel: null });
export function toggleFilter(dimension: string, value: string, choice: Choice = "only"): void {
  if (!isGiven(dimension, value)) setFilters(withChoice(ownFilters.value, dimension, value, choice));
}
