/** Checks of this browser: whether its own visits count, and whether the addresses of site and script can work. */
import { TRACK_FUNCTION } from "../../src/shared/names.ts";
import { note, ok, problem, type Check } from "./checks.ts";
import { isLocalSite } from "./platforms.ts";

/** The local storage key with which visitors opt out of the tracker. */
const OPT_OUT_KEY = `${TRACK_FUNCTION}_ignore`;

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

/** Requests the script, and the event endpoint without recording an event. */
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

interface BrowserFacts {
  /** null if the script has another origin, which this page may not request. */
  readonly blocked: "nothing" | "script" | "events" | null;
  /** Do Not Track or Global Privacy Control. */
  readonly asksNotToBeTracked: boolean;
  /** The opt-out key of this page's origin; null if the site has another origin, whose storage cannot be read. */
  readonly hasOptedOut: boolean | null;
}

const BLOCKED = "It is probably an ad blocker. Pause it for your site, or serve the script under your own domain (first-party paths).";

function blockerCheck({ blocked }: BrowserFacts): Check {
  if (blocked === null)
    return note("Whether this browser blocks the script can't be seen from here", "Open the dashboard under the address of the script.");
  if (blocked === "script") return problem("Something in this browser blocks the script", BLOCKED);
  if (blocked === "events") return problem("Something in this browser blocks events", BLOCKED);
  return ok("This browser can load the script and send events");
}

const signalCheck = ({ asksNotToBeTracked }: BrowserFacts): Check =>
  asksNotToBeTracked
    ? note("This browser asks not to be tracked", "With `data-honor-dnt`, your own visits aren't counted. Test in another browser.")
    : ok("This browser sends neither Do Not Track nor Global Privacy Control");

function optOutCheck({ hasOptedOut: optedOut }: BrowserFacts): Check {
  if (optedOut === null)
    return note(
      "Whether you have opted out can't be read from here",
      `In the console of your site, \`localStorage.${OPT_OUT_KEY}\` must not be \`true\`.`,
    );
  return optedOut
    ? problem("This browser has opted out", `In the console, run \`localStorage.removeItem("${OPT_OUT_KEY}")\`.`)
    : ok("This browser hasn't opted out");
}

export const browserChecks = (facts: BrowserFacts): Check[] => [blockerCheck(facts), signalCheck(facts), optOutCheck(facts)];

export function addressChecks(siteId: string, scriptUrl: string): Check[] {
  const { host } = new URL(scriptUrl);
  if (isLocalSite(siteId))
    return [note(`\`${siteId}\` is a local address`, "Its pages are counted only with `data-include-local`, as the tracking code has it.")];
  if (!isLocalSite(host)) return [];
  return [
    problem(
      `The script's address is local: visitors can't load it from \`${host}\``,
      "Open the dashboard under its public address, and copy the tracking code from there.",
    ),
  ];
}
