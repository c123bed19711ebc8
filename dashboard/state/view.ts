/** What the page shows: a site or its realtime view, the filters, and the open dialog. */
import { computed } from "@preact/signals";
import { filterKindOf, type FilterKind } from "./filter-kind.ts";
import { parseFilters, printFilters, toggled, type Filter } from "./filters.ts";
import { navigate, navigateAnew, param, type Changes } from "./url.ts";

export const site = computed(() => param("site"));

/** Opens another site with nothing of the view before, except for `changes`. Null opens the site that a URL without one does. */
export const openSite = (id: string | null, changes: Changes = {}, replace = false): void =>
  navigateAnew({ site: id, ...changes }, replace);

export const isRealtime = (): boolean => param("view") === "realtime";
export const toggleRealtime = (): void => navigate({ view: isRealtime() ? null : "realtime" });

export const filters = computed((): readonly Filter[] => parseFilters(param("filters")));
export const isFiltered = computed(() => filters.value.length > 0);
export const filterKind = computed((): FilterKind => filterKindOf(filters.value));
/** What the visitors of a report are under the filters. */
export const visitorNoun = computed(() => (filterKind.value === "goal" ? "conversion" : "visitor"));
export const hasFilter = (dimension: string, value: string): boolean =>
  filters.value.some((filter) => filter.dimension === dimension && !filter.isNot && filter.value === value);

/** Also closes the filter dialog. */
export const setFilters = (next: readonly Filter[]): void => navigate({ filters: printFilters(next), panel: null });
export const toggleFilter = (dimension: string, value: string): void =>
  setFilters(toggled(filters.value, { dimension, isNot: false, value }));

/** The open dialog, e.g. `keys` or `filter:pages==/pricing`. */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => navigate({ panel: name });
export const closePanel = (): void => navigate({ panel: null });
