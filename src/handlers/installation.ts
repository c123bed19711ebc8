/** The installation check: what became of a site's events, and what its page says (docs/http-api.md, "Installation check"). */
import { OTHER_NAMES_MAX, SITES_LISTING_WAIT_MS, URL_CHARS_MAX } from "../runtime/base/config/limits.ts";
import { parseSiteId } from "../runtime/base/config/names.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import type { OutcomeCount } from "../runtime/ingest/event-outcomes.ts";
import { parseObject, requiredText } from "../runtime/base/config/json-fields.ts";
import { parseUrl } from "../runtime/ingest/parse-url.ts";
import { SitePages } from "../runtime/installation/site-pages.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import type { Services } from "../runtime/service/services.ts";
import type { SiteId, LocalDate } from "../storage/event.ts";
import { readBody } from "./body.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

const timestampOf = (ms: number): string => new Date(ms).toISOString();

const counted = ({ name, outcome, count, latestMs }: OutcomeCount) => ({ name, outcome, count, latest_at: timestampOf(latestMs) });

/** None without events, and if storage does not tell them in time: the counts are wanted most while it fails. */
async function daysOf(siteId: SiteId, { knownSites, daysOf: storedDays, wait }: Services): Promise<readonly LocalDate[]> {
  if (!knownSites.has(siteId)) return [];
  const days = storedDays(siteId).catch((): LocalDate[] => []);
  return (await Promise.race([days, wait(SITES_LISTING_WAIT_MS)])) ?? [];
}

export const getInstallation: Handler = async (_request, { services, url }) => {
  const { config, knownSites, eventOutcomes, proxyCheck } = services;
  const { site_id: siteId } = new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id });
  if (!knownSites.areListed) await knownSites.untilListed();
  // Lists the site's files, of which some may be left out.
  const days = await daysOf(siteId, services);
  // Where sites have instances of their own, this also brings their counts of events.
  const { filesLeftOut } = await services.gauges();
  return jsonReply({
    since: timestampOf(eventOutcomes.sinceMsOf(siteId)),
    is_allowed: config.siteIds.length === 0 || config.siteIds.includes(siteId),
    has_events: knownSites.has(siteId),
    first_event_date: days[0] ?? null,
    last_event_date: days.at(-1) ?? null,
    proxy: proxyCheck.finding && { problem: proxyCheck.finding.problem, trust_proxy: proxyCheck.finding.trustProxy },
    files_left_out: filesLeftOut,
    events: eventOutcomes.of(siteId).map(counted),
    other_events: eventOutcomes.ofOthers(siteId, OTHER_NAMES_MAX).map(counted),
  });
};

function parseScriptUrl(text: string): URL {
  const url = text.length > URL_CHARS_MAX ? null : parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalidInput(`"script_url" must be an http or https URL of at most ${URL_CHARS_MAX} characters`);
  return url;
}

/** The script's address comes from the dashboard, which shows it in the tracking code. It is compared, never requested. */
export const postInstallationPage: Handler = async (request, { services }) => {
  const body = parseObject(await readBody(request));
  const [siteId, url, script] = [requiredText(body, "site_id"), requiredText(body, "url"), requiredText(body, "script_url")];
  const pages = new SitePages(parseSiteId(siteId, "site_id"));
  const checked = { pages, url: pages.parse(url), scriptUrl: parseScriptUrl(script) };
  const { problem, status, html } = await services.pageCheck.check(checked);
  services.log.info("page check of an installation", {
    siteId,
    status: status ?? "none",
    problem: problem ?? "none",
  });
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
