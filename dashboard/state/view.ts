/** The view is the URL: site, period, filters, tabs and the open dialog are read from it and changed through it. */
import { computed, signal } from "@preact/signals";
import { filterKindOf, withoutEventFilters, type FilterKind } from "./filter-kind.ts";
import { parseFilters, printFilters, toggled, type Filter } from "./filters.ts";
import { remember } from "./remembered.ts";
import { rangeOf, type Period, PERIODS, type Range } from "./range.ts";

const paramsInUrl = () => new URLSearchParams(location.search);

const searchParams = signal(paramsInUrl());

/** Between `history.back()` and its `popstate`: the view has changed already, the URL not yet. */
let isGoingBack = false;

addEventListener("popstate", () => {
  if (isGoingBack && urlOf(searchParams.value) !== urlOf(paramsInUrl())) push(searchParams.value);
  isGoingBack = false;
  searchParams.value = paramsInUrl();
});

/** New values of URL parameters; null removes one. */
export type Changes = Readonly<Record<string, string | null>>;

function urlOf(params: URLSearchParams): string {
  const query = params.toString();
  return query === "" ? location.pathname : `?${query}`;
}

function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  // A search belongs to the open dialog.
  if ("panel" in changes) next.delete("search");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** The state of a dialog's entry is the URL before it. */
const push = (next: URLSearchParams): void =>
  history.pushState(next.has("panel") ? { before: urlOf(paramsInUrl()) } : null, "", urlOf(next));

/**
 * Changes the URL. `replace` adds no entry to the history, as for what the reader did not choose. An open dialog is one entry:
 * closing it goes back to the one before, if that is the same view, and all else replaces it, so that Back never reopens a dialog.
 */
export function navigate(changes: Changes, replace = false): void {
  const [current, next] = [searchParams.value, changed(searchParams.value, changes)];
  if (!replace) remember(changes);
  if (urlOf(next) === urlOf(current)) return;
  searchParams.value = next;
  if (isGoingBack) return;
  isGoingBack = current.has("panel") && !next.has("panel") && history.state?.before === urlOf(next);
  if (isGoingBack) history.back();
  else if (replace || current.has("panel")) history.replaceState(next.has("panel") ? history.state : null, "", urlOf(next));
  else push(next);
}

/** The view as a text: changes with every navigation. */
export const search = computed(() => searchParams.value.toString());

export const param = (name: string): string | null => searchParams.value.get(name);

/** Today in UTC, `YYYY-MM-DD`. Updated by the realtime polling. */
export const today = signal(new Date().toISOString().slice(0, 10));

export const site = computed(() => param("site"));

/** Opens another site with nothing of the view before, except for `changes`. */
export function openSite(id: string, changes: Changes = {}, replace = false): void {
  const cleared = Object.fromEntries([...searchParams.value.keys()].map((name) => [name, null]));
  navigate({ ...cleared, site: id, ...changes }, replace);
}

export type Comparison = "previous_period" | "year_over_year" | "none";

export const comparison = computed((): Comparison => {
  const chosen = param("compare");
  return chosen === "year_over_year" || chosen === "none" ? chosen : "previous_period";
});

export const period = computed((): Period | "custom" => {
  if (param("start") !== null && param("end") !== null) return "custom";
  return PERIODS.find((known) => known === param("period")) ?? "30d";
});

export const range = computed((): Range => rangeOf(period.value, param("start"), param("end"), today.value));

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

/** Site and period as parameters of a report. */
export const unfilteredScope = computed(() => ({
  site_id: site.value,
  ...(period.value === "custom" ? { start_date: range.value.start, end_date: range.value.end } : { period: period.value }),
}));

/** Site, period and filters as parameters of a report. */
export const scope = computed(() => ({ ...unfilteredScope.value, filters: printFilters(filters.value) }));

/** The same without the filters on events. */
export const everybodyScope = computed(() => ({ ...unfilteredScope.value, filters: printFilters(withoutEventFilters(filters.value)) }));

/** The open dialog, e.g. `keys` or `filter:pages==/pricing`. */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => navigate({ panel: name });
export const closePanel = (): void => navigate({ panel: null });
