/** Checks of an installation: events that arrive or are rejected, the page of the site, this browser, and the addresses of site and script. */
import { DEMO_SITE, SCRIPT_PATHS, TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Installation, InstallationPage } from "../api/types.ts";
import { countOf, formatTimestamp } from "../format/locale.ts";
import { words } from "../words/words.ts";
import { isLocalSite } from "./platforms.ts";
import { note, ok, problem, serviceFindings, type Check } from "./service-findings.ts";

type OutcomeCount = Installation["events"][number];
type Outcome = OutcomeCount["outcome"];

const OTHER_NAMES_MAX = 5;

const events = ({ count }: OutcomeCount): string => countOf(count, words.counts.event);
const were = ({ count }: OutcomeCount): string => (count === 1 ? "was" : "were");

/** Covers every outcome but `accepted`. */
const REFUSALS: Readonly<Record<Exclude<Outcome, "accepted">, (counted: OutcomeCount) => Check>> = {
  bot: (counted) =>
    problem(
      `${events(counted)} ${were(counted)} dropped as bot traffic`,
      "Visit your site in an ordinary browser. Automated browsers and HTTP libraries count only with `filter_bots = false`.",
    ),
  excluded: (counted) =>
    note(
      `${events(counted)} ${were(counted)} not stored, because the settings of the site exclude ${counted.count === 1 ? "it" : "them"}`,
      "That is right for your own visits. If it is not, look at the excluded pages, addresses and countries of the site.",
    ),
  origin_not_allowed: (counted) =>
    problem(
      `${events(counted)} of pages on \`${counted.name}\` ${were(counted)} refused: it isn't in \`site_ids\``,
      `Add \`${counted.name}\` to \`site_ids\` and restart.`,
    ),
  site_not_allowed: (counted) =>
    counted.name === DEMO_SITE
      ? problem(
          `${events(counted)} for \`${DEMO_SITE}\` ${were(counted)} refused: the demo site takes no events`,
          "Use another name as `data-domain`, or remove the demo site.",
        )
      : problem(
          `${events(counted)} for \`${counted.name}\` ${were(counted)} refused: it isn't in \`site_ids\``,
          "Add it to `site_ids` and restart, or use one of the names there as `data-domain`.",
        ),
  too_many_sites: (counted) =>
    problem(
      `${events(counted)} for \`${counted.name}\` ${were(counted)} refused: the limit \`max_sites\` is reached`,
      "Raise `max_sites`, or list your sites in `site_ids`.",
    ),
  rate_limited: (counted) =>
    problem(
      `${events(counted)} ${were(counted)} refused by a rate limit`,
      "Raise `rate_limit_per_site` or `rate_limit_per_ip`. Behind a proxy without `trust_proxy`, all visitors share one address.",
    ),
  invalid: (counted) =>
    problem(
      `${events(counted)} ${were(counted)} invalid`,
      "Open your browser's network tools on your site: the answer to `/api/event` names the field.",
    ),
  not_stored: (counted) =>
    problem(`${events(counted)} could not be stored`, "See the server's log. The most frequent reason is a full disk."),
};

function acceptedCheck(siteId: string, { events: counts, has_events: hasEvents, since }: Installation, timeZone: string): Check {
  const at = (iso: string) => formatTimestamp(iso, timeZone);
  const accepted = counts.find(({ outcome }) => outcome === "accepted");
  if (accepted) return ok(`${events(accepted)} since ${at(since)}, the latest at ${at(accepted.latest_at)}`);
  if (hasEvents) return note(`No events since ${at(since)}`, "Earlier events are stored.");
  if (counts.length > 0) return problem(`No event of \`${siteId}\` was accepted`, "The reasons are below.");
  return problem(
    `No request yet: nothing has arrived for \`${siteId}\` since ${at(since)}`,
    "Add the tracking code, publish, and visit your site. If you have done that, go on with the checks below.",
  );
}

