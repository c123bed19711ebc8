/** Checks of a site's events: whether they arrive, under which name, why they are rejected, and advice if none come. */
import { DEMO_SITE, SCRIPT_PATHS } from "../../src/shared/names.ts";
import type { Installation } from "../api/types.ts";
import { countOf, formatTimestamp } from "../format/locale.ts";
import { filesFinding, note, ok, problem, proxyFinding, type Check } from "./checks.ts";
import { isLocalSite } from "./platforms.ts";

type OutcomeCount = Installation["events"][number];
type Outcome = OutcomeCount["outcome"];

const OTHER_NAMES_MAX = 5;

const events = ({ count }: OutcomeCount): string => countOf(count, "event");
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
  ...(installation.proxy ? [proxyFinding(installation.proxy)] : []),
  ...(installation.files_left_out > 0 ? [filesFinding(installation.files_left_out)] : []),
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
