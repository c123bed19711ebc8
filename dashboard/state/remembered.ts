/** What the next visit begins with: the period and the tab of each card that were chosen last. Stored in the browser, as URL parameters. */

import { isViewer } from "./share.ts";
import { store, stored } from "../api/stored.ts";

const STORAGE_KEY = "sandpiper.view";

/** Period, and the tabs by the parameters of their cards. */
const NAMES = ["period", "from", "pages", "places", "devices", "did"];

const storedView = (): URLSearchParams => new URLSearchParams(stored("local", STORAGE_KEY) ?? "");

/** To be called with each change of the URL that the reader chose. Custom ranges pass, so they are not remembered. Nor are views of others. */
export function remember(changes: Readonly<Record<string, string | null>>): void {
  if (isViewer) return;
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
