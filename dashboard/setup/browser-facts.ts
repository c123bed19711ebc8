/** What this browser does with the script, and what it says about its visitor. */
import { OPT_OUT_KEY } from "../names.ts";
import type { BrowserFacts } from "./browser-checks.ts";

/** Any response will do: blockers make the request itself fail. */
const isAnswered = (url: string, method: string): Promise<boolean> =>
  fetch(url, { method, cache: "no-store", credentials: "omit" }).then(
    () => true,
    () => false,
  );

function hasOptedOut(siteId: string): boolean | null {
  if (siteId.toLowerCase() !== location.hostname && siteId.toLowerCase() !== location.host) return null;
  try {
    return localStorage.getItem(OPT_OUT_KEY) === "true";
  } catch {
    return false;
  }
}

/** Requests the script, and the event endpoint beside it by a request that records nothing. */
async function blockedOf(scriptUrl: string): Promise<BrowserFacts["blocked"]> {
  if (new URL(scriptUrl).origin !== location.origin) return null;
  if (!(await isAnswered(scriptUrl, "GET"))) return "script";
  return (await isAnswered(new URL("api/event", scriptUrl).href, "OPTIONS")) ? "nothing" : "events";
}

export async function browserFacts(siteId: string, scriptUrl: string): Promise<BrowserFacts> {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { readonly globalPrivacyControl?: boolean };
  return {
    blocked: await blockedOf(scriptUrl),
    asksNotToBeTracked: doNotTrack === "1" || globalPrivacyControl === true,
    hasOptedOut: hasOptedOut(siteId),
  };
}
