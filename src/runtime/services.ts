/** Creates and connects all services at the start, from what the host provides. Contains no logic of its own. */
import { utcCalendar } from "../storage/calendar.ts";
import type { EpochMs, SiteId, UtcDay } from "../storage/event.ts";
import type { EventStore } from "../storage/event-store.ts";
import { addressedAssets, addressedScript } from "./assets.ts";
import { createAuth, type AuthServices } from "./auth/auth-services.ts";
import { standingBy, type StandingOf } from "./auth/standing.ts";
import { FLUSH_BYTES_SHARE, RATE_LIMIT_BUCKETS_MAX } from "./config/limits.ts";
import { EXPORTS_BYTES_ALLOWED_MIN, EXPORTS_SHARE_MAX } from "./config/report-limits.ts";
import { openClickhouse } from "./engine/clickhouse/clickhouse.ts";
import { ClickhouseCatalog, type EventCatalog } from "./engine/clickhouse/clickhouse-catalog.ts";
import { QueryLimiter } from "./execution/query-limiter.ts";
import { budgetBytesOf, createQueryServices, type QueryServices } from "./execution/query-services.ts";
import type { Host } from "./host.ts";
import { createAcceptEvent, type AcceptEvent } from "./ingest/accept-event.ts";
import { createAdmittedSite, createKnownSites } from "./ingest/admission.ts";
import { createAllowlist } from "./ingest/allowlist.ts";
import { warnOfOldGeoDatabase } from "./ingest/geo-age.ts";
import { EventOutcomes } from "./ingest/event-outcomes.ts";
import { IngestGate } from "./ingest/ingest-gate.ts";
import { KnownSites } from "./ingest/known-sites.ts";
import { createRateLimit, type RateLimit } from "./ingest/rate-limit.ts";
import type { SiteAdmission } from "./ingest/site-admission.ts";
import { createUserAgentCache } from "./ingest/user-agent-cache.ts";
import type { VisitorSalt } from "./ingest/visitor-salt.ts";
import { createVisitors, type Visitors } from "./ingest/visitors.ts";
import { DemoSite } from "./installation/demo/demo-site.ts";
import { PageCheck } from "./installation/page-check.ts";
import { CacheWarmer } from "./jobs/cache-warmer.ts";
import { Cluster } from "./jobs/cluster.ts";
import { Compaction } from "./jobs/compaction.ts";
import { Erasure, type Erased } from "./jobs/erasure.ts";
import { Flush, flushPaceOf } from "./jobs/flush.ts";
import type { Job } from "./jobs/periodic-job.ts";
import { Retention } from "./jobs/retention.ts";
import { Rollups } from "./jobs/rollups.ts";
import { createStoredRollups, type StoredRollups } from "./jobs/stored-rollups.ts";
import { TrustedClock } from "./jobs/trusted-clock.ts";
import { collectGauges } from "./metrics/activity.ts";
import { createCounters, type Counters } from "./metrics/counters.ts";
import type { Gauges } from "./metrics/gauges.ts";
import { RequestMetrics } from "./metrics/request-metrics.ts";
import { ExportMemory } from "./reports/exports/export-memory.ts";
import { openEventStore } from "./services/event-store.ts";

interface IngestServices {
  readonly knownSites: SiteAdmission;
  readonly addressRateLimit: RateLimit;
  readonly ingestGate: IngestGate;
  readonly visitorSalt: VisitorSalt;
  readonly acceptEvent: AcceptEvent;
  readonly eventOutcomes: EventOutcomes;
  readonly demoSite: DemoSite;
}

interface JobServices {
  readonly flush: Flush;
  readonly compaction: Compaction;
  readonly erasure: Erasure;
  readonly retention: Retention;
  readonly rollups: Rollups;
  /** Not part of `tick`: only a long-lived process benefits from loading data before the first query. */
  readonly cacheWarmer: CacheWarmer;
}

type HostServices = Pick<
  Host,
  "config" | "log" | "now" | "monotonicMs" | "wait" | "newRequestId" | "trackerScript" | "assets" | "version" | "geoIsLoaded" | "geoBuiltMs"
> & { readonly processUsage: Host["processUsage"] };

