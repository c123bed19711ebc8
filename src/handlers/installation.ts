/** The installation check: what became of a site's events, and what its page says (docs/http-api.md, "Installation check"). */
import { anyText, Body, required, textField } from "../runtime/base/body.ts";
import { OTHER_NAMES_MAX, SITES_LISTING_WAIT_MS, URL_CHARS_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { boolean, closed, count, list, nullable, orNull, text } from "../runtime/base/json-schema.ts";
import { type OutcomeCount, OUTCOMES } from "../runtime/ingest/event-outcomes.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import { PAGE_PROBLEMS, SitePages } from "../runtime/installation/page-check.ts";
import { BLOCKERS, SCRIPT_FINDINGS } from "../runtime/installation/page-findings.ts";
import { PROXY_PROBLEMS } from "../runtime/installation/proxy-check.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope.ts";
import type { Services } from "../runtime/service/services.ts";
import type { LocalDate, SiteId } from "../storage/event.ts";
import { answer, BODY_REFUSALS, jsonBody, SITE, type Operations } from "./openapi/operation.ts";
import { jsonReply, Query, readJson } from "./http.ts";
import type { Handler } from "./route.ts";

const counted = ({ latestMs, ...outcome }: OutcomeCount) => ({ ...outcome, latest_at: new Date(latestMs).toISOString() });

/** Empty without events, and if storage is too slow: the counts are needed most while it fails. */
async function daysOf(siteId: SiteId, { knownSites, daysOf: storedDays, wait }: Services): Promise<readonly LocalDate[]> {
  if (!knownSites.has(siteId)) return [];
  const days = storedDays(siteId).catch((): LocalDate[] => []);
  return (await Promise.race([days, wait(SITES_LISTING_WAIT_MS)])) ?? [];
}

export const getInstallation: Handler = async (_request, { services, url }) => {
  const { config, knownSites, eventOutcomes, unknownAliases, proxyCheck, sites } = services;
  const { site_id: siteId } = new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id });
  if (!knownSites.areListed) await knownSites.untilListed();
  // Before the gauges: listing the site's files finds those that are left out.
  const days = await daysOf(siteId, services);
  // On hosts with an instance for each site, this also fetches their counts of events.
  const { filesLeftOut, rollupDays } = await services.gauges();
  return jsonReply({
    since: new Date(eventOutcomes.sinceMsOf(siteId)).toISOString(),
    is_allowed: config.siteIds.length === 0 || config.siteIds.includes(siteId),
    has_events: knownSites.has(siteId),
    first_event_date: days[0] ?? null,
    last_event_date: days.at(-1) ?? null,
    proxy: proxyCheck.finding && { problem: proxyCheck.finding.problem, trust_proxy: proxyCheck.finding.trustProxy },
    files_left_out: filesLeftOut,
    rollups: { days_made: rollupDays.stored, days_due: rollupDays.stored + rollupDays.stale + rollupDays.missing },
    events: eventOutcomes.of(siteId).map(counted),
    other_events: eventOutcomes.ofOthers(siteId, OTHER_NAMES_MAX).map(counted),
    unknown_aliases: unknownAliases
      .listed()
      .filter(({ name }) => sites.siteOfAlias(name) === null)
      .map(({ name, count: sent, latestMs }) => ({ name, count: sent, latest_at: new Date(latestMs).toISOString() })),
  });
};

const PAGE_OF_SITE = new Body({
  site_id: required(textField(siteIdSchema("The site: a public host name."), parseSiteId)),
  url: required(
    anyText(
      text("An http or https URL of the site or a subdomain, at the scheme's own port or that of the site.", { maxLength: URL_CHARS_MAX }),
    ),
  ),
  script_url: required(
    textField(
      text("The public address of the script, as in the tracking code. It is not requested.", { maxLength: URL_CHARS_MAX }),
      (written, name) => {
        const url = written.length > URL_CHARS_MAX ? null : parseUrl(written);
        if (url !== null && /^https?:$/.test(url.protocol)) return url;
        throw invalidInput(`"${name}" must be an http or https URL of at most ${URL_CHARS_MAX} characters`);
      },
    ),
  ),
});

/** The script's address comes from the dashboard, which shows it in the tracking code. It is compared, never requested. */
export const postInstallationPage: Handler = async (request, { services }) => {
  const { site_id: siteId, url, script_url: scriptUrl } = PAGE_OF_SITE.parse(await readJson(request));
  const pages = new SitePages(siteId);
  const { problem, status, html } = await services.pageCheck.check({ pages, url: pages.parse(url), scriptUrl });
  services.log.info("page check of an installation", { siteId, status: status ?? "none", problem: problem ?? "none" });
  return jsonReply({
    problem,
    status,
    findings: html && {
      script: html.script,
      data_domain: html.dataDomain,
      uses_tag_manager: html.usesTagManager,
      script_blocked_by: html.scriptBlockedBy,
      events_blocked_by: html.eventsBlockedBy,
    },
  });
};

