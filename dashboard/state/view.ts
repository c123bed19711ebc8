/** What is looked at, all of it in the address: links, Back and Forward lead to the same view. */
import { computed, signal } from "@preact/signals";
import { rangeOf, type Period, PERIODS, type Range } from "./range.ts";
import { parseFilters, printFilters, type Filter } from "./filters.ts";

export const address = signal(new URLSearchParams(location.search));

addEventListener("popstate", () => {
  address.value = new URLSearchParams(location.search);
});

export type Changes = Readonly<Record<string, string | null>>;

/** The address with these parameters changed, or without those that are null. */
export function linkTo(changes: Changes): string {
  const next = new URLSearchParams(address.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  const query = next.toString();
  return query === "" ? location.pathname : `?${query}`;
}

/** Goes there; `instead` of the present view where Back should not lead to it. */
export function go(changes: Changes, instead = false): void {
  const link = linkTo(changes);
  if (link === `${location.search === "" ? location.pathname : location.search}`) return;
  if (instead) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  address.value = new URLSearchParams(location.search);
}

/** The value of a parameter, or null. */
export const param = (name: string): string | null => address.value.get(name);

/** The day it is, in UTC. Moves on when the page is looked at again. */
export const today = signal(new Date().toISOString().slice(0, 10));

export const site = computed(() => param("site"));

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

export const setFilters = (next: readonly Filter[]): void => go({ filters: printFilters(next), panel: null });

/** Adds the filter, or takes it away where it is there already. */
export function toggleFilter(filter: Filter): void {
  const same = ({ dimension, isNot, value }: Filter) => dimension === filter.dimension && isNot === filter.isNot && value === filter.value;
  const others = filters.value.filter((known) => !same(known));
  setFilters(
    others.length < filters.value.length
      ? others
      : [...others.filter(({ dimension, isNot }) => filter.isNot || isNot || dimension !== filter.dimension), filter],
  );
}

/** The common parameters of all figures of the view. */
export const scope = computed(() => ({
  site_id: site.value,
  ...(period.value === "custom" ? { start_date: range.value.start, end_date: range.value.end } : { period: period.value }),
  filters: printFilters(filters.value),
}));

export const isFiltered = computed(() => filters.value.length > 0);

/** Which dialog is open, with what it is about behind a colon. */
export const panel = computed(() => param("panel"));
export const openPanel = (name: string): void => go({ panel: name });
export const closePanel = (): void => go({ panel: null, search: null });