/** Probably one site: subdomains of one another, other case, another port. */
function areRelated(siteId: string, other: string): boolean {
  const [a = "", b = ""] = [siteId, other].map((name) => name.toLowerCase().replace(/:\d+$/, ""));
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

const isRefused = (counted: OutcomeCount): counted is OutcomeCount & { outcome: keyof typeof REFUSALS } => counted.outcome !== "accepted";

const listOf = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const relatedOf = (siteId: string, { other_events: others }: Installation): readonly OutcomeCount[] =>
  others.filter(({ name }) => areRelated(siteId, name));

const refusalsIn = (counts: readonly OutcomeCount[]): Check[] =>
  counts.filter(isRefused).map((counted) => REFUSALS[counted.outcome](counted));

function ownRefusals(siteId: string, { is_allowed: isAllowed, events: counts }: Installation): Check[] {
  const isRefusedAlready = counts.some(({ outcome }) => outcome === "site_not_allowed");
  const notAllowed = problem(`\`${siteId}\` isn't in \`site_ids\``, "Add it and restart, or use one of the names there.");
  return [...(isAllowed || isRefusedAlready ? [] : [notAllowed]), ...refusalsIn(counts)];
}

/** Rejected events of the site, or of a name that is probably the same site. */
export const refusalChecks = (siteId: string, installation: Installation): Check[] => [
  ...ownRefusals(siteId, installation),
  ...refusalsIn(relatedOf(siteId, installation)),
];

/** Other names matter only if no event of the site arrives. */
function otherNamesChecks(siteId: string, installation: Installation): Check[] {
  const { events: counts, other_events: others } = installation;
  const checks = relatedOf(siteId, installation)
    .filter((counted) => !isRefused(counted))
    .map((counted) =>
      problem(
        `${events(counted)} arrived as \`${counted.name}\``,
        `Set \`data-domain="${siteId}"\` in the tracking code of these pages, or open \`${counted.name}\` in the list of sites.`,
      ),
    );
  const hasAccepted = counts.some(({ outcome }) => outcome === "accepted");
  const unrelated = [...new Set(others.map(({ name }) => name))].filter((name) => !areRelated(siteId, name)).slice(0, OTHER_NAMES_MAX);
  if (!hasAccepted && unrelated.length > 0)
    checks.push(
      note(`Events arrive under other names: ${listOf(unrelated)}`, "If one of them is this site, its tag has another `data-domain`."),
    );
  return checks;
}

export const eventChecks = (siteId: string, installation: Installation, timeZone: string): Check[] => [
  acceptedCheck(siteId, installation, timeZone),
  ...serviceFindings(installation),
  ...ownRefusals(siteId, installation),
  ...otherNamesChecks(siteId, installation),
  ...refusalsIn(relatedOf(siteId, installation)),
];

const NAMES_MAX = 3;

/** Names whose events may belong to the site. Sites that existed before are named only if the first event is late. */
export function arrivingNames(siteId: string, { other_events: others }: Installation, sites: readonly string[], isLate: boolean): string[] {
  const accepted = new Set(others.filter(({ outcome }) => outcome === "accepted").map(({ name }) => name));
  return [...accepted].filter((name) => isLate || areRelated(siteId, name) || !sites.includes(name)).slice(0, NAMES_MAX);
}

/** Most likely first. Text between backticks is code. */
export function thingsToCheck(siteId: string, scriptUrl: string): string[] {
  const { host } = new URL(scriptUrl);
  return [
    `The page is published, and its source has \`${SCRIPT_PATHS[0].slice(1)}\` and \`data-domain="${siteId}"\`.`,
    ...(isLocalSite(host) && !isLocalSite(siteId)
      ? [`The script's address is public, not \`${host}\`. Open the dashboard under its public address and copy the code again.`]
      : []),
    "No ad blocker stops it. Try a private window or another browser.",
    ...(isLocalSite(siteId) ? [] : ["You visit the public page. On `localhost`, the tag needs `data-include-local`."]),
  ];
}

type Findings = NonNullable<InstallationPage["findings"]>;

const PROBLEMS: Readonly<Record<NonNullable<InstallationPage["problem"]>, Check>> = {
  not_public: problem("The page isn't on a public address", "Only public pages can be checked. The other checks still apply."),
  unresolvable: problem("The page's name has no address", "Check the spelling, and that the domain's DNS records exist."),
  unreachable: problem("The page's server can't be reached", "Check that it is up, and that this server may connect to it."),
  certificate: problem("The page's TLS certificate isn't valid", "Renew it, or check the page under the name that it is for."),
  timeout: problem("The page took more than 5 seconds", "Try again, or check a smaller page."),
  too_many_redirects: problem("The page redirects more than 3 times", "Check the page that the redirects lead to."),
  foreign_redirect: problem("The page redirects to another site", "Check that page, with its own name as the site."),
  not_html: problem("The address isn't that of an HTML page", "Enter the address of a page that visitors see."),
};

const PASTE = "Paste the tracking code into the page's `<head>` and publish. It may also be an old copy from a cache.";

function scriptCheck({ script, uses_tag_manager: usesTagManager }: Findings): Check {
  if (script === "found") return ok("The page has the script tag");
  if (script === "other_address") return problem("The page's script tag points to another address", "Copy the tracking code again.");
  if (script === "mentioned")
    return note(
      "The page has no script tag, but names the script",
      "A framework may add the tag in the browser. If no events arrive, check that it does.",
    );
  if (usesTagManager)
    return note("The page has no script tag, but loads Tag Manager", "Check that your tag is published, with the trigger All Pages.");
  return problem("The page has no script tag", PASTE);
}

function siteCheck(siteId: string, { script, data_domain: named }: Findings): Check[] {
  if (script !== "found" && script !== "other_address") return [];
  if (named === null) return [problem("The script tag names no site", `Add \`data-domain="${siteId}"\` to it.`)];
  if (!named.split(",").includes(siteId))
    return [problem(`The script tag is for \`${named}\``, `Change it to \`data-domain="${siteId}"\`, or open that site here.`)];
  return [ok(`The script tag is for \`${siteId}\``)];
}

const MIXED = problem(
  "Browsers block the script: the page uses https and the script http",
  "Serve this program over https, and copy the tracking code from there.",
);

function blockChecks({ script, script_blocked_by: scriptBlocker, events_blocked_by: eventsBlocker }: Findings, scriptUrl: string): Check[] {
  if (scriptBlocker === "mixed_content" || eventsBlocker === "mixed_content") return [MIXED];
  const { origin } = new URL(scriptUrl);
  const blocks = (what: string, directive: string) =>
    problem(`The page's Content Security Policy blocks ${what}`, `Add \`${origin}\` to \`${directive}\`.`);
  return [
    ...(scriptBlocker === null ? [] : [blocks("the script", "script-src")]),
    ...(eventsBlocker === null ? [] : [blocks("events", "connect-src")]),
    ...(scriptBlocker === null && eventsBlocker === null && script === "found"
      ? [ok("The page's Content Security Policy allows the script and its events")]
      : []),
  ];
}

export function pageChecks(siteId: string, scriptUrl: string, { problem: reason, status, findings }: InstallationPage): Check[] {
  if (reason !== null) return [PROBLEMS[reason]];
  const isError = status !== null && status >= 400;
  const failed = problem(`The page answered ${status}`, "Check a page that exists and needs no login.");
  return [
    ...(isError ? [failed] : []),
    ...(findings ? [scriptCheck(findings), ...siteCheck(siteId, findings), ...blockChecks(findings, scriptUrl)] : []),
  ];
}

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
