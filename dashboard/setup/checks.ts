/** Checks of an installation: events that arrive or are rejected, the page of the site, this browser, and the addresses of site and script. */
import { DEMO_SITE, SCRIPT_PATHS, TRACK_FUNCTION } from "../../src/shared/names.ts";
import type { Installation, InstallationPage } from "../api/types.ts";
import { countOf, formatTimestamp } from "../format/locale.ts";
import type { Plural } from "../words/language.ts";
import { fill, pluralForm, words } from "../words/words.ts";
import { isLocalSite } from "./platforms.ts";
import { note, ok, problem, serviceFindings, type Check } from "./service-findings.ts";

type OutcomeCount = Installation["events"][number];
type Outcome = OutcomeCount["outcome"];

const OTHER_NAMES_MAX = 5;

/** The words for the number of events, and the name that they came with. */
const told = (forms: Plural, { count, name = "" }: OutcomeCount): string => countOf(count, forms).replace("{name}", () => name ?? "");

/** Covers every outcome but `accepted`. */
const REFUSALS: Readonly<Record<Exclude<Outcome, "accepted">, (counted: OutcomeCount) => Check>> = {
  bot: (counted) => problem(told(words.checks.bot, counted), words.checks.botAdvice),
  excluded: (counted) => note(told(words.checks.excluded, counted), words.checks.excludedAdvice),
  origin_not_allowed: (counted) =>
    problem(told(words.checks.originRefused, counted), fill(words.checks.originAdvice, { name: counted.name ?? "" })),
  site_not_allowed: (counted) =>
    counted.name === DEMO_SITE
      ? problem(told(words.checks.demoRefused, counted), words.checks.demoAdvice)
      : problem(told(words.checks.siteRefused, counted), words.checks.siteAdvice),
  too_many_sites: (counted) => problem(told(words.checks.tooManySites, counted), words.checks.tooManySitesAdvice),
  rate_limited: (counted) => problem(told(words.checks.rateLimited, counted), words.checks.rateLimitedAdvice),
  invalid: (counted) => problem(told(words.checks.invalid, counted), words.checks.invalidAdvice),
  not_stored: (counted) => problem(told(words.checks.notStored, counted), words.checks.notStoredAdvice),
};

function acceptedCheck(siteId: string, { events: counts, has_events: hasEvents, since }: Installation, timeZone: string): Check {
  const at = (iso: string) => formatTimestamp(iso, timeZone);
  const accepted = counts.find(({ outcome }) => outcome === "accepted");
  if (accepted)
    return ok(
      fill(pluralForm(words.checks.accepted, accepted.count), {
        count: accepted.count,
        since: at(since),
        latest: at(accepted.latest_at),
      }),
    );
  if (hasEvents) return note(fill(words.checks.noneSince, { since: at(since) }), words.checks.earlierStored);
  if (counts.length > 0) return problem(fill(words.checks.noneAccepted, { site: siteId }), words.checks.reasonsBelow);
  return problem(fill(words.checks.nothing, { site: siteId, since: at(since) }), words.checks.nothingAdvice);
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
  const notAllowed = problem(fill(words.checks.notAllowed, { site: siteId }), words.checks.notAllowedAdvice);
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
      problem(told(words.checks.arrivedAs, counted), fill(words.checks.arrivedAsAdvice, { site: siteId, name: counted.name ?? "" })),
    );
  const hasAccepted = counts.some(({ outcome }) => outcome === "accepted");
  const unrelated = [...new Set(others.map(({ name }) => name))].filter((name) => !areRelated(siteId, name)).slice(0, OTHER_NAMES_MAX);
  if (!hasAccepted && unrelated.length > 0)
    checks.push(note(fill(words.checks.otherNames, { names: listOf(unrelated) }), words.checks.otherNamesAdvice));
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
    fill(words.checks.isPublished, { script: SCRIPT_PATHS[0].slice(1), site: siteId }),
    ...(isLocalSite(host) && !isLocalSite(siteId) ? [fill(words.checks.isPublicScript, { host })] : []),
    words.checks.noBlocker,
    ...(isLocalSite(siteId) ? [] : [words.checks.isPublicPage]),
  ];
}

type Findings = NonNullable<InstallationPage["findings"]>;

