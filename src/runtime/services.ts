/** Everything a handler can call on, put together once at the start from what the host provides. */
import { utcCalendar } from "../storage/calendar.ts";
import { Journal, type JournalDamage } from "../storage/journal.ts";
import type { EpochMs } from "../storage/event.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { ParquetWriter } from "../storage/parquet-writer.ts";
import { Partitions } from "../storage/partitions.ts";
import type { RecordStore } from "../storage/record-store.ts";
import type { SecretStore } from "../storage/secret-store.ts";
import type { SegmentLog } from "../storage/segment-log.ts";
import { SiteLocks } from "../storage/site-locks.ts";
import type { Asset, Assets } from "./assets.ts";
import { AdminPassword } from "./auth/admin-password.ts";
import { ApiKeys } from "./auth/api-keys.ts";
import { Login } from "./auth/login.ts";
import { LoginLockout } from "./auth/login-lockout.ts";
import type { PasswordHasher } from "./auth/password-hasher.ts";
import { Sessions } from "./auth/sessions.ts";
import { SetupCode } from "./auth/setup-code.ts";
import { createSha256 } from "./auth/sha256.ts";
import { SerialQueue } from "./auth/serial-queue.ts";
import { Compaction } from "./jobs/compaction.ts";
import type { Config } from "./config/config.ts";
import { Behavioral } from "./engine/duckdb/behavioral/extension.ts";
import { createCounters, type Counters } from "./metrics/counters.ts";
import type { Engine } from "./engine/engine.ts";
import { PartitionCache } from "./engine/partition-cache.ts";
import { Erasure } from "./jobs/erasure.ts";
import { Flusher } from "./jobs/flush.ts";
import { createAcceptEvent, type AcceptEvent } from "./ingest/accept-event.ts";
import { createAllowlist } from "./ingest/allowlist.ts";
import type { GeoLookup } from "./ingest/geo.ts";
import { createRateLimit } from "./ingest/rate-limit.ts";
import { createHmacSha256 } from "./ingest/hmac-sha256.ts";
import { isSiteId } from "./config/site-id.ts";
import { KnownSites } from "./ingest/known-sites.ts";
import { IngestGate } from "./ingest/ingest-gate.ts";
import { createUserAgentCache } from "./ingest/user-agent-cache.ts";
import { createVisitorIds } from "./ingest/visitor-id.ts";
import { VisitorSalt } from "./ingest/visitor-salt.ts";
import {
  API_KEYS_MAX,
  ENGINE_BYTES_MAX,
  EXPORTS_BYTES_ALLOWED_MIN,
  EXPORTS_SHARE_MAX,
  FLUSH_BYTES_SHARE,
  LOGIN_FAILURE_ADDRESSES_MAX,
  PARTITION_LISTINGS_MAX,
  PASSWORD_CHECKS_WAITING_MAX,
  RATE_LIMIT_BUCKETS_MAX,
  SESSIONS_MAX,
} from "./config/limits.ts";
import { createSyncFailureReport } from "./metrics/journal-sync-failures.ts";
import type { Log } from "./metrics/log.ts";
import { RequestMetrics } from "./metrics/request-metrics.ts";
import { CacheWarmer } from "./jobs/cache-warmer.ts";
import { Readiness } from "./execution/readiness.ts";
import { Retention } from "./jobs/retention.ts";
import { ExportMemory } from "./reports/exports/export-memory.ts";
import { ResultCache } from "./execution/result-cache.ts";
import { Executor } from "./execution/executor.ts";
import { QueryLimiter } from "./execution/query-limiter.ts";
import { StatsAnswers } from "./execution/stats-answers.ts";
import { TrustedClock } from "./jobs/trusted-clock.ts";

export interface ProcessUsage {
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly cpuSecs: number;
}

