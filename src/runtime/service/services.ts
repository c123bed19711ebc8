/** Creates and connects all services at the start, from what the host provides. Contains no logic of its own. */
import type { ImportedDays } from "../../storage/day-sums.ts";
import type { EventStore, ExpiredDays } from "../../storage/event-store.ts";
import { type CountKind, CRAWLS, DROPPED } from "../../storage/day-counts.ts";
import { type EpochMs, type LocalDate, type SiteId } from "../../storage/event.ts";
import { Pings } from "../../storage/pings.ts";
import { type AuthServices, createAuth } from "../access/auth-services.ts";
import type { SharedView } from "../access/shares.ts";
import { standingBy, type StandingOf } from "../access/principal.ts";
import { createSha256 } from "../base/bytes.ts";
import { GUEST_REQUESTS_AT_ONCE, GUEST_REQUESTS_PER_SECOND } from "../base/config/admin-limits.ts";
import {
  FLUSH_BYTES_SHARE,
  IMPORT_CHECKPOINT_EVENTS,
  IMPORT_DAY_GROUPS,
  IMPORT_SLICE_MS,
  PINGS_BYTES_MAX,
  PINGS_OF_DAY_MAX,
  RATE_LIMIT_BUCKETS_MAX,
} from "../base/config/limits.ts";
import { IMPORT_UPLOAD_BYTES_MAX } from "../../shared/limits.ts";
import { DEMO_SITE } from "../base/config/names.ts";
import { collectGauges, type Counters, createCounters, type Gauges, RequestMetrics, RollupDays } from "../base/metrics/metrics.ts";
import { LeftOutFiles } from "../base/metrics/storage-faults.ts";
import type { Job } from "../base/periodic-job.ts";
import { createRateLimit, type RateLimit } from "../base/rate-limit.ts";
import { Crawls } from "../bots/crawls.ts";
import { DayCountStore } from "../bots/day-count-store.ts";
import { ClickhouseBackend } from "../clickhouse/clickhouse-backend.ts";
import { clickhouseCatalog } from "../clickhouse/clickhouse-events.ts";
import { type Clickhouse, openClickhouse } from "../clickhouse/clickhouse.ts";
import { Cluster } from "../clickhouse/cluster/cluster.ts";
import { Responsiveness } from "../clickhouse/connection.ts";
import { Behavioral } from "../duckdb/behavioral.ts";
import { RollupStore } from "../duckdb/rollups/rollup-store.ts";
import { Rollups } from "../duckdb/rollups/rollups.ts";
import { budgetBytesOf, engineConfigOf, exportMemoryOf, reportSettingsOf, rolledOf } from "../engine/duckdb-queries.ts";
import { PlannedEngine } from "../engine/planned-engine.ts";
import { SiteExports } from "../exports/site-exports.ts";
import { type ImportPace, Imports, type ImportsOfSites } from "../imports/imports.ts";
import type { ImportRecords } from "../imports/import-record.ts";
import { type AcceptEvent, createAcceptEvent } from "../ingest/accept-event.ts";
import { createAdmittedSite, createAllowlist, createKnownSites, IngestGate, type SiteAdmission } from "../ingest/admission.ts";
import { createUserAgentCache } from "../ingest/device.ts";
import { EventOutcomes } from "../ingest/event-outcomes.ts";
import { warnOfOldGeoDatabase } from "../ingest/geo.ts";
import { barePathOf } from "../ingest/urls.ts";
import { createHmacSha256 } from "../ingest/visitor-salt.ts";
import { createVisitors, type Visitors } from "../ingest/visitors.ts";
import { DemoSite } from "../installation/demo-site.ts";
import { PageCheck } from "../installation/page-check.ts";
import { ProxyCheck } from "../installation/proxy-check.ts";
import { Overview } from "../reports/overview/overview.ts";
import type { QueryEngine } from "../query/query-engine.ts";
import { visitsOfLens } from "../query/scope.ts";
import { FilterCheck, QueryLimiter } from "../results/query-limiter.ts";
import { QueryService, ResultCache } from "../results/query-service.ts";
import { Readiness } from "../results/readiness.ts";
import { UnchangedResults } from "../results/unchanged-results.ts";
import { UnknownAliases } from "../sites/aliases.ts";
import { ONLY_NAMES, type SiteNames } from "../sites/site-names.ts";
import type { CalendarOf, Sites } from "../sites/sites.ts";
import { Compaction } from "../upkeep/compaction.ts";
import { Engagement } from "../upkeep/engagement.ts";
import { type Erased, Erasure } from "../upkeep/erasure.ts";
import { Flush, INTO_CLICKHOUSE, INTO_FILES } from "../upkeep/flush.ts";
import { Expiry, Retention, type RetentionOptions } from "../upkeep/retention.ts";
import { SiteDeletion } from "../upkeep/site-deletion.ts";
import { partOfMove, SiteMoves } from "../upkeep/site-moves.ts";
import { TrustedClock } from "../upkeep/trusted-clock.ts";
import { type Asset, type Assets, addressedAssets, addressedScript } from "./assets.ts";
import type { Dependencies, Host } from "./host.ts";
import { lensReaderOf } from "./lens-reader.ts";
import {
  type Collections,
  createSiteList,
  hasEvents,
  openWhatCounts,
  itemsOf,
  openCollections,
  openEventStore,
  openSites,
  type SiteList,
} from "./stored-data.ts";

