/** Which sites there are, and on which days they have events: here, and wherever else sites are kept. */
import type { LocalDate, SiteId } from "../../storage/event.ts";
import { KnownSites } from "../ingest/known-sites.ts";
import type { SiteAdmission } from "../ingest/site-admission.ts";
import type { Cluster } from "../clickhouse/cluster/cluster.ts";
import type { Dependencies } from "./dependencies.ts";

export interface SiteList {
  /** True if a site has events, or may have some that are not known here. */
  mayHaveEvents(siteId: SiteId): boolean;
  /** The days on which a site has events, oldest first. */
  daysOf(siteId: SiteId): Promise<readonly LocalDate[]>;
  /** Ids of all sites with data, with settings or on the allowlist, sorted (docs/http-api.md, "Sites"). */
  siteIds(): Promise<SiteId[]>;
}

/** `cluster` is null on an instance that is no node of one. */
export function createSiteList(
  { host: { config, siteInstances }, catalog, eventStore, sites }: Dependencies,
  knownSites: SiteAdmission,
  cluster: Cluster | null,
): SiteList {
  const isElsewhere = siteInstances !== undefined || catalog !== eventStore;
  const withEvents = (): Promise<Iterable<SiteId>> =>
    isElsewhere && knownSites instanceof KnownSites ? knownSites.listed() : eventStore.sites();
  return {
    mayHaveEvents: (siteId) => !knownSites.areListed || knownSites.has(siteId) || cluster?.isAlone === false,
    daysOf: (siteId) => (siteInstances ?? catalog).days(siteId),
    async siteIds() {
      await siteInstances?.confirm();
      return [...new Set([...(await withEvents()), ...sites.listed(), ...config.siteIds])].sort();
    },
  };
}
