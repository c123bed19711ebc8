/** The filters of the view: those of a share link, of a saved filter (`segment=<id>` in the URL; docs/segments.md), and the reader's own. */
import { computed, signal } from "@preact/signals";
import type { Filter } from "../../src/shared/filters.ts";
import type { ServiceError } from "../api/http.ts";
import { listSegments, type Segment } from "../api/saved.ts";
import {
  countsConversions,
  filterKindOf,
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

/** By site, once they have been loaded. */
const loaded = signal<Readonly<Record<string, readonly Segment[]>>>({});

/** Null before they are loaded. */
export const segments = computed((): readonly Segment[] | null => loaded.value[param("site") ?? ""] ?? null);

/** Viewers have no segments. */
export const segmentId = computed((): string | null => (isGuest ? null : param("segment")));

/** Null for none, before the list is loaded, and for one that is not in it, such as somebody else's own. */
export const segment = computed((): Segment | null => segments.value?.find(({ id }) => id === segmentId.value) ?? null);

/** The id of which the service says that it is of no segment, so that it is not somebody else's own, either. */
const missingId = signal<string | null>(null);

/** Why the segment of the URL has no name. Null while it has one, and before the list is loaded. */
export const namelessSegment = computed((): "missing" | "private" | null => {
  if (segmentId.value === null || segments.value === null || segment.value !== null) return null;
  return missingId.value === segmentId.value ? "missing" : "private";
});

/** To be called with what a report with the segment answers. */
export function noteSegmentProblem(error: ServiceError | null): void {
  if (error?.kind === "invalid" && error.message.startsWith('"segment"')) missingId.value = segmentId.value;
}

export const segmentFilters = computed((): readonly Filter[] => parseFilters(segment.value?.filters ?? null));

/** @throws ServiceError */
export async function loadSegments(siteId: string): Promise<void> {
  const list = await listSegments(siteId);
  loaded.value = { ...loaded.value, [siteId]: list };
}

/** Of a share link. The service applies them to every report, so that requests are without them. */
export const lockedFilters = computed((): readonly Filter[] => parseFilters(shared.value?.filters ?? null));
/** Those that the reader chose. */
export const ownFilters = computed((): readonly Filter[] => parseFilters(param("filters")));
/** Those that a click on a row does not change: of a share link, and of a segment. */
const givenFilters = computed((): readonly Filter[] => [...lockedFilters.value, ...segmentFilters.value]);
/** All that the reports have. */
export const filters = computed((): readonly Filter[] => [...givenFilters.value, ...ownFilters.value]);
export const isFiltered = computed(() => filters.value.length > 0 || segmentId.value !== null);
/** Whether some of them are the reader's own. */
export const canClear = computed(() => ownFilters.value.length > 0 || segmentId.value !== null);
/** A rate is a share of all visitors, of whom a link with a filter on events or goals shows only some. */
export const hasConversionRates = computed(() => withoutGoalFilters(lockedFilters.value).length === lockedFilters.value.length);
export const filterKind = computed((): FilterKind => filterKindOf(filters.value));
/** The one goal whose visits are shown, of which rows have conversion rates; null for other filters. */
export const filteredGoal = computed((): string | null => {
  const onGoals = filters.value.filter(({ dimension }) => dimension === "goal");
  const [only] = onGoals;
  const isAlone = onGoals.length === 1 && filterKind.value === "converting" && hasConversionRates.value;
  return (isAlone && only && onlyValueOf(only)) || null;
});
/** What the visitors of a report are under the filters. */
export const visitorNoun = computed(() => (countsConversions(filterKind.value) ? "conversion" : "visitor"));

const isGiven = (dimension: string, value: string): boolean =>
  givenFilters.value.some((filter) => filter.dimension === dimension && onlyValueOf(filter) === value);
/** The values that the reader's filters on a dimension list: those let through, or those left out. */
const ownValues = (dimension: string, isNot: boolean): string[] =>
  ownFilters.value
    .filter((filter) => filter.dimension === dimension && filter.operator === "in" && filter.isNot === isNot)
    .flatMap(({ values }) => values);

export const hasFilter = (dimension: string, value: string): boolean =>
  isGiven(dimension, value) || ownValues(dimension, false).includes(value);
export const isExcluded = (dimension: string, value: string): boolean => ownValues(dimension, true).includes(value);
/** Whether there is a list of values to which others can be added. */
export const hasListOf = (dimension: string): boolean => ownValues(dimension, false).length > 0;

export const clearAllFilters = (): void => navigate({ filters: null, segment: null, panel: null });
/** A segment takes the place of all filters. */
export const showSegment = (id: string): void => navigate({ filters: null, segment: id, panel: null });
/** Also closes the filter dialog. */
export const setFilters = (next: readonly Filter[]): void => navigate({ filters: printFilters(next), panel: null });
export function toggleFilter(dimension: string, value: string, choice: Choice = "only"): void {
  if (!isGiven(dimension, value)) setFilters(withChoice(ownFilters.value, dimension, value, choice));
}