/** What differs between hosts. */
export interface Host {
  readonly config: Config;
  /** Where the generated secret of visitor ids is stored, which is there unless the `secret` option is set. */
  readonly secrets: SecretStore;
  readonly objects: ObjectStore;
  /** Where the admin password's hash and the API keys are kept. */
  readonly records: RecordStore;
  readonly passwordHasher: PasswordHasher;
  readonly parquet: ParquetWriter;
  readonly segmentLog: SegmentLog;
  readonly engine: Engine;
  readonly geo: GeoLookup;
  /** Whether there is a database behind `geo`. */
  readonly geoIsLoaded: boolean;
  readonly log: Log;
  readonly now: () => EpochMs;
  /** Milliseconds since some moment, by a clock that nobody sets. */
  readonly monotonicMs: () => number;
  /** So many bytes that nobody can guess. */
  readonly randomBytes: (length: number) => Uint8Array;
  /** A fresh id for a request, unlike any other of this process. */
  readonly newRequestId: () => string;
  readonly trackerScript: Asset;
  /** The dashboard's files. */
  readonly assets: Assets;
  /** Of the program. */
  readonly version: string;
  /** What the process uses now. Hosts that cannot tell have none. */
  readonly processUsage?: () => ProcessUsage;
  /** Bytes of journal lines that may wait for a flush: they lie in memory. */
  readonly unflushedBytesMax: number;
  /** Resolves after that time: for the few waits that cannot go by the maintenance tick. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Who may come in. */
interface AuthServices {
  readonly adminPassword: AdminPassword;
  readonly setupCode: SetupCode;
  readonly login: Login;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
}

export interface Services extends AuthServices {
  readonly config: Config;
  readonly log: Log;
  /** The wall clock: for dates and for what is stored. */
  readonly now: () => EpochMs;
  /** For durations. */
  readonly monotonicMs: Host["monotonicMs"];
  readonly wait: Host["wait"];
  readonly newRequestId: () => string;
  readonly trackerScript: Asset;
  readonly assets: Assets;
  readonly version: string;
  readonly geoIsLoaded: boolean;
  readonly processUsage: Host["processUsage"];
  readonly startedAtMs: EpochMs;
  readonly counters: Counters;
  readonly requests: RequestMetrics;
  readonly partitions: Partitions;
  readonly journal: Journal;
  readonly knownSites: KnownSites;
  readonly ingestGate: IngestGate;
  readonly visitorSalt: VisitorSalt;
  readonly flusher: Flusher;
  readonly compaction: Compaction;
  readonly partitionCache: PartitionCache;
  readonly cacheWarmer: CacheWarmer;
  readonly stats: StatsAnswers;
  readonly exportMemory: ExportMemory;
  readonly behavioral: Behavioral;
  readonly erasure: Erasure;
  readonly retention: Retention;
  readonly acceptEvent: AcceptEvent;
  /** Sorted ids of all sites with data or on the allowlist. */
  sites(): Promise<string[]>;
  readonly readiness: Readiness;
}

function reportDamage(damage: readonly JournalDamage[], log: Log): void {
  for (const { segment, damagedLines, keptAt } of damage) {
    log.error("the journal is damaged; what could be read is kept, the damaged segment was set aside", {
      segment,
      damagedLines,
      keptAt,
    });
  }
}

const PASSWORDS_RETRY_SECS = 5;

async function createAuthServices(
  { config, records, passwordHasher, randomBytes, log, monotonicMs }: Host,
  counters: Counters,
): Promise<AuthServices> {
  const sha256 = await createSha256();
  const queue = new SerialQueue({ waitingMax: PASSWORD_CHECKS_WAITING_MAX, retryAfterSecs: PASSWORDS_RETRY_SECS });
  const adminPassword = await AdminPassword.open({ records, hasher: passwordHasher, queue, configured: config.adminPassword });
  const sessions = new Sessions({ ttlSecs: config.sessionTtlSecs, sessionsMax: SESSIONS_MAX, sha256, randomBytes, monotonicMs });
  const lockout = new LoginLockout({
    attemptsMax: config.maxLoginAttempts,
    lockoutSecs: config.loginLockoutSecs,
    addressesMax: LOGIN_FAILURE_ADDRESSES_MAX,
    monotonicMs,
  });
  return {
    adminPassword,
    setupCode: new SetupCode({ adminPassword, lockout, randomBytes, counters, log }),
    sessions,
    login: new Login({ adminPassword, lockout, sessions, queue, counters, log }),
    apiKeys: await ApiKeys.open({ records, sha256, randomBytes, keysMax: API_KEYS_MAX, log }),
  };
}

export async function createServices(host: Host): Promise<Services> {
  const { config, log, engine, now, monotonicMs } = host;
  const counters = createCounters();
  const hmac = await createHmacSha256();
  const visitorSalt = await VisitorSalt.open({
    configured: config.secret,
    store: host.secrets,
    rotationDays: config.visitorSaltRotationDays,
    hmac,
    randomBytes: host.randomBytes,
    now,
    log,
  });
  const auth = await createAuthServices(host, counters);
  const { journal, damage } = await Journal.open(host.segmentLog, now(), createSyncFailureReport({ counters, log, monotonicMs }));
  reportDamage(damage, log);
  if (journal.size > 0) log.info("events of an earlier run were found in the journal", { events: journal.size });
  const partitions = new Partitions({
    store: host.objects,
    parquet: host.parquet,
    isSiteId,
    listingsMax: PARTITION_LISTINGS_MAX,
    onStray: (key, fault) => log.warn(`${key} ${fault}`),
  });
  const locks = new SiteLocks();
  const budgetBytes = Math.min(config.engineMemoryMb * 1024 * 1024, ENGINE_BYTES_MAX);
  const partitionCache = new PartitionCache({
    engine,
    journal,
    partitions,
    locks,
    budgetBytes,
    sessionGapMs: config.sessionWindowMinutes * 60_000,
    log,
  });
  const compaction = new Compaction({
    partitions,
    parquet: host.parquet,
    journal,
    locks,
    counters,
    log,
    filesMax: config.compactAfterFiles,
  });
  const flusher = new Flusher(
    {
      journal,
      partitions,
      partitionCache,
      compaction,
      counters,
      log,
      eventCount: config.flushEventCount,
      byteCount: host.unflushedBytesMax * FLUSH_BYTES_SHARE,
      intervalSecs: config.flushIntervalSecs,
      now,
    },
    now(),
  );
  const ingestGate = new IngestGate({ journal, counters, log, unflushedBytesMax: host.unflushedBytesMax });
  const knownSites = new KnownSites({
    storedSites: () => partitions.sites(),
    journaledSites: journal.unflushedSites(),
    isJournaled: (siteId) => journal.unflushedDays(siteId).length > 0,
    sitesMax: config.siteIds.length === 0 ? config.maxSites : Number.POSITIVE_INFINITY,
    counters,
    log,
    wait: host.wait,
  });
  const accept = createAcceptEvent({
    allowlist: createAllowlist(config.siteIds),
    knownSites,
    siteRateLimit: createRateLimit({ perSecond: config.rateLimitPerSite, bucketsMax: RATE_LIMIT_BUCKETS_MAX }),
    addressRateLimit: createRateLimit({ perSecond: config.rateLimitPerIp, bucketsMax: RATE_LIMIT_BUCKETS_MAX }),
    filterBots: config.filterBots,
    userAgents: createUserAgentCache(),
    geo: host.geo,
    visitorSalt,
    visitorIds: createVisitorIds({ hmac, salt: visitorSalt }),
    minimisation: config,
    ingestGate,
    calendar: utcCalendar,
    counters,
    now,
  });
  const queries = new Executor({ engine, partitionCache, budgetBytes, rotationDays: config.visitorSaltRotationDays });
  const cache = new ResultCache({
    ttlSecs: config.cacheTtlSecs,
    entriesMax: config.cacheMaxEntries,
    monotonicMs,
    onHit: () => counters.cacheHits++,
    onMiss: () => counters.cacheMisses++,
  });
  const limiter = new QueryLimiter({ concurrentMax: config.maxConcurrentQueries, queueMs: config.queryQueueMs, wait: host.wait });
  const stats = new StatsAnswers({ cache, limiter, queries });
  const clock = await TrustedClock.open({ records: host.records, monotonicMs, log }, now());
  const erasure = new Erasure({ journal, flusher, partitions, knownSites, partitionCache, locks, stats, counters, log });

  return {
    ...auth,
    config,
    log,
    now,
    monotonicMs,
    wait: host.wait,
    newRequestId: host.newRequestId,
    trackerScript: host.trackerScript,
    assets: host.assets,
    version: host.version,
    geoIsLoaded: host.geoIsLoaded,
    processUsage: host.processUsage,
    startedAtMs: now(),
    counters,
    requests: new RequestMetrics(),
    partitions,
    journal,
    knownSites,
    ingestGate,
    visitorSalt,
    flusher,
    compaction,
    partitionCache,
    cacheWarmer: new CacheWarmer({ partitions, partitionCache, budgetBytes, limiter, log }),
    stats,
    exportMemory: new ExportMemory(Math.max(EXPORTS_BYTES_ALLOWED_MIN, budgetBytes * EXPORTS_SHARE_MAX)),
    behavioral: new Behavioral(engine, config.behavioral, log),
    erasure,
    retention: new Retention({ erasure, partitions, journal, counters, log, clock, retentionDays: config.retentionDays }),
    async acceptEvent(context) {
      const outcome = await accept(context);
      flusher.flushIfDue(context.nowMs);
      return outcome;
    },
    async sites() {
      const sites = new Set<string>([...(await partitions.sites()), ...journal.unflushedSites(), ...config.siteIds]);
      return [...sites].sort();
    },
    readiness: new Readiness((signal) => queries.isAnswering(signal)),
  };
}