/** Everything from a request with an event to the journal. Accepted events are reported to `flush`, which starts early when there are many. */
function createIngest(
  { host, counters, eventStore, sites, names }: Dependencies,
  knownSites: SiteAdmission,
  visitors: Visitors,
  { flush, erasure, expiry, compaction }: JobServices,
  stats: QueryService,
  pings: Pings | null,
  droppedEvents: DayCountStore | null,
) {
  const { config, geo, networkOf, log, now, monotonicMs, wait, unflushedBytesMax, oneSite, siteInstances } = host;
  const calendarOf: CalendarOf = (siteId) => sites.calendarOf(siteId);
  const ingestGate = new IngestGate({ eventStore, counters, log, unflushedBytesMax });
  const demoSite = new DemoSite({
    ...{ erasure, compaction, stats, eventStore, knownSites, calendarOf, log, now, monotonicMs, role: config.role },
    mayExist: () => oneSite !== undefined || knownSites.has(DEMO_SITE),
    isAccepting: () => ingestGate.isAccepting(monotonicMs()),
    retentionDaysOf: (siteId) => expiry.daysOf(siteId),
    pause: () => wait(0),
  });
  const addressRateLimit = createRateLimit({ perSecond: config.rateLimitPerIp, bucketsMax: RATE_LIMIT_BUCKETS_MAX });
  const eventOutcomes = new EventOutcomes({ hasAllowlist: config.siteIds.length > 0, startedAtMs: now() });
  const unknownAliases = new UnknownAliases();
  const accept = createAcceptEvent({
    allowlist: createAllowlist(config.siteIds),
    names: names ?? ONLY_NAMES,
    knownSites,
    refuseDemoEvent: () => demoSite.refuseEvent(),
    siteRateLimit: createRateLimit({ perSecond: config.rateLimitPerSite, bucketsMax: RATE_LIMIT_BUCKETS_MAX }),
    addressRateLimit,
    sharedAddressRateLimit: config.rateLimitPerIp > 0 ? (oneSite?.registry.addressRateLimit ?? null) : null,
    filterBots: config.filterBots,
    userAgents: createUserAgentCache(),
    geo,
    networkOf,
    ...visitors,
    minimisation: config,
    ingestGate,
    pings,
    exclusionsOf: (siteId) => sites.exclusionsOf(siteId),
    pageRulesOf: (siteId) => sites.settingsOf(siteId),
    calendarOf,
    counters,
    outcomes: eventOutcomes,
    droppedEvents,
    now,
    monotonicMs,
    passOn: siteInstances ? (siteId, event) => siteInstances.accept(siteId, event) : null,
  });
  const acceptEvent: AcceptEvent = async (context) => {
    const outcome = await accept(context);
    flush.noteEvent();
    return outcome;
  };
  return {
    knownSites,
    addressRateLimit,
    ingestGate,
    visitorSalts: visitors.visitorSalts,
    acceptEvent,
    eventOutcomes,
    unknownAliases,
    demoSite,
  };
}

type IngestServices = ReturnType<typeof createIngest>;

