/** What the next visit begins with: the period and the tab of each card that were chosen last. Stored in the browser, as URL parameters. */

const STORAGE_KEY = "sandpiper.view";

/** Period, and the tabs by the parameters of their cards. */
const NAMES = ["period", "from", "pages", "places", "devices", "did"];

const stored = (): URLSearchParams => new URLSearchParams(localStorage.getItem(STORAGE_KEY) ?? "");

/** To be called with each change of the URL that the reader chose. Custom ranges pass, so they are not remembered. */
export function remember(changes: Readonly<Record<string, string | null>>): void {
  const isCustom = typeof changes["start"] === "string";
  const chosen = Object.entries(changes).filter(([name]) => NAMES.includes(name) && !(name === "period" && isCustom));
  if (chosen.length === 0) return;
  const next = stored();
  for (const [name, value] of chosen) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  localStorage.setItem(STORAGE_KEY, next.toString());
}

/** For a URL without parameters only: a link shows what it says. */
export const remembered = (): Readonly<Record<string, string>> => (location.search === "" ? Object.fromEntries(stored()) : {});