export interface Services extends HostServices, AuthServices, IngestServices, QueryServices, JobServices, StoredRollups {
  readonly startedAtMs: EpochMs;
  readonly counters: Counters;
  readonly requests: RequestMetrics;
  readonly eventStore: EventStore;
  readonly exportMemory: ExportMemory;
  readonly pageCheck: PageCheck;
  readonly standingOf: StandingOf;
  /** Of this instance and, where sites have their own, of those that are running. Their counters are added to this instance's before. */
  gauges(): Promise<Gauges>;
  /** The days on which a site has events, oldest first. */
  daysOf(siteId: SiteId): Promise<readonly UtcDay[]>;
  /** Ids of all sites with data or on the allowlist, sorted (docs/http-api.md, "Sites"). */
  sites(): Promise<string[]>;
  /** Erases on all nodes. `untilMs`, by the monotonic clock, is how long the answer can wait for the others. */
  eraseOnRequest(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, untilMs: number): Promise<Erased>;
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

/** Dependencies of several groups of services. */
interface Dependencies {
  readonly host: Host;
  readonly counters: Counters;
  readonly eventStore: EventStore;
  readonly catalog: EventCatalog;
}

type DemoParts = Pick<JobServices, "erasure"> & Pick<QueryServices, "stats">;

function createDemoSite({ host: { config, now, wait }, eventStore }: Dependencies, parts: DemoParts, knownSites: SiteAdmission): DemoSite {
  const { retentionDays, role } = config;
  return new DemoSite({ ...parts, eventStore, knownSites, calendar: utcCalendar, now, pause: () => wait(0), retentionDays, role });
}

/** Accepted events are reported to `flush`, which starts early when there are many. */
function createIngest(
  dependencies: Dependencies,
  knownSites: SiteAdmission,
  visitors: Visitors,
  { flush, ...demoParts }: DemoParts & { flush: Flush },
): IngestServices {
  const { host, counters, eventStore } = dependencies;
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
    calendar: utcCalendar,
    counters,
    outcomes: eventOutcomes,
    now,
  });
  const acceptEvent: AcceptEvent = async (context) => {
    const outcome = await accept(context);
    flush.noteEvent();
    return outcome;
  };
  return { knownSites, addressRateLimit, ingestGate, visitorSalt: visitors.visitorSalt, acceptEvent, eventOutcomes, demoSite };
}

/** The memory that all exports share. */
const createExportMemory = ({ config }: Host): ExportMemory =>
  new ExportMemory(Math.max(EXPORTS_BYTES_ALLOWED_MIN, budgetBytesOf(config) * EXPORTS_SHARE_MAX));

async function createJobs(
  { host, counters, eventStore }: Dependencies,
  { partitionCache, stats, behavioral }: QueryServices,
  limiter: QueryLimiter,
  stored: StoredRollups,
  deleteExpiredOfAbsent: (lastDay: UtcDay) => Promise<void>,
): Promise<JobServices> {
  const { config, parquet, records, log, now, monotonicMs, unflushedBytesMax } = host;
  const budgetBytes = budgetBytesOf(config);
  const common = { eventStore, partitionCache, budgetBytes, limiter, calendar: utcCalendar, counters, log, now, monotonicMs };
  const compaction = new Compaction({ ...common, parquet, filesMax: config.compactAfterFiles });
  const flush = new Flush({
    ...common,
    compaction,
    eventCount: config.flushEventCount,
    byteCount: unflushedBytesMax * FLUSH_BYTES_SHARE,
    intervalSecs: config.flushIntervalSecs,
    ...flushPaceOf(host),
  });
  const erasure = new Erasure({ eventStore, flush, stats, counters, log });
  const clock = await TrustedClock.open({ records, monotonicMs, log }, now());
  const { engine, rollupCalculator: calculator } = host;
  const rollups = new Rollups({ ...common, ...stored, config, engine, calculator, behavioral, compaction });
  return {
    flush,
    compaction,
    erasure,
    retention: new Retention({ ...common, erasure, clock, retentionDays: config.retentionDays, deleteExpiredOfAbsent }),
    rollups,
    cacheWarmer: new CacheWarmer({ ...common, rollups }),
  };
}