/** Needed even with the option `rollups` off: an erasure deletes rollups that were made before. */
async function createStoredRollups(
  { config, rollupCalculator: calculator, rollupWeightBytesMin, objects, log }: Host,
  eventStore: EventStore,
  sites: Sites,
) {
  const { rolled, definitions } = await rolledOf(config);
  const arrivalsOf = (siteId: SiteId) => rolled.arrivalsOf(sites.arrivalRulesOf(siteId));
  const weight = rollupWeightBytesMin !== undefined && { weightBytesMin: rollupWeightBytesMin };
  return {
    rolled,
    rollupStore: new RollupStore({ ...definitions, arrivalsOf, calculator, eventStore, objects, log, ...weight }),
    rollupDays: new RollupDays(),
  };
}

type StoredRollups = Awaited<ReturnType<typeof createStoredRollups>>;

interface QueryParts extends Host, StoredRollups, Pick<Dependencies, "eventStore" | "counters" | "leftOutFiles"> {
  readonly limiter: QueryLimiter;
  /** null with `engine = duckdb`. */
  readonly clickhouse: Clickhouse | null;
  /** See `Flush.deliver`. */
  readonly flushSite: (siteId: SiteId) => Promise<void>;
  /** See `Responsiveness`. */
  readonly onClickhouseReturn: () => void;
  /** True if events can be stored. */
  readonly isAccepting: () => boolean;
  /** See `QueryService`. */
  readonly importedOf: (siteId: SiteId) => readonly ImportedDays[];
}

/** Wires everything that answers queries: the engine, and the query service in front of it. */
function createQueryServices(parts: QueryParts) {
  const { config, clickhouse, limiter, counters, eventStore, monotonicMs, wait, importedOf } = parts;
  const queryEngine = clickhouse ? createClickhouseEngine(parts, clickhouse) : createDuckdbEngine(parts);
  const cache = new ResultCache({
    ttlSecs: config.cacheTtlSecs,
    entriesMax: config.cacheMaxEntries,
    monotonicMs,
    onHit: () => counters.cacheHits++,
    onMiss: () => counters.cacheMisses++,
  });
  // Other nodes insert into ClickHouse events of the same sites.
  const versionsOf = clickhouse ? null : eventStore.versions.bind(eventStore);
  const unchanged = new UnchangedResults({ engine: queryEngine, versionsOf, ttlSecs: config.cacheTtlSecs, monotonicMs });
  async function isAnswering(signal: AbortSignal): Promise<boolean> {
    // Reports over no events need no engine, which takes more memory than all else.
    if (!queryEngine.isWanted && !(await hasEvents(parts, eventStore))) return true;
    return queryEngine.health(signal).then(
      () => true,
      () => false,
    );
  }
  return {
    queryEngine,
    stats: new QueryService({ cache, limiter, engine: queryEngine, unchanged, importedOf }),
    /** Checks filters that are saved. The engine checks those of queries. */
    filterCheck: new FilterCheck(wait),
    readiness: new Readiness(async (signal) => (config.role === "ingest" ? parts.isAccepting() : isAnswering(signal))),
  };
}

type QueryServices = ReturnType<typeof createQueryServices>;

function createDuckdbEngine({ openEngine, config, eventStore, leftOutFiles, rollupStore }: QueryParts): QueryEngine {
  const onUnreadableRollup = (siteId: SiteId) => void rollupStore.forget(siteId);
  const engine = openEngine({ config: engineConfigOf(config), eventStore, leftOutFiles, onUnreadableRollup });
  eventStore.observe({
    beforeRelease: (siteId, released, days) => engine.changed({ siteId, released, days }),
    beforeDelete: (siteId, firstDay, lastDay) => engine.changed({ siteId, deleted: { firstDay, lastDay } }),
  });
  rollupStore.onChange((siteId) => engine.changed({ siteId, rolledUp: true }));
  return engine;
}

