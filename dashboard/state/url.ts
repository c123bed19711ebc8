/** The URL and its history: the view is read from the URL's parameters and changed through them. */
import { computed, signal } from "@preact/signals";
import { store, stored } from "../api/stored.ts";
import { isGuest } from "./share.ts";

const STORAGE_KEY = "sandpiper.view";

/** Period, and the tabs by the parameters of their cards. */
const NAMES = ["period", "from", "pages", "places", "devices", "did"];

const storedView = (): URLSearchParams => new URLSearchParams(stored("local", STORAGE_KEY) ?? "");

/** To be called with each change of the URL that the reader chose. Custom ranges pass, so they are not remembered. Nor are views of others. */
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

/** For a site that another page opens, with a period of its own. */
export const rememberedTabs = (): Readonly<Record<string, string>> =>
  Object.fromEntries([...storedView()].filter(([name]) => name !== "period"));

/** For a URL without parameters only: a link shows what it says. */
export const remembered = (): Readonly<Record<string, string>> => (location.search === "" ? Object.fromEntries(storedView()) : {});

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
  return query === "" ? location.pathname : `${location.pathname}?${query}`;
}

/** The parameters of the period. Choosing one leaves the realtime view, which has no period. */
export const PERIOD_PARAMS = ["period", "start", "end"];

function changed(params: URLSearchParams, changes: Changes): URLSearchParams {
  const next = new URLSearchParams(params);
  if (PERIOD_PARAMS.some((name) => name in changes)) next.delete("view");
  // A search belongs to the open dialog.
  if ("panel" in changes) next.delete("search");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") next.delete(name);
    else next.set(name, value);
  }
  // A section belongs to the settings.
  if (next.get("view") !== "settings") next.delete("section");
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

/** Where `navigate` would lead, for a link. */
export const hrefAfter = (changes: Changes): string => urlOf(changed(searchParams.value, changes));

const onlyThese = (changes: Changes): Changes => ({
  ...Object.fromEntries([...searchParams.value.keys()].map((name) => [name, null])),
  ...changes,
});

/** The same with these parameters alone. The next visit still begins with what was chosen before. */
export const navigateAnew = (changes: Changes, replace = false): void => go(onlyThese(changes), replace);

/** Where `navigateAnew` would lead, for a link. */
export const hrefAnew = (changes: Changes): string => hrefAfter(onlyThese(changes));

/** The view as a text: changes with every navigation. */
export const search = computed(() => searchParams.value.toString());

export const param = (name: string): string | null => searchParams.value.get(name);
