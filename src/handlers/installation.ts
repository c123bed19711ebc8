/** The check of an installation: what became of a site's events (docs/http-api.md, "Installation check"). */
import { OTHER_NAMES_MAX } from "../runtime/config/installation-limits.ts";
import type { OutcomeCount } from "../runtime/ingest/event-outcomes.ts";
import { SCOPE_PARAMETERS } from "../runtime/query/scope-parameters.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

const timestampOf = (ms: number): string => new Date(ms).toISOString();

const counted = ({ name, outcome, count, latestMs }: OutcomeCount) => ({ name, outcome, count, latest_at: timestampOf(latestMs) });

export const getInstallation: Handler = async (_request, { services, url }) => {
  const { config, knownSites, eventOutcomes, startedAtMs } = services;
  const { site_id: siteId } = new Query(url).parse({ site_id: SCOPE_PARAMETERS.site_id });
  if (!knownSites.areListed) await knownSites.untilListed();
  return jsonReply({
    since: timestampOf(startedAtMs),
    is_allowed: config.siteIds.length === 0 || config.siteIds.includes(siteId),
    has_events: knownSites.has(siteId),
    events: eventOutcomes.of(siteId).map(counted),
    other_events: eventOutcomes.ofOthers(siteId, OTHER_NAMES_MAX).map(counted),
  });
};