function createClickhouseEngine(
  { config, flushSite, onClickhouseReturn, wait, monotonicMs, log }: QueryParts,
  { connection, tables }: Clickhouse,
): QueryEngine {
  return new PlannedEngine({
    runner: new ClickhouseBackend({
      connection,
      responsiveness: new Responsiveness({ connection, monotonicMs, wait, onReturn: onClickhouseReturn }),
      tables,
      deliver: flushSite,
      timeoutSecs: config.requestTimeoutSecs,
      memoryBytes: config.engineMemoryMb * 1024 * 1024,
      pause: () => wait(0),
    }),
    // ClickHouse has these functions built in.
    behavioral: new Behavioral({ behavioralFailure: async () => null }, config.behavioral, log),
    settings: reportSettingsOf(config),
    filterCheck: new FilterCheck(wait),
    exportMemory: exportMemoryOf(config),
    held: null,
  });
}

/** Wires the background jobs. */
async function createJobs(
  { host, counters, leftOutFiles, eventStore, sites, names }: Dependencies,
  { stats }: QueryServices,
  limiter: QueryLimiter,
  stored: StoredRollups,
  pings: Pings | null,
  { deleteExpiredOfAbsent, otherSites }: Pick<RetentionOptions, "deleteExpiredOfAbsent" | "otherSites">,
) {
  const { config, parquet, records, log, now, monotonicMs, unflushedBytesMax, oneSite } = host;
  const budgetBytes = budgetBytesOf(config);
  const calendarOf: CalendarOf = (siteId) => sites.calendarOf(siteId);
  const common = { eventStore, budgetBytes, limiter, calendarOf, counters, log, now, monotonicMs };
  const compaction = new Compaction({ ...common, leftOutFiles, parquet, filesMax: config.compactAfterFiles });
  const flush = new Flush({
    ...common,
    compaction,
    eventCount: config.flushEventCount,
    byteCount: unflushedBytesMax * FLUSH_BYTES_SHARE,
    intervalSecs: config.flushIntervalSecs,
    ...(config.engine === "clickhouse" ? { ...INTO_CLICKHOUSE, eventMs: host.clickhouseEventMs ?? Infinity } : INTO_FILES),
  });
  const dropElsewhere = oneSite && (() => oneSite.registry.endDeletion());
  const erasure = new Erasure({ eventStore, flush, stats, counters, log, dropElsewhere });
  const clock = await TrustedClock.open({ records, monotonicMs, log }, now());
  const expiry = new Expiry({ sites, retentionDays: config.retentionDays, now });
  const rollups = new Rollups({
    ...common,
    ...stored,
    config,
    calculator: host.rollupCalculator,
    arrivalRulesOf: (siteId) => sites.arrivalRulesOf(siteId),
    isDueForCompaction: (siteId) => compaction.hasWork(siteId),
  });
  sites.onChange((siteId) => rollups.noteRules(siteId));
  const onRewritten = (siteId: SiteId, day: LocalDate): void => {
    compaction.noteFiles(siteId, [day]);
    rollups.noteFiles(siteId);
  };
  const siteOf = (siteId: SiteId): SiteId => names?.siteOf(siteId) ?? siteId;
  return {
    flush,
    compaction,
    erasure,
    expiry,
    /** null where pings are dropped. */
    engagement: pings && new Engagement({ ...common, pings, parquet, siteOf, onRewritten }),
    retention: new Retention({ ...common, erasure, clock, expiry, deleteExpiredOfAbsent, otherSites }),
    rollups,
  };
}

type JobServices = Awaited<ReturnType<typeof createJobs>>;