const PROBLEMS: Readonly<Record<NonNullable<InstallationPage["problem"]>, Check>> = {
  not_public: problem(words.checks.notPublic, words.checks.notPublicAdvice),
  unresolvable: problem(words.checks.unresolvable, words.checks.unresolvableAdvice),
  unreachable: problem(words.checks.unreachable, words.checks.unreachableAdvice),
  certificate: problem(words.checks.certificate, words.checks.certificateAdvice),
  timeout: problem(words.checks.slow, words.checks.slowAdvice),
  too_many_redirects: problem(words.checks.redirects, words.checks.redirectsAdvice),
  foreign_redirect: problem(words.checks.foreign, words.checks.foreignAdvice),
  not_html: problem(words.checks.notHtml, words.checks.notHtmlAdvice),
};

const PASTE = words.checks.paste;

function scriptCheck({ script, uses_tag_manager: usesTagManager }: Findings): Check {
  if (script === "found") return ok(words.checks.hasTag);
  if (script === "other_address") return problem(words.checks.otherAddress, words.checks.copyAgain);
  if (script === "mentioned") return note(words.checks.mentioned, words.checks.mentionedAdvice);
  if (usesTagManager) return note(words.checks.tagManager, words.checks.tagManagerAdvice);
  return problem(words.checks.noTag, PASTE);
}

function siteCheck(siteId: string, { script, data_domain: named }: Findings): Check[] {
  if (script !== "found" && script !== "other_address") return [];
  if (named === null) return [problem(words.checks.noSite, fill(words.checks.noSiteAdvice, { site: siteId }))];
  if (!named.split(",").includes(siteId))
    return [problem(fill(words.checks.tagFor, { site: named }), fill(words.checks.otherSiteAdvice, { site: siteId }))];
  return [ok(fill(words.checks.tagFor, { site: siteId }))];
}

const MIXED = problem(words.checks.mixed, words.checks.mixedAdvice);

function blockChecks({ script, script_blocked_by: scriptBlocker, events_blocked_by: eventsBlocker }: Findings, scriptUrl: string): Check[] {
  if (scriptBlocker === "mixed_content" || eventsBlocker === "mixed_content") return [MIXED];
  const { origin } = new URL(scriptUrl);
  const blocks = (finding: string, directive: string) => problem(finding, fill(words.checks.policyAdvice, { origin, directive }));
  return [
    ...(scriptBlocker === null ? [] : [blocks(words.checks.policyScript, "script-src")]),
    ...(eventsBlocker === null ? [] : [blocks(words.checks.policyEvents, "connect-src")]),
    ...(scriptBlocker === null && eventsBlocker === null && script === "found" ? [ok(words.checks.policyOk)] : []),
  ];
}

export function pageChecks(siteId: string, scriptUrl: string, { problem: reason, status, findings }: InstallationPage): Check[] {
  if (reason !== null) return [PROBLEMS[reason]];
  const isError = status !== null && status >= 400;
  const failed = problem(fill(words.checks.answered, { status: String(status) }), words.checks.answeredAdvice);
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

const BLOCKED = words.checks.blockedAdvice;

function blockerCheck({ blocked }: BrowserFacts): Check {
  if (blocked === null) return note(words.checks.blockUnknown, words.checks.blockUnknownAdvice);
  if (blocked === "script") return problem(words.checks.blocksScript, BLOCKED);
  if (blocked === "events") return problem(words.checks.blocksEvents, BLOCKED);
  return ok(words.checks.blocksNothing);
}

const signalCheck = ({ asksNotToBeTracked }: BrowserFacts): Check =>
  asksNotToBeTracked ? note(words.checks.doNotTrack, words.checks.doNotTrackAdvice) : ok(words.checks.noSignal);

function optOutCheck({ hasOptedOut: optedOut }: BrowserFacts): Check {
  if (optedOut === null)
    return note(words.checks.optOutUnknown, fill(words.checks.optOutUnknownAdvice, { code: `localStorage.${OPT_OUT_KEY}` }));
  return optedOut
    ? problem(words.checks.optedOut, fill(words.checks.optedOutAdvice, { code: `localStorage.removeItem("${OPT_OUT_KEY}")` }))
    : ok(words.checks.notOptedOut);
}

export const browserChecks = (facts: BrowserFacts): Check[] => [blockerCheck(facts), signalCheck(facts), optOutCheck(facts)];

export function addressChecks(siteId: string, scriptUrl: string): Check[] {
  const { host } = new URL(scriptUrl);
  if (isLocalSite(siteId)) return [note(fill(words.checks.local, { site: siteId }), words.checks.localAdvice)];
  if (!isLocalSite(host)) return [];
  return [problem(fill(words.checks.localScript, { host }), words.checks.localScriptAdvice)];
}