// Description in the OpenAPI document

const timestamp = (description: string) => text(description, { format: "date-time" });

const OUTCOME_COUNT = closed({
  name: text("The site; for an event that was refused before its site was read, the host of its page."),
  outcome: text("What became of the events.", { enum: OUTCOMES }),
  count: count("How many events."),
  latest_at: timestamp("When the latest of them arrived."),
});

const UNKNOWN_ALIAS = closed({
  name: text("The alias, as it can be added to a site's settings."),
  count: count("How many requests."),
  latest_at: timestamp("When the latest of them arrived."),
});

const blocker = (what: string) =>
  nullable(text(`What keeps a browser from ${what}: the Content Security Policy, or http on an https page.`, { enum: BLOCKERS }));

const PROXY_FINDING = closed({
  problem: text("`too_few`: visitors share the address of a proxy. `too_many`: clients can choose the address that counts.", {
    enum: PROXY_PROBLEMS,
  }),
  trust_proxy: count("The value of the option `trust_proxy` that fits the requests."),
});

const ROLLUP_PROGRESS = closed({
  days_made: count("Past days, of all sites, in an up-to-date rollup."),
  days_due: count("Past days, of all sites, that should be in one."),
});

const PAGE_FINDINGS = closed({
  script: text("`mentioned`: there is no script tag, but the address is in the page. `other_address`: the tag loads another one.", {
    enum: SCRIPT_FINDINGS,
  }),
  data_domain: orNull(text("The site that the script tag names, or several, separated by commas; null without one.")),
  uses_tag_manager: boolean("Whether the page loads Google Tag Manager."),
  script_blocked_by: blocker("loading the script"),
  events_blocked_by: blocker("sending events"),
});

const SCHEMAS = {
  Installation: closed({
    since: timestamp("Since when the counts of the site are complete: the start of the program, or later if names were dropped."),
    is_allowed: boolean("Whether `site_ids` allows the site."),
    has_events: boolean("Whether the site has events, from before the start, too."),
    first_event_date: orNull(
      text("The date of the site's first stored event; null without events, or if storage does not tell.", { format: "date" }),
    ),
    last_event_date: orNull(
      text("The date of the site's last event; null without events, or if storage does not tell.", { format: "date" }),
    ),
    proxy: nullable(PROXY_FINDING),
    files_left_out: count("Files of events, of any site, that reports leave out: damaged, missing or in the wrong folder."),
    rollups: ROLLUP_PROGRESS,
    events: list("The events of the site.", OUTCOME_COUNT),
    other_events: list("The events of other names, the latest first.", OUTCOME_COUNT),
    unknown_aliases: list("What tags of other products name and no site has in its `aliases`, the latest first.", UNKNOWN_ALIAS),
  }),
  InstallationPageRequest: PAGE_OF_SITE.schema,
  InstallationPage: closed({
    problem: nullable(text("Why there are no findings; null if there are.", { enum: PAGE_PROBLEMS })),
    status: orNull(count("The HTTP status of the page; null without a response.")),
    findings: nullable(PAGE_FINDINGS),
  }),
};

const OPERATIONS = {
  "GET /api/installation": {
    operationId: "getInstallation",
    summary: "What became of a site's events",
    description: "Counts in memory, by site and outcome.",
    parameters: [SITE],
    answers: {
      200: answer("The counts.", "Installation"),
    },
    refusals: { invalid_input: "`site_id` is missing or is no site id." },
  },
  "POST /api/installation/page": {
    operationId: "checkInstallationPage",
    summary: "What a page of a site says about its installation",
    description: "Requests the page at public addresses only, follows redirects within the site, and returns nothing of its content.",
    requestBody: jsonBody("InstallationPageRequest"),
    answers: {
      200: answer("The findings, or why there are none.", "InstallationPage"),
    },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, the site is no public host name, or a URL breaks its rule.",
      too_many_requests: "Another page is being checked, or was a moment ago.",
      request_timeout: "The time limit of requests is shorter than that of the check, and was exceeded.",
    },
  },
} satisfies Operations;

export const INSTALLATION_API = { tag: "Installation", schemas: SCHEMAS, operations: OPERATIONS } as const;