/** `cluster` is null on an instance that is not a cluster node. */
function createLifecycle(
  { host: { now, oneSite, siteInstances }, eventStore }: Dependencies,
  { flush, compaction, engagement, retention, rollups }: JobServices,
  { demoSite, visitorSalts }: IngestServices,
  { shares, persistentSessions }: AuthServices,
  cluster: Cluster | null,
  imports: Imports | null,
  siteMoves: SiteMoves | null,
  pings: Pings | null,
  counting: Counting | null,
  siteExports: SiteExports | null,
) {
  const salt = { tick: () => visitorSalts.renewIfDue(now()), settled: () => visitorSalts.settled() };
  // The order in which a tick starts them. On hosts with an instance per site, those do all work on files.
  const ofFiles = siteInstances ? [] : [...(engagement ? [engagement] : []), compaction, retention, rollups];
  const ofDemo = siteInstances || (oneSite && oneSite.siteId !== DEMO_SITE) ? [] : [demoSite];
  const jobs: readonly Pick<Job, "tick" | "settled">[] = [
    salt,
    flush,
    ...ofDemo,
    ...ofFiles,
    ...(cluster ? [cluster] : []),
    ...(imports ? [imports.job] : []),
    ...(siteMoves ? [siteMoves.job] : []),
    ...(siteExports ? [siteExports] : []),
    ...(counting ? [counting.droppedEvents] : []),
  ];
  return {
    /** Starts all jobs that are due, without waiting for them. The host calls it about once a second. */
    tick: () => jobs.forEach((job) => job.tick()),
    /** Resolves when no job is running. */
    async settled() {
      for (const job of jobs) await job.settled();
    },
    /**
     * Aborts the jobs and, when no request can bring events any more, flushes and closes the journal. Events that cannot be flushed
     * before the signal aborts stay in the journal.
     */
    async stop(requestsEnded: Promise<void>, late: AbortSignal) {
      await Promise.all([
        requestsEnded,
        ...[demoSite, rollups, retention, engagement, compaction, cluster, imports?.job, siteMoves?.job, siteExports].map((job) =>
          job?.stop(),
        ),
      ]);
      await flush.stop(late);
      await counting?.crawls.settled();
      await counting?.droppedEvents.stop(late);
      await visitorSalts.settled();
      await shares.settled();
      await persistentSessions.settled();
      await eventStore.close();
      await pings?.close();
      await cluster?.leave(late);
    },
  };
}

function hostServices(host: Host) {
  const { config, log, now, monotonicMs, wait, newRequestId, version, geoIsLoaded, geoBuiltMs, networksAreKnown, processUsage } = host;
  return { config, log, now, monotonicMs, wait, newRequestId, version, geoIsLoaded, geoBuiltMs, networksAreKnown, processUsage };
}

type Groups = ReturnType<typeof hostServices> &
  AuthServices &
  IngestServices &
  QueryServices &
  JobServices &
  StoredRollups &
  Collections &
  SiteList &
  ReturnType<typeof createLifecycle>;

export interface Services extends Groups {
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly startedAtMs: EpochMs;
  readonly counters: Counters;
  readonly leftOutFiles: LeftOutFiles;
  readonly requests: RequestMetrics;
  readonly eventStore: EventStore;
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
  /** null on hosts with an instance per site, where they have imports. */
  readonly imports: Imports | null;
  /** null where the command makes them only. */
  readonly siteExports: SiteExports | null;
  /** null where sites have one name each, like the next one. */
  readonly names: SiteNames | null;
  readonly siteMoves: SiteMoves | null;
  /** null but on hosts with an instance per site. */
  readonly importsOfSites: ImportsOfSites | null;
  readonly siteDeletion: SiteDeletion;
  readonly pings: Pings | null;
  /** See `createCounting`. */
  readonly droppedEvents: DayCountStore | null;
  readonly crawls: Crawls | null;
  /** Erases on all nodes. `untilMs`, by the monotonic clock, is how long the answer can wait for the others. */
  eraseOnRequest(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, untilMs: number): Promise<Erased>;
}

function createOverview(
  { host, sites }: Dependencies,
  collections: Collections,
  { stats }: QueryServices,
  { siteIds }: SiteList,
): Overview {
  const lensReader = lensReaderOf({ ...host, ...collections, sites });
  return new Overview({
    stats,
    siteIds,
    visitsOf: (siteId, nowMs) => visitsOfLens(siteId, "default", { ...lensReader, nowMs }),
    nameOf: (siteId) => sites.settingsOf(siteId).name,
    calendarOf: (siteId) => sites.calendarOf(siteId),
    remote: host.siteInstances?.overview ?? null,
    rotationDays: host.config.visitorSaltRotationDays,
    realtimeWindowMinutes: host.config.realtimeWindowMinutes,
    monotonicMs: host.monotonicMs,
    log: host.log,
  });
}

/** null with ClickHouse, where the data folder has no events but those of the journal. */
function createSiteExports({ host, eventStore }: Dependencies): SiteExports | null {
  const { archiveMaker: maker, config, freeBytes = async () => Infinity } = host;
  if (!maker || config.engine === "clickhouse") return null;
  const siteExports = new SiteExports({ ...host, maker, freeBytes });
  // Not before it: an archive that is begun meanwhile would keep what is erased.
  eventStore.observe({ afterLoss: (siteId) => siteExports.deleteOf(siteId) });
  return siteExports;
}

