/** What the page shows: a site or its realtime view, the filters, and the open dialog. */
import { computed } from "@preact/signals";
import {
  countsConversions,
  filterKindOf,
  withoutGoalFilters,
  onlyValueOf,
  parseFilters,
  printFilters,
  withChoice,
  type FilterKind,
  type Choice,
  type Filter,
} from "./filters.ts";
import { segmentFilters, segmentId } from "./segments.ts";
import { shared, sharedAtMs } from "./share.ts";
import { dateSince } from "./time-zone.ts";
import { navigate, navigateAnew, param, type Changes } from "./url.ts";

export const site = computed(() => shared.value?.site_id ?? param("site"));

/** Opens another site with nothing of the view before, except for `changes`. Null opens the site that a URL without one does. */
export const openSite = (id: string | null, changes: Changes = {}, replace = false): void =>
  navigateAnew({ site: id, ...changes }, replace);

/** What the page of all sites keeps of the view. */
export const allSitesView = (): Changes => ({ period: param("period") });
export const openAllSites = (): void => openSite(null, allSitesView());

/** A share link may be without it, or show only other days than today. */
export function hasRealtime(): boolean {
  if (shared.value === null) return true;
  const { realtime, start_date: start, end_date: end, time_zone: timeZone } = shared.value;
  const today = dateSince(shared.value.today, sharedAtMs.value, timeZone, Date.now());
  return realtime && (start === null || end === null || (start <= today && today <= end));
}

export const isRealtime = (): boolean => param("view") === "realtime" && hasRealtime();
export const toggleRealtime = (): void => navigate({ view: isRealtime() || !hasRealtime() ? null : "realtime" });

/** The settings of the site, which viewers have not. */
export const isSettings = (): boolean => param("view") === "settings" && shared.value === null;
export const openSettings = (section: string | null = null): void => navigate({ view: "settings", section });
export const closeSettings = (): void => navigate({ view: null });

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
/** Whether the value is one of those that a filter lets through. */
export const hasFilter = (dimension: string, value: string): boolean =>
  isGiven(dimension, value) ||
  ownFilters.value.some(
    (filter) => filter.dimension === dimension && filter.operator === "in" && !filter.isNot && filter.values.includes(value),
  );

/** Whether the value is one of those that a filter of the reader leaves out. */
export const isExcluded = (dimension: string, value: string): boolean =>
  ownFilters.value.some(
    (filter) => filter.dimension === dimension && filter.operator === "in" && filter.isNot && filter.values.includes(value),
  );

/** Whether a filter lists values of the dimension, to which others can be added. */
export const hasListOf = (dimension: string): boolean =>
  ownFilters.value.some((filter) => filter.dimension === dimension && filter.operator === "in" && !filter.isNot);

export const clearAllFilters = (): void => navigate({ filters: null, segment: null, panel: null });
/** A segment takes the place of all filters. */
export const showSegment = (id: string): void => navigate({ filters: null, segment: id, panel: null });
/** Also closes the filter dialog. */
export const setFilters = (next: readonly Filter[]): void => navigate({ filters: printFilters(next), panel: null });
export function toggleFilter(dimension: string, value: string, choice: Choice = "only"): void {
  if (!isGiven(dimension, value)) setFilters(withChoice(ownFilters.value, dimension, value, choice));
}

/** The open dialog, e.g. `keys` or `filter:pages==/pricing`. */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => navigate({ panel: name });
export const closePanel = (): void => navigate({ panel: null });
