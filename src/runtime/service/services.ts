/** Creates and connects all services at the start, from what the host provides. Contains no logic of its own. */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import type { EventStore, ExpiredDays } from "../../storage/event-store.ts";
import { addressedAssets, addressedScript } from "./assets.ts";
import { createAuth, type AuthServices } from "../access/auth-services.ts";
import { standingBy, type StandingOf } from "../access/principal.ts";
import { GUEST_REQUESTS_AT_ONCE, GUEST_REQUESTS_PER_SECOND } from "../base/config/admin-limits.ts";
import { RATE_LIMIT_BUCKETS_MAX } from "../base/config/limits.ts";
import { EXPORTS_BYTES_ALLOWED_MIN, EXPORTS_SHARE_MAX } from "../base/config/report-limits.ts";
import { openClickhouse } from "../clickhouse/clickhouse.ts";
import { ClickhouseCatalog } from "../clickhouse/clickhouse-events.ts";
import { QueryLimiter } from "../results/query-limiter.ts";
import { budgetBytesOf, createQueryServices, type QueryServices, createStoredRollups, type StoredRollups } from "./query-services.ts";
import { createAdmittedSite, createKnownSites, type SiteAdmission } from "../ingest/admission.ts";
import { warnOfOldGeoDatabase } from "../ingest/geo.ts";
import { createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { createVisitors } from "../ingest/visitors.ts";
import { PageCheck } from "../installation/page-check.ts";
import { ProxyCheck } from "../installation/proxy-check.ts";
import { Cluster } from "../clickhouse/cluster/cluster.ts";
import type { Erased } from "../upkeep/erasure.ts";
import { createCounters, type Counters, collectGauges, type Gauges, RequestMetrics } from "../base/metrics/counters.ts";
import { ExportMemory } from "../reports/exports/export-memory.ts";
import { Overview } from "../reports/overview/overview.ts";
import type { Sites } from "../sites/sites.ts";
import { itemsOf, openCollections, type Collections, openEventStore, createSiteList, type SiteList, openSites } from "./stored-data.ts";
import type { Dependencies, Host } from "./host.ts";
import { createIngest, type IngestServices } from "./ingest-services.ts";
import { createJobs, type JobServices, createLifecycle, type Lifecycle } from "./job-services.ts";
import { LeftOutFiles } from "../base/metrics/storage-faults.ts";

type HostServices = Pick<
  Host,
  "config" | "log" | "now" | "monotonicMs" | "wait" | "newRequestId" | "trackerScript" | "assets" | "version" | "geoIsLoaded" | "geoBuiltMs"
> & { readonly processUsage: Host["processUsage"] };

type Groups = HostServices &
  AuthServices &
  IngestServices &
  QueryServices &
  JobServices &
  StoredRollups &
  Collections &
  SiteList &
  Lifecycle;

export interface Services extends Groups {
  readonly startedAtMs: EpochMs;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly requests: RequestMetrics;
  readonly eventStore: EventStore;
  readonly exportMemory: ExportMemory;
  readonly overview: Overview;
  readonly pageCheck: PageCheck;
  readonly proxyCheck: ProxyCheck;
  readonly standingOf: StandingOf;
  /** Limits requests with a share link, or of a public site, per IP address. */
  readonly guestRateLimit: RateLimit;
  readonly sites: Sites;
  /**
   * Gauges of this instance and, on hosts with an instance per site, of those that are running, whose counters are added to this instance's
   * first.
   */
  gauges(): Promise<Gauges>;
  /** Erases on all nodes. `untilMs`, by the monotonic clock, is how long the answer can wait for the others. */
  eraseOnRequest(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number): Promise<Erased>;
}

/** The memory that all exports share. */
const createExportMemory = ({ config }: Host): ExportMemory =>
  new ExportMemory(Math.max(EXPORTS_BYTES_ALLOWED_MIN, budgetBytesOf(config) * EXPORTS_SHARE_MAX));

const createOverview = ({ host, sites }: Dependencies, { stats }: QueryServices, { siteIds }: SiteList): Overview =>
  new Overview({
    stats,
    siteIds,
    nameOf: (siteId) => sites.settingsOf(siteId).name,
    calendarOf: (siteId) => sites.calendarOf(siteId),
    remote: host.siteInstances?.overview ?? null,
    rotationDays: host.config.visitorSaltRotationDays,
    realtimeWindowMinutes: host.config.realtimeWindowMinutes,
    monotonicMs: host.monotonicMs,
    log: host.log,
  });

/** Allows each IP address a burst of requests. */
const createGuestRateLimit = (): RateLimit =>
  createRateLimit({ perSecond: GUEST_REQUESTS_PER_SECOND, burst: GUEST_REQUESTS_AT_ONCE, bucketsMax: RATE_LIMIT_BUCKETS_MAX });

const createAdmission = (dependencies: Dependencies): SiteAdmission => {
  const { oneSite, siteInstances } = dependencies.host;
  const parts = { ...dependencies.host, ...dependencies };
  return oneSite ? createAdmittedSite(oneSite, parts) : createKnownSites(parts, siteInstances && (() => siteInstances.registered()));
};

function hostServices(host: Host): HostServices {
  const { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage } = host;
  return { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage };
}

export async function createServices(host: Host): Promise<Services> {
  const { config, now, monotonicMs, wait, oneSite, siteInstances } = host;
  const counters = createCounters();
  const auth = await createAuth({ ...host, counters });
  const clickhouse = await openClickhouse({ ...host, counters });
  const leftOutFiles = new LeftOutFiles();
  const eventStore = await openEventStore(host, counters, leftOutFiles, clickhouse);
  const catalog = clickhouse ? new ClickhouseCatalog({ ...clickhouse, eventStore }) : eventStore;
  const shared = oneSite === undefined && siteInstances === undefined ? clickhouse : null;
  const sites = await openSites(host, catalog, shared);
  const collections = await openCollections(host, shared);
  const visitors = await createVisitors({ ...host, zonesAt: (timestampMs) => sites.zonesAt(timestampMs) });
  const dependencies: Dependencies = { host, counters, leftOutFiles, eventStore, catalog, sites };
  const stored = await createStoredRollups({ ...host, eventStore });
  const limiter = new QueryLimiter({ concurrentMax: config.maxConcurrentQueries, queueMs: config.queryQueueMs, wait, monotonicMs });
  const flushSite = (siteId: SiteId): Promise<void> => jobServices.flush.deliver(siteId);
  const onClickhouseReturn = (): void => jobServices.flush.endBackoff();
  const queries = createQueryServices({
    ...{ ...host, ...stored, eventStore, counters, leftOutFiles, limiter, clickhouse, flushSite, onClickhouseReturn },
    calendarOf: (siteId) => sites.calendarOf(siteId),
    isAccepting: () => ingest.ingestGate.isAccepting(monotonicMs()),
  });
  const deleteExpiredOfAbsent = async (expired: ExpiredDays): Promise<void> => cluster?.deleteExpiredOfAbsent(expired);
  const jobServices: JobServices = await createJobs(dependencies, queries, limiter, stored, deleteExpiredOfAbsent);
  const { erasure } = jobServices;
  const knownSites = createAdmission(dependencies);
  const ingest: IngestServices = createIngest(dependencies, knownSites, visitors, { ...jobServices, stats: queries.stats });
  const clusterParts = { ...host, ...dependencies, erasure, stats: queries.stats, items: itemsOf(collections) };
  const cluster = shared && (await Cluster.create({ ...clusterParts, clickhouse: shared }));
  await cluster?.join();
  const siteList = createSiteList(dependencies, knownSites, cluster);
  const isPublic = (siteId: SiteId): boolean => sites.settingsOf(siteId).isPublic;

  const services: Services = {
    ...hostServices(host),
    ...collections,
    ...stored,
    ...auth,
    ...queries,
    ...jobServices,
    ...ingest,
    ...siteList,
    ...createLifecycle(dependencies, jobServices, ingest, auth, cluster),
    counters,
    leftOutFiles,
    sites,
    eventStore,
    trackerScript: await addressedScript(host.trackerScript, config),
    assets: await addressedAssets(host.assets, config),
    startedAtMs: now(),
    requests: new RequestMetrics(),
    exportMemory: createExportMemory(host),
    overview: createOverview(dependencies, queries, siteList),
    pageCheck: new PageCheck({ ...host, proxiedPaths: config.scriptPaths }),
    proxyCheck: new ProxyCheck({ ...host, trustProxy: config.trustProxy }),
    guestRateLimit: createGuestRateLimit(),
    async removeItems(siteId, signal) {
      await cluster?.takeOverSettings();
      return collections.removeItems(siteId, signal);
    },
    eraseOnRequest: (siteId, firstDay, lastDay, untilMs) =>
      cluster ? cluster.erase(siteId, firstDay, lastDay, untilMs) : erasure.erase(siteId, firstDay, lastDay),
    standingOf: (credentials) => oneSite?.registry.standingOf(credentials) ?? standingBy({ ...auth, isPublic }, credentials),
    gauges: () => collectGauges(services, siteInstances),
  };
  warnOfOldGeoDatabase(host);
  return services;
}