const createAdmission = (dependencies: Dependencies): SiteAdmission => {
  const { oneSite, siteInstances } = dependencies.host;
  const parts = { ...dependencies.host, ...dependencies };
  return oneSite ? createAdmittedSite(oneSite, parts) : createKnownSites(parts, siteInstances && (() => siteInstances.registered()));
};

const IMPORT_PACE: ImportPace = {
  sliceMs: IMPORT_SLICE_MS,
  runMs: Infinity,
  checkpointEvents: IMPORT_CHECKPOINT_EVENTS,
  checkpointGroups: IMPORT_DAY_GROUPS,
  uploadBytesMax: IMPORT_UPLOAD_BYTES_MAX,
};

/** null where the instances of sites have imports. */
async function createImports(
  { host, eventStore, sites }: Dependencies,
  records: ImportRecords | null,
  { knownSites }: IngestServices,
  { stats }: QueryServices,
  { expiry }: JobServices,
  crawls: DayCountStore | null,
  checkSite: (siteId: SiteId) => void,
): Promise<Imports | null> {
  const { config, geo, networkOf, verifiesCrawler } = host;
  if (records === null) return null;
  const hmac = await createHmacSha256();
  // A separate cache, because the entries of an import would evict those of visitors.
  const userAgents = createUserAgentCache();
  return new Imports({
    ...host,
    ...{ eventStore, records, crawls },
    recordStore: host.records,
    sha256: await createSha256(),
    eventsOf: (siteId) => ({
      calendar: sites.calendarOf(siteId),
      pageRules: sites.settingsOf(siteId),
      exclusions: sites.exclusionsOf(siteId),
      minimisation: config,
      filterBots: config.filterBots,
      ...{ userAgents, geo, networkOf, hmac, verifiesCrawler },
    }),
    retentionDaysOf: (siteId) => expiry.daysOf(siteId),
    checkSite,
    hasRoomFor: (siteId) => knownSites.hasRoomFor([siteId]),
    addSite: (siteId) => knownSites.add(siteId),
    dropSite: (siteId) => stats.dropSite(siteId),
    freeBytes: host.freeBytes ?? (async () => Infinity),
    pace: host.importPace ?? IMPORT_PACE,
    answersDaySums: config.engine === "duckdb",
    canFollow: config.engine === "duckdb" && host.oneSite === undefined,
  });
}

/** null where they are dropped: ClickHouse has a copy of events, which no later change of a file reaches. */
async function openPings({ config, pingLog, now }: Host): Promise<Pings | null> {
  if (pingLog === undefined || config.engine === "clickhouse") return null;
  return Pings.open(pingLog, now(), { ofDayMax: PINGS_OF_DAY_MAX, bytesMax: PINGS_BYTES_MAX });
}

/** What counts what is no event. */
interface Counting {
  readonly droppedEvents: DayCountStore;
  readonly crawls: Crawls;
}

/** null where no events are accepted, and on nodes that only ingest: nobody can ask them for a report. */
async function createCounting(
  { host, eventStore, leftOutFiles, names, sites }: Dependencies,
  importRecords: ImportRecords | null,
  mergedInto: (siteId: SiteId) => readonly SiteId[],
  lastExpiredOf: (siteId: SiteId) => LocalDate | null,
): Promise<Counting | null> {
  if (host.siteInstances !== undefined || host.config.role === "ingest") return null;
  const siteOf = (siteId: SiteId): SiteId => names?.siteOf(siteId) ?? siteId;
  const moveTo = (siteId: SiteId) => {
    const rename = names?.unfinished;
    return rename?.state === "switched" && rename.to === siteId ? { from: rename.from, part: partOfMove(rename.startedAt) } : null;
  };
  const rowsShownOf = (importNumber: number): number => importRecords?.rowsShownOf(importNumber) ?? 0;
  const { oneSite } = host;
  const storeOf = (kind: CountKind): DayCountStore =>
    new DayCountStore({
      ...{ ...host, kind, leftOutFiles, siteOf, mergedInto, moveTo, rowsShownOf, onlySite: oneSite?.siteId ?? null },
      // Elsewhere, nothing is counted of unknown sites. An instance of its own admits its site before it has events.
      hasEvents: async (siteId) => oneSite === undefined || (await eventStore.sites()).has(siteId),
    });
  const crawls = new Crawls({
    counts: storeOf(CRAWLS),
    sha256: await createSha256(),
    ...{ now: host.now, monotonicMs: host.monotonicMs, wait: host.wait },
    dateOf: (siteId, atMs) => sites.calendarOf(siteId).dateOf(atMs),
    lastExpiredOf,
    pathOf: (siteId, path) => barePathOf(path, sites.settingsOf(siteId)),
    verifiesCrawler: host.verifiesCrawler,
  });
  return { droppedEvents: storeOf(DROPPED), crawls };
}

