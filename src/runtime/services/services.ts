/** Creates and connects all services at the start, from what the host provides. Contains no logic of its own. */
import type { EpochMs, SiteId, LocalDate } from "../../storage/event.ts";
import type { ExpiredDays } from "../../storage/event-replica.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { addressedAssets, addressedScript } from "../assets.ts";
import { createAuth, type AuthServices } from "../auth/auth-services.ts";
import { standingBy, type StandingOf } from "../auth/standing.ts";
import { VIEWER_REQUESTS_AT_ONCE, VIEWER_REQUESTS_PER_SECOND } from "../config/auth-limits.ts";
import { RATE_LIMIT_BUCKETS_MAX } from "../config/limits.ts";
import { EXPORTS_BYTES_ALLOWED_MIN, EXPORTS_SHARE_MAX } from "../config/report-limits.ts";
import { openClickhouse } from "../engine/clickhouse/clickhouse.ts";
import { ClickhouseCatalog } from "../engine/clickhouse/clickhouse-catalog.ts";
import { QueryLimiter } from "../execution/query-limiter.ts";
import { budgetBytesOf, createQueryServices, type QueryServices } from "../execution/query-services.ts";
import { createAdmittedSite, createKnownSites } from "../ingest/admission.ts";
import { warnOfOldGeoDatabase } from "../ingest/geo-age.ts";
import { KnownSites } from "../ingest/known-sites.ts";
import { createRateLimit, type RateLimit } from "../ingest/rate-limit.ts";
import { createVisitors } from "../ingest/visitors.ts";
import { PageCheck } from "../installation/page-check.ts";
import { Cluster } from "../jobs/cluster.ts";
import type { Erased } from "../jobs/erasure.ts";
import { createStoredRollups, type StoredRollups } from "../jobs/stored-rollups.ts";
import { collectGauges } from "../metrics/activity.ts";
import { createCounters, type Counters } from "../metrics/counters.ts";
import type { Gauges } from "../metrics/gauges.ts";
import { RequestMetrics } from "../metrics/request-metrics.ts";
import { ExportMemory } from "../reports/exports/export-memory.ts";
import { Overview } from "../reports/overview/overview.ts";
import type { Sites } from "../sites/sites.ts";
import { itemsOf, openCollections, type Collections } from "./collections.ts";
import type { Dependencies } from "./dependencies.ts";
import { openEventStore } from "./event-store.ts";
import type { Host } from "./host.ts";
import { createIngest, type IngestServices } from "./ingest-services.ts";
import { createJobs, jobsOf, type JobServices } from "./job-services.ts";
import { openSites } from "./sites.ts";

type HostServices = Pick<
  Host,
  "config" | "log" | "now" | "monotonicMs" | "wait" | "newRequestId" | "trackerScript" | "assets" | "version" | "geoIsLoaded" | "geoBuiltMs"
> & { readonly processUsage: Host["processUsage"] };

export interface Services extends HostServices, AuthServices, IngestServices, QueryServices, JobServices, StoredRollups, Collections {
  readonly startedAtMs: EpochMs;
  readonly counters: Counters;
  readonly requests: RequestMetrics;
  readonly eventStore: EventStore;
  readonly exportMemory: ExportMemory;
  readonly overview: Overview;
  readonly pageCheck: PageCheck;
  readonly standingOf: StandingOf;
  /** Of requests with a share link, or of a public site, by address. */
  readonly viewerRateLimit: RateLimit;
  readonly sites: Sites;
  /** Of this instance and, where sites have their own, of those that are running. Their counters are added to this instance's before. */
  gauges(): Promise<Gauges>;
  /** Whether a site has events, or may have some that are not known here. */
  mayHaveEvents(siteId: SiteId): boolean;
  /** The days on which a site has events, oldest first. */
  daysOf(siteId: SiteId): Promise<readonly LocalDate[]>;
  /** Ids of all sites with data, with settings or on the allowlist, sorted (docs/http-api.md, "Sites"). */
  siteIds(): Promise<SiteId[]>;
  /** Erases on all nodes. `untilMs`, by the monotonic clock, is how long the answer can wait for the others. */
  eraseOnRequest(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number): Promise<Erased>;
  /** Starts all jobs that are due, without waiting for them. The host calls it about once a second. */
  tick(): void;
  /** Resolves when no job is running. */
  settled(): Promise<void>;
  /**
   * Aborts the jobs and, when no request can bring events any more, flushes and closes the journal. Events that cannot be flushed
   * before the signal aborts stay in the journal.
   */
  stop(requestsEnded: Promise<void>, late: AbortSignal): Promise<void>;
}

/** The memory that all exports share. */
const createExportMemory = ({ config }: Host): ExportMemory =>
  new ExportMemory(Math.max(EXPORTS_BYTES_ALLOWED_MIN, budgetBytesOf(config) * EXPORTS_SHARE_MAX));

const createOverview = ({ host, sites }: Dependencies, { stats }: QueryServices, siteIds: Services["siteIds"]): Overview =>
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

function hostServices(host: Host): HostServices {
  const { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage } = host;
  return { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage };
}

