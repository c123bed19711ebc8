/** Everything from a request with an event to the journal, put together. */
import { RATE_LIMIT_BUCKETS_MAX } from "../base/config/limits.ts";
import type { QueryServices } from "./query-services.ts";
import { type AcceptEvent, createAcceptEvent } from "../ingest/accept-event.ts";
import { createAllowlist, type SiteAdmission } from "../ingest/admission.ts";
import { EventOutcomes } from "../ingest/event-outcomes.ts";
import { IngestGate } from "../ingest/ingest-gate.ts";
import { createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { createUserAgentCache } from "../ingest/device.ts";
import type { Visitors, VisitorSalts } from "../ingest/visitors.ts";
import { DemoSite } from "../installation/demo-site.ts";
import { Flush } from "../upkeep/flush.ts";
import type { Dependencies } from "./host.ts";
import type { JobServices } from "./job-services.ts";

export interface IngestServices {
  readonly knownSites: SiteAdmission;
  readonly addressRateLimit: RateLimit;
  readonly ingestGate: IngestGate;
  readonly visitorSalts: VisitorSalts;
  readonly acceptEvent: AcceptEvent;
  readonly eventOutcomes: EventOutcomes;
  readonly demoSite: DemoSite;
}

type DemoParts = Pick<JobServices, "erasure" | "expiry"> & Pick<QueryServices, "stats">;

function createDemoSite(
  { host: { config, now, wait }, eventStore, sites }: Dependencies,
  { erasure, stats, expiry }: DemoParts,
  knownSites: SiteAdmission,
): DemoSite {
  return new DemoSite({
    ...{ erasure, stats, eventStore, knownSites, now, role: config.role },
    calendarOf: (siteId) => sites.calendarOf(siteId),
    retentionDaysOf: (siteId) => expiry.daysOf(siteId),
    pause: () => wait(0),
  });
}

/** Accepted events are reported to `flush`, which starts early when there are many. */
export function createIngest(
  dependencies: Dependencies,
  knownSites: SiteAdmission,
  visitors: Visitors,
  { flush, ...demoParts }: DemoParts & { flush: Flush },
): IngestServices {
  const { host, counters, eventStore, sites } = dependencies;
  const { config, geo, log, now, unflushedBytesMax, oneSite } = host;
  const demoSite = createDemoSite(dependencies, demoParts, knownSites);
  const ingestGate = new IngestGate({ eventStore, counters, log, unflushedBytesMax });
  const addressRateLimit = createRateLimit({ perSecond: config.rateLimitPerIp, bucketsMax: RATE_LIMIT_BUCKETS_MAX });
  const eventOutcomes = new EventOutcomes({ hasAllowlist: config.siteIds.length > 0, startedAtMs: now() });
  const accept = createAcceptEvent({
    allowlist: createAllowlist(config.siteIds),
    knownSites,
    refuseDemoEvent: () => demoSite.refuseEvent(),
    siteRateLimit: createRateLimit({ perSecond: config.rateLimitPerSite, bucketsMax: RATE_LIMIT_BUCKETS_MAX }),
    addressRateLimit,
    sharedAddressRateLimit: config.rateLimitPerIp > 0 ? (oneSite?.registry.addressRateLimit ?? null) : null,
    filterBots: config.filterBots,
    userAgents: createUserAgentCache(),
    geo,
    ...visitors,
    minimisation: config,
    ingestGate,
    exclusionsOf: (siteId) => sites.exclusionsOf(siteId),
    calendarOf: (siteId) => sites.calendarOf(siteId),
    counters,
    outcomes: eventOutcomes,
    now,
  });
  const acceptEvent: AcceptEvent = async (context) => {
    const outcome = await accept(context);
    flush.noteEvent();
    return outcome;
  };
  return { knownSites, addressRateLimit, ingestGate, visitorSalts: visitors.visitorSalts, acceptEvent, eventOutcomes, demoSite };
}
