/** Wires the admission of sites to their events: of all sites, or of the one site of an instance. */
import type { EventStore } from "../../storage/event-store.ts";
import type { SiteId } from "../../storage/event.ts";
import { CLICKHOUSE_SITES_MS_MAX } from "../base/config/clickhouse-limits.ts";
import type { Config } from "../base/config/config.ts";
import type { Counters } from "../base/metrics/counters.ts";
import type { Log } from "../base/metrics/log.ts";
import type { Sites } from "../sites/sites.ts";
import { AdmittedSite, type AdmittedSiteOptions } from "./admitted-site.ts";
import { KnownSites } from "./known-sites.ts";

interface AdmissionParts {
  readonly config: Config;
  readonly eventStore: EventStore;
  /** The list of the sites of all nodes: the store itself, unless nodes share a database. */
  readonly catalog: Pick<EventStore, "sites">;
  /** Sites with settings count, with or without events. */
  readonly sites: Pick<Sites, "has" | "listed" | "count">;
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}

/** `registered` are sites that other instances have registered; files need not show them yet. */
export function createKnownSites(
  { config, eventStore, catalog, sites, counters, log, monotonicMs, wait }: AdmissionParts,
  registered: () => Iterable<SiteId> = () => [],
): KnownSites {
  const knownSites = new KnownSites({
    storedSites: async () => new Set([...(await catalog.sites()), ...registered()]),
    listingMsMax: catalog === eventStore ? Number.POSITIVE_INFINITY : CLICKHOUSE_SITES_MS_MAX,
    monotonicMs,
    journaledSites: eventStore.unflushedSites(),
    isJournaled: (siteId) => eventStore.hasUnflushed(siteId),
    withSettings: sites,
    sitesMax: config.siteIds.length === 0 ? config.maxSites : Number.POSITIVE_INFINITY,
    counters,
    log,
    wait,
  });
  eventStore.observe({
    beforeRelease: (siteId) => knownSites.add(siteId),
    onSiteWithoutFiles: (siteId) => knownSites.forgetUnlessJournaled(siteId),
  });
  return knownSites;
}

interface OneSite extends Pick<AdmittedSiteOptions, "siteId"> {
  readonly registry: AdmittedSiteOptions["registry"] & { beginDeletion(): Promise<void> };
}

export function createAdmittedSite(
  { siteId, registry }: OneSite,
  { eventStore, log }: Pick<AdmissionParts, "eventStore" | "log">,
): AdmittedSite {
  const admittedSite = new AdmittedSite({
    siteId,
    registry,
    days: () => eventStore.days(siteId),
    isJournaled: () => eventStore.hasUnflushed(siteId),
    log,
  });
  eventStore.observe({
    beforeRelease: () => admittedSite.add(),
    beforeDelete: () => registry.beginDeletion(),
    onSiteWithoutFiles: () => admittedSite.forgetUnlessJournaled(),
  });
  return admittedSite;
}
