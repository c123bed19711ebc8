/** GET /api/sites: the ids of all sites with events, settings, or on the allowlist (docs/http-api.md, "Sites"). */
import { mayRead } from "../runtime/access/principal.ts";
import { optionalOneOf } from "../runtime/query/parameters.ts";
import type { Sites } from "../runtime/sites/sites.ts";
import type { EpochMs, SiteId } from "../storage/event.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

export const SITES_PARAMETERS = {
  include: optionalOneOf("What the response has in addition.", ["settings"], "`settings`: what the dashboard needs to show a site."),
};

const shown = (sites: Sites, siteId: SiteId, nowMs: EpochMs) => {
  const { name, weekStart, hiddenCards, isPublic } = sites.settingsOf(siteId);
  const calendar = sites.calendarOf(siteId);
  return {
    site_id: siteId,
    name,
    time_zone: calendar.zoneAt(nowMs),
    today: calendar.dateOf(nowMs),
    week_start: weekStart,
    hidden_cards: hiddenCards,
    public: isPublic,
  };
};

/** Those that the caller may read, in ascending order. */
export const getSites: Handler = async (_request, { services, nowMs, url, reader: { principal } }) => {
  const { include } = new Query(url).parse(SITES_PARAMETERS);
  const sites = (await services.siteIds()).filter((siteId) => mayRead(principal, siteId));
  return jsonReply(include === null ? { sites } : { sites, settings: sites.map((siteId) => shown(services.sites, siteId, nowMs)) });
};
