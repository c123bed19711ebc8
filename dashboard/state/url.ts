/** The URL and its history: the view is read from the URL's parameters and changed through them. */
import { computed, signal } from "@preact/signals";
import { store, stored } from "../api/stored.ts";
import { isGuest } from "./share.ts";

const STORAGE_KEY = "sandpiper.view";

/** Period, and the URL parameters of cards' tabs. */
const NAMES = ["period", "from", "pages", "places", "devices", "did"];

/** Reports of Explore, which were tabs of a card (`did`) in earlier links. */
export const EXPLORE_REPORTS = ["funnel", "flow", "sequences", "retention", "properties"] as const;
export type ExploreReport = (typeof EXPLORE_REPORTS)[number];

export const isExploreReport = (name: string | null): name is ExploreReport => EXPLORE_REPORTS.some((known) => known === name);

/** The period and tabs that the reader chose last, as URL parameters: the next visit begins with them. */
function storedView(): URLSearchParams {
  const view = new URLSearchParams(stored("local", STORAGE_KEY) ?? "");
  if (isExploreReport(view.get("did"))) view.delete("did");
  return view;
}

/** Call with each change that the reader chose. Custom ranges and views of guests are not remembered. */
function remember(changes: Readonly<Record<string, string | null>>): void {
  if (isGuest) return;
  const isCustom = typeof changes["start"] === "string";
  const chosen = Object.entries(changes).filter(([name]) => NAMES.includes(name) && !(name === "period" && isCustom));
  if (chosen.length === 0) return;
  const next = storedView();
  for (const [name, value] of chosen) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  store("local", STORAGE_KEY, next.toString());
}

/** Tabs for a site that another page opens with its own period. */
export const rememberedTabs = (): Readonly<Record<string, string>> =>
  Object.fromEntries([...storedView()].filter(([name]) => name !== "period"));

/** Applies only to a URL without parameters: a link shows exactly what it says. */
export const remembered = (): Readonly<Record<string, string>> => (location.search === "" ? Object.fromEntries(storedView()) : {});

/** Links from before Explore was a page of its own lead there. Funnels and sequences had the same steps. */
function withPresentNames(params: URLSearchParams): URLSearchParams {
  const report = params.get("did");
  if (!isExploreReport(report)) return params;
  params.delete("did");
  if (params.has("view")) return params;
  params.set("view", "explore");
  params.set("report", report);
  const steps = params.get("steps");
  if (report !== "sequences" || steps === null) return params;
  params.delete("steps");
  params.set("sequence", steps);
  return params;
}

const paramsInUrl = () => withPresentNames(new URLSearchParams(location.search));

const searchParams = signal(paramsInUrl());

/** True between `history.back()` and `popstate`: the view has changed, but the URL has not. */
let isGoingBack = false;

addEventListener("popstate", () => {
  if (isGoingBack && urlOf(searchParams.value) !== urlOf(paramsInUrl())) push(searchParams.value);
  isGoingBack = false;
  searchParams.value = paramsInUrl();
});

/** null removes a parameter. */
export type Changes = Readonly<Record<string, string | null>>;

function urlOf(params: URLSearchParams): string {
  const query = params.toString();
  return query === "" ? location.pathname : `${location.pathname}?${query}`;
}

export const PERIOD_PARAMS = ["period", "start", "end"];

function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  // The realtime view has no period.
  if (next.get("view") === "realtime" && PERIOD_PARAMS.some((name) => name in changes)) next.delete("view");
  // A search belongs to the open dialog.
  if ("panel" in changes) next.delete("search");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  // A section belongs to the settings.
  if (next.get("view") !== "settings") next.delete("section");
  // Steps and the like stay for the next time.
  if (next.get("view") !== "explore") next.delete("report");
  return next;
}

/** The entry of a dialog stores the URL before it. */
const push = (next: URLSearchParams): void =>
  history.pushState(next.has("panel") ? { before: urlOf(paramsInUrl()) } : null, "", urlOf(next));

/**
 * Changes the URL. `replace` adds no history entry: the reader did not choose it. An open dialog is one entry: closing it goes back if the
 * entry before is the same view, and any other change replaces it, so that Back never reopens a dialog.
 */
export function navigate(changes: Changes, replace = false): void {
  if (!replace) remember(changes);
  go(changes, replace);
}

function go(changes: Changes, replace: boolean): void {
  const [current, next] = [searchParams.value, changed(searchParams.value, changes)];
  if (urlOf(next) === urlOf(current)) return;
  searchParams.value = next;
  if (isGoingBack) return;
  isGoingBack = current.has("panel") && !next.has("panel") && history.state?.before === urlOf(next);
  if (isGoingBack) history.back();
  else if (replace || current.has("panel")) history.replaceState(next.has("panel") ? history.state : null, "", urlOf(next));
  else push(next);
}

/** The target of `navigate`, for a link. */
export const hrefAfter = (changes: Changes): string => urlOf(changed(searchParams.value, changes));

const onlyThese = (changes: Changes): Changes => ({
  ...Object.fromEntries([...searchParams.value.keys()].map((name) => [name, null])),
  ...changes,
});

/** Keeps only these parameters. The next visit still begins with the earlier choices. */
export const navigateAnew = (changes: Changes, replace = false): void => go(onlyThese(changes), replace);

/** The target of `navigateAnew`, for a link. */
export const hrefAnew = (changes: Changes): string => hrefAfter(onlyThese(changes));

/** Changes with every navigation. */
export const search = computed(() => searchParams.value.toString());

export const param = (name: string): string | null => searchParams.value.get(name);