export async function createServices(host: Host): Promise<Services> {
  const { config, now, monotonicMs, wait, oneSite, siteInstances } = host;
  const counters = createCounters();
  const auth = await createAuth({ ...host, counters });
  const clickhouse = await openClickhouse({ ...host, counters });
  const eventStore = await openEventStore(host, counters, clickhouse);
  const catalog = clickhouse ? new ClickhouseCatalog({ ...clickhouse, eventStore }) : eventStore;
  const shared = oneSite === undefined && siteInstances === undefined ? clickhouse : null;
  const sites = await openSites(host, catalog, shared);
  const collections = await openCollections(host, shared);
  const visitors = await createVisitors({ ...host, zonesAt: (timestampMs) => sites.zonesAt(timestampMs) });
  const dependencies: Dependencies = { host, counters, eventStore, catalog, sites };
  const stored = await createStoredRollups({ ...host, eventStore });
  const limiter = new QueryLimiter({ concurrentMax: config.maxConcurrentQueries, queueMs: config.queryQueueMs, wait });
  const flushSite = (siteId: SiteId): Promise<void> => jobServices.flush.deliver(siteId);
  const isAccepting = (): boolean => ingest.ingestGate.isAccepting(monotonicMs());
  const calendarOf = (siteId: SiteId) => sites.calendarOf(siteId);
  const queries = createQueryServices({
    ...host,
    ...stored,
    eventStore,
    counters,
    calendarOf,
    limiter,
    clickhouse,
    flushSite,
    isAccepting,
  });
  const deleteExpiredOfAbsent = async (expired: ExpiredDays): Promise<void> => cluster?.deleteExpiredOfAbsent(expired);
  const jobServices: JobServices = await createJobs(dependencies, queries, limiter, stored, deleteExpiredOfAbsent);
  const { erasure } = jobServices;
  const knownSites = oneSite
    ? createAdmittedSite(oneSite, { ...host, eventStore })
    : createKnownSites({ ...host, eventStore, catalog, sites, counters }, siteInstances && (() => siteInstances.registered()));
  const ingest: IngestServices = createIngest(dependencies, knownSites, visitors, { ...jobServices, stats: queries.stats });
  const cluster =
    shared &&
    (await Cluster.create({ ...host, ...dependencies, clickhouse: shared, erasure, stats: queries.stats, items: itemsOf(collections) }));
  await cluster?.join();
  const jobs = [...jobsOf(jobServices, ingest, host), ...(cluster ? [cluster] : [])];
  warnOfOldGeoDatabase(host);
  const isPublic = (siteId: SiteId): boolean => sites.settingsOf(siteId).isPublic;

  const services: Services = {
    ...hostServices(host),
    trackerScript: await addressedScript(host.trackerScript, config),
    assets: await addressedAssets(host.assets, config),
    startedAtMs: now(),
    counters,
    sites,
    ...collections,
    async removeItems(siteId, signal) {
      await cluster?.takeOverSettings();
      return collections.removeItems(siteId, signal);
    },
    requests: new RequestMetrics(),
    ...stored,
    eventStore,
    exportMemory: createExportMemory(host),
    overview: createOverview(dependencies, queries, () => services.siteIds()),
    pageCheck: new PageCheck({ ...host, proxiedPaths: config.scriptPaths }),
    ...auth,
    ...queries,
    ...jobServices,
    ...ingest,
    eraseOnRequest: (siteId, firstDay, lastDay, untilMs) =>
      cluster ? cluster.erase(siteId, firstDay, lastDay, untilMs) : erasure.erase(siteId, firstDay, lastDay),
    standingOf: (credentials) => oneSite?.registry.standingOf(credentials) ?? standingBy({ ...auth, isPublic }, credentials),
    viewerRateLimit: createRateLimit({
      perSecond: VIEWER_REQUESTS_PER_SECOND,
      burst: VIEWER_REQUESTS_AT_ONCE,
      bucketsMax: RATE_LIMIT_BUCKETS_MAX,
    }),
    gauges: () => collectGauges(services, siteInstances),
    mayHaveEvents: (siteId) => !knownSites.areListed || knownSites.has(siteId) || cluster?.isAlone === false,
    daysOf: (siteId) => (siteInstances ?? catalog).days(siteId),
    async siteIds() {
      await siteInstances?.confirm();
      const isShared = (siteInstances ?? clickhouse) && knownSites instanceof KnownSites;
      const withEvents = isShared ? await knownSites.listed() : await eventStore.sites();
      return [...new Set([...withEvents, ...sites.listed(), ...config.siteIds])].sort();
    },
    tick: () => jobs.forEach((job) => job.tick()),
    async settled() {
      for (const job of jobs) await job.settled();
    },
    async stop(requestsEnded, late) {
      const { flush, compaction, retention, rollups, cacheWarmer } = jobServices;
      await Promise.all([
        requestsEnded,
        ...[ingest.demoSite, cacheWarmer, rollups, retention, compaction, cluster].map((job) => job?.stop()),
      ]);
      await flush.stop(late);
      await ingest.visitorSalts.settled();
      await auth.shares.settled();
      await eventStore.close();
      await cluster?.leave(late);
    },
  };
  return services;
}