/** In the order in which a tick starts them. Where sites have instances of their own, these do all work on files. */
function jobsOf(
  { flush, compaction, retention, rollups }: JobServices,
  { visitorSalt }: IngestServices,
  { now, siteInstances }: Host,
): readonly Pick<Job, "tick" | "settled">[] {
  const salt = { tick: () => visitorSalt.renewIfDue(now()), settled: () => visitorSalt.settled() };
  return siteInstances ? [salt, flush] : [salt, flush, compaction, retention, rollups];
}

function hostServices(host: Host): HostServices {
  const { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage } = host;
  return { config, log, now, monotonicMs, wait, newRequestId, trackerScript, assets, version, geoIsLoaded, geoBuiltMs, processUsage };
}

export async function createServices(host: Host): Promise<Services> {
  const { config, now, monotonicMs, wait, oneSite, siteInstances } = host;
  const counters = createCounters();
  const visitors = await createVisitors(host);
  const auth = await createAuth({ ...host, counters });
  const clickhouse = await openClickhouse({ ...host, counters });
  const eventStore = await openEventStore(host, counters, clickhouse);
  const catalog = clickhouse ? new ClickhouseCatalog({ ...clickhouse, eventStore }) : eventStore;
  const dependencies: Dependencies = { host, counters, eventStore, catalog };
  const stored = await createStoredRollups({ ...host, eventStore });
  const limiter = new QueryLimiter({ concurrentMax: config.maxConcurrentQueries, queueMs: config.queryQueueMs, wait });
  const flushSite = (siteId: SiteId): Promise<void> => jobServices.flush.deliver(siteId);
  const isAccepting = (): boolean => ingest.ingestGate.isAccepting(monotonicMs());
  const queries = createQueryServices({ ...host, ...stored, eventStore, counters, limiter, clickhouse, flushSite, isAccepting });
  const deleteExpiredOfAbsent = async (lastDay: UtcDay): Promise<void> => cluster?.deleteExpiredOfAbsent(lastDay);
  const jobServices: JobServices = await createJobs(dependencies, queries, limiter, stored, deleteExpiredOfAbsent);
  const { erasure } = jobServices;
  const knownSites = oneSite
    ? createAdmittedSite(oneSite, { ...host, eventStore })
    : createKnownSites({ ...host, eventStore, catalog, counters }, siteInstances && (() => siteInstances.registered()));
  const ingest: IngestServices = createIngest(dependencies, knownSites, visitors, { ...jobServices, stats: queries.stats });
  const isNode = oneSite === undefined && siteInstances === undefined;
  const cluster = clickhouse && isNode ? await Cluster.create({ ...host, clickhouse, eventStore, erasure, stats: queries.stats }) : null;
  await cluster?.join();
  const jobs = [...jobsOf(jobServices, ingest, host), ...(cluster ? [cluster] : [])];
  warnOfOldGeoDatabase(host);

  const services: Services = {
    ...hostServices(host),
    trackerScript: await addressedScript(host.trackerScript, config),
    assets: await addressedAssets(host.assets, config),
    startedAtMs: now(),
    counters,
    requests: new RequestMetrics(),
    ...stored,
    eventStore,
    exportMemory: createExportMemory(host),
    pageCheck: new PageCheck({ ...host, proxiedPaths: config.scriptPaths }),
    ...auth,
    ...queries,
    ...jobServices,
    ...ingest,
    eraseOnRequest: (siteId, firstDay, lastDay, untilMs) =>
      cluster ? cluster.erase(siteId, firstDay, lastDay, untilMs) : erasure.erase(siteId, firstDay, lastDay),
    standingOf: (credentials) => oneSite?.registry.standingOf(credentials) ?? standingBy(auth, credentials),
    gauges: () => collectGauges(services, siteInstances),
    daysOf: (siteId) => (siteInstances ?? catalog).days(siteId),
    async sites() {
      await siteInstances?.confirm();
      const isShared = (siteInstances ?? clickhouse) && knownSites instanceof KnownSites;
      const withEvents = isShared ? await knownSites.listed() : await eventStore.sites();
      return [...new Set<string>([...withEvents, ...config.siteIds])].sort();
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
      await ingest.visitorSalt.settled();
      await eventStore.close();
      await cluster?.leave(late);
    },
  };
  return services;
}