export async function createServices(host: Host): Promise<Services> {
  const { config, now, monotonicMs, wait, oneSite, siteInstances } = host;
  const counters = createCounters();
  const auth = await createAuth({ ...host, counters });
  const clickhouse = await openClickhouse({ ...host, counters });
  const leftOutFiles = new LeftOutFiles();
  const { importRecords, names } = await openWhatCounts(host);
  const importsOfSites = siteInstances?.imports ?? null;
  const eventStore = await openEventStore(host, counters, leftOutFiles, clickhouse, importRecords, names);
  const catalog = clickhouse ? clickhouseCatalog({ ...clickhouse, eventStore }) : eventStore;
  const shared = oneSite === undefined && siteInstances === undefined ? clickhouse : null;
  const sites = await openSites(host, catalog, shared);
  const collections = await openCollections(host, shared);
  const visitors = await createVisitors({ ...host, zonesAt: (timestampMs) => sites.zonesAt(timestampMs) });
  const dependencies: Dependencies = { host, counters, leftOutFiles, eventStore, catalog, sites, names };
  const stored = await createStoredRollups(host, eventStore, sites);
  const limiter = new QueryLimiter({ concurrentMax: config.maxConcurrentQueries, queueMs: config.queryQueueMs, wait, monotonicMs });
  const flushSite = (siteId: SiteId): Promise<void> => jobServices.flush.deliver(siteId);
  const onClickhouseReturn = (): void => jobServices.flush.endBackoff();
  const queries = createQueryServices({
    ...{ ...host, ...stored, eventStore, counters, leftOutFiles, limiter, clickhouse, flushSite, onClickhouseReturn },
    isAccepting: () => ingest.ingestGate.isAccepting(monotonicMs()),
    importedOf: (siteId) => importRecords?.daysOf(siteId) ?? [],
  });
  const mergedInto = (siteId: SiteId): SiteId[] => importRecords?.mergedSitesOf(siteId) ?? [];
  const counting = await createCounting(dependencies, importRecords, mergedInto, (siteId) => jobServices.expiry.lastDayOf(siteId));
  const countStores = counting ? [counting.droppedEvents, counting.crawls.counts] : [];
  const otherSites = async () => [
    ...(importRecords?.mergedSites ?? []),
    ...(await Promise.all(countStores.map((store) => store.sites()))).flat(),
  ];
  const deleteExpiredOfAbsent = async (expired: ExpiredDays): Promise<void> => cluster?.deleteExpiredOfAbsent(expired);
  const pings = await openPings(host);
  const jobServices: JobServices = await createJobs(dependencies, queries, limiter, stored, pings, { deleteExpiredOfAbsent, otherSites });
  const { erasure } = jobServices;
  const knownSites = createAdmission(dependencies);
  const ingest: IngestServices = createIngest(
    dependencies,
    knownSites,
    visitors,
    jobServices,
    queries.stats,
    pings,
    counting?.droppedEvents ?? null,
  );
  const clusterParts = { ...host, ...dependencies, erasure, stats: queries.stats, items: itemsOf(collections) };
  const checkSite = (siteId: SiteId): void => siteMoves?.checkSite(siteId);
  const imports = await createImports(
    dependencies,
    importRecords,
    ingest,
    queries,
    jobServices,
    counting?.crawls.counts ?? null,
    checkSite,
  );
  // After the observer of imports, which write no counts of days that they know to be erased.
  for (const store of countStores) {
    eventStore.observe({ beforeErasure: (siteId, firstDay, lastDay) => store.erase(siteId, firstDay, lastDay) });
  }
  const cluster = shared && (await Cluster.create({ ...clusterParts, clickhouse: shared }));
  await cluster?.join();
  const siteList = createSiteList(dependencies, knownSites, cluster, importRecords);
  const publicViewOf = (siteId: SiteId): SharedView | null => {
    const { isPublic, hasPublicRawExport: hasRawExport } = sites.settingsOf(siteId);
    return isPublic ? { filters: "", dates: null, hasRealtime: true, hasRawExport } : null;
  };

  const eraseOnRequest: Services["eraseOnRequest"] = async (siteId, firstDay, lastDay, untilMs) => {
    // What undoing a merge would bring back.
    for (const merged of mergedInto(siteId)) await erasure.erase(merged, firstDay, lastDay);
    return cluster ? cluster.erase(siteId, firstDay, lastDay, untilMs) : (siteInstances ?? erasure).erase(siteId, firstDay, lastDay);
  };
  async function removeItems(siteId: SiteId, signal: AbortSignal): Promise<boolean> {
    await cluster?.takeOverSettings();
    return collections.removeItems(siteId, signal);
  }

  const siteDeletion = new SiteDeletion({
    ...auth,
    sites,
    erase: eraseOnRequest,
    removeItems,
    imports: importsOfSites ?? imports,
    names,
    mergedInto,
  });
  const deleteSite = async (siteId: SiteId, signal: AbortSignal): Promise<void> => {
    const request = { hasEvents: siteList.mayHaveEvents, signal };
    await siteDeletion.delete(siteId, request, monotonicMs() + config.requestTimeoutSecs * 1000);
  };
  const siteMoves: SiteMoves | null =
    names &&
    importRecords &&
    new SiteMoves({
      ...{ ...host, ...dependencies, names, importRecords, imports, deleteSite, knownSites },
      moveCounts: async (...move) => {
        for (const store of countStores) await store.move(...move);
      },
      belongings: [
        sites,
        collections.goals,
        collections.segments,
        collections.annotations,
        collections.rules,
        auth.shares,
        auth.apiKeys,
        importRecords,
      ],
      keepImportedCounts: async (siteId) => counting?.crawls.counts.keepImported(siteId),
      flush: jobServices.flush,
      calendarOf: (siteId) => sites.calendarOf(siteId),
      dropResults: (siteId) => queries.stats.dropSite(siteId),
      freeBytes: host.freeBytes ?? (async () => Infinity),
    });

  const siteExports = createSiteExports(dependencies);

  const services: Services = {
    ...hostServices(host),
    ...collections,
    ...stored,
    ...auth,
    ...queries,
    ...jobServices,
    ...ingest,
    ...siteList,
    ...createLifecycle(dependencies, jobServices, ingest, auth, cluster, imports, siteMoves, pings, counting, siteExports),
    imports,
    siteExports,
    names,
    siteMoves,
    importsOfSites,
    counters,
    leftOutFiles,
    sites,
    eventStore,
    trackerScript: await addressedScript(host.trackerScript, config),
    assets: await addressedAssets(host.assets, config),
    startedAtMs: now(),
    requests: new RequestMetrics(),
    overview: createOverview(dependencies, collections, queries, siteList),
    pageCheck: new PageCheck({ ...host, proxiedPaths: config.scriptPaths }),
    proxyCheck: new ProxyCheck({ ...host, trustProxy: config.trustProxy }),
    guestRateLimit: createRateLimit({
      perSecond: GUEST_REQUESTS_PER_SECOND,
      burst: GUEST_REQUESTS_AT_ONCE,
      bucketsMax: RATE_LIMIT_BUCKETS_MAX,
    }),
    removeItems,
    eraseOnRequest,
    siteDeletion,
    pings,
    droppedEvents: counting?.droppedEvents ?? null,
    crawls: counting?.crawls ?? null,
    standingOf: (credentials) => oneSite?.registry.standingOf(credentials) ?? standingBy({ ...auth, publicViewOf, names }, credentials),
    gauges: () => collectGauges(services, siteInstances),
  };
  warnOfOldGeoDatabase(host);
  return services;
}
