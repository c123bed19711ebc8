/** The view is the URL: site, period, filters, tabs and the open dialog are read from it and changed through it. */
import { computed, signal } from "@preact/signals";
import { filterKindOf, withoutEventFilters, type FilterKind } from "./filter-kind.ts";
import { parseFilters, printFilters, toggled, type Filter } from "./filters.ts";
import { comparedRangeOf, type ComparedRange, type Comparison } from "./compared-range.ts";
import { customRange, PERIODS, rangeOf, rangeProblem, type Period, type Range } from "./range.ts";
import { remember } from "./remembered.ts";

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

/** The parameters of the period. Choosing one leaves the realtime view, which has no period. */
const PERIOD_PARAMS = ["period", "start", "end"];

function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  if (PERIOD_PARAMS.some((name) => name in changes)) next.delete("view");
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

export const isRealtime = (): boolean => param("view") === "realtime";
export const toggleRealtime = (): void => navigate({ view: isRealtime() ? null : "realtime" });

/** Today in UTC, `YYYY-MM-DD`. Updated by the realtime polling. */
export const today = signal(new Date().toISOString().slice(0, 10));

export const site = computed(() => param("site"));

/** Opens another site with nothing of the view before, except for `changes`. Null opens the site that a URL without one does. */
export function openSite(id: string | null, changes: Changes = {}, replace = false): void {
  const cleared = Object.fromEntries([...searchParams.value.keys()].map((name) => [name, null]));
  navigate({ ...cleared, site: id, ...changes }, replace);
}

/** The dates of a custom range in the URL; null unless both are there. */
function datesIn(startName: string, endName: string): { readonly start: string; readonly end: string } | null {
  const [start, end] = [param(startName), param(endName)];
  return start === null || end === null ? null : { start, end };
}

const customDates = computed(() => datesIn("start", "end"));
const comparedDates = computed(() => datesIn("compare_start", "compare_end"));

const namedPeriod = (): Period => PERIODS.find((known) => known === param("period")) ?? "30d";

export const period = computed((): Period | "custom" => (customDates.value ? "custom" : namedPeriod()));

export const range = computed((): Range => {
  const dates = customDates.value;
  return dates ? customRange(dates.start, dates.end, today.value) : rangeOf(namedPeriod(), today.value);
});

/** Why the dates in the URL are not the range. */
export const urlRangeProblem = computed(() => customDates.value && rangeProblem(customDates.value.start, customDates.value.end));

export const comparison = computed((): Comparison => {
  const chosen = param("compare");
  if (chosen === "custom" && comparedDates.value) return chosen;
  return chosen === "year_over_year" || chosen === "none" ? chosen : "previous_period";
});

/** Only the choice against it is in the URL. */
export const matchWeekdays = computed(() => param("weekdays") !== "off");

const customComparison = computed(
  () => comparedDates.value && customRange(comparedDates.value.start, comparedDates.value.end, today.value),
);

/** The window that the range would be compared with. */
export const comparedBy = (chosen: Comparison): ComparedRange | null =>
  comparedRangeOf(range.value, { comparison: chosen, matchWeekdays: matchWeekdays.value, custom: customComparison.value }, today.value);

/** The window that the range is compared with; null without a comparison. */
export const comparedRange = computed(() => comparedBy(comparison.value));

/** The compared window as parameters of the report `main`. */
export const comparisonParameters = computed(() => {
  const compared = comparedRange.value;
  if (!compared) return {};
  const { start, end, today: until } = compared;
  return {
    compare: "custom",
    compare_start_date: start,
    compare_end_date: until ?? end,
    ...(until !== null && { compare_same_time: "true" }),
  };
});

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
