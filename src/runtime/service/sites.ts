/** Opens what is set for sites: from records, which nodes share, or as the instance has it that holds them for all sites. */
import type { Clickhouse } from "../clickhouse/clickhouse.ts";
import type { EventCatalog } from "../clickhouse/clickhouse-catalog.ts";
import { distributionBy } from "../clickhouse/cluster/cluster-settings.ts";
import { openDefaultCalendar, readDefaultCalendar, type CalendarRecord } from "../sites/site-calendar.ts";
import { Sites } from "../sites/sites.ts";
import type { Host } from "./host.ts";

/** If storage does not tell whether there are events, there may be. */
async function followedCalendar({ siteInstances, ...host }: Host, catalog: EventCatalog): Promise<CalendarRecord> {
  const hasEvents = async (): Promise<boolean> => {
    const isRegistered = siteInstances !== undefined && [...siteInstances.registered()].length > 0;
    return isRegistered || (await catalog.sites().catch(() => null))?.size !== 0;
  };
  return openDefaultCalendar({ ...host, hasEvents }, siteInstances?.settleMs);
}

/** `shared`: of a node, which follows the option `time_zone` when it has joined the others. */
async function defaultCalendarOf(host: Host, catalog: EventCatalog, shared: Clickhouse | null): Promise<CalendarRecord> {
  if (host.oneSite) return host.oneSite.defaultCalendar;
  return shared ? readDefaultCalendar(host.records) : followedCalendar(host, catalog);
}

export async function openSites(host: Host, catalog: EventCatalog, shared: Clickhouse | null): Promise<Sites> {
  const calendar = await defaultCalendarOf(host, catalog, shared);
  const distribution = shared ? distributionBy(shared.settings) : host.siteInstances;
  return Sites.open({ ...host, calendar, distribution, sitesMax: host.config.maxSites });
}
