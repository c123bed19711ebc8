/** Wires the background jobs: the order in which a tick starts them, and the order in which an instance stops. */
import { FLUSH_BYTES_SHARE } from "../base/config/limits.ts";
import { QueryLimiter } from "../results/query-limiter.ts";
import { budgetBytesOf, type QueryServices, type StoredRollups } from "./query-services.ts";
import type { Visitors } from "../ingest/visitors.ts";
import { CacheWarmer } from "../duckdb/cache/cache-warmer.ts";
import { Compaction } from "../upkeep/compaction.ts";
import { Erasure } from "../upkeep/erasure.ts";
import { Expiry, Retention, type RetentionOptions } from "../upkeep/retention.ts";
import { Flush, flushPaceOf } from "../upkeep/flush.ts";
import type { Job } from "../base/periodic-job.ts";
import { Rollups } from "../duckdb/rollups/rollups.ts";
import { TrustedClock } from "../upkeep/trusted-clock.ts";
import type { CalendarOf } from "../sites/sites.ts";
import type { Dependencies, Host } from "./host.ts";
import type { AuthServices } from "../access/auth-services.ts";
import type { Cluster } from "../clickhouse/cluster/cluster.ts";
import type { DemoSite } from "../installation/demo-site.ts";

export interface JobServices {
  readonly flush: Flush;
  readonly compaction: Compaction;
  readonly erasure: Erasure;
  readonly expiry: Expiry;
  readonly retention: Retention;
  readonly rollups: Rollups;
  /** Not part of `tick`: only a long-lived process benefits from loading data before the first query. */
  readonly cacheWarmer: CacheWarmer;
}

export async function createJobs(
  { host, counters, leftOutFiles, eventStore, sites }: Dependencies,
  { partitionCache, stats, behavioral }: QueryServices,
  limiter: QueryLimiter,
  stored: StoredRollups,
  deleteExpiredOfAbsent: RetentionOptions["deleteExpiredOfAbsent"],
): Promise<JobServices> {
  const { config, parquet, records, log, now, monotonicMs, unflushedBytesMax, oneSite } = host;
  const budgetBytes = budgetBytesOf(config);
  const calendarOf: CalendarOf = (siteId) => sites.calendarOf(siteId);
  const common = { eventStore, partitionCache, budgetBytes, limiter, calendarOf, counters, log, now, monotonicMs };
  const compaction = new Compaction({ ...common, leftOutFiles, parquet, filesMax: config.compactAfterFiles });
  const flush = new Flush({
    ...common,
    compaction,
    eventCount: config.flushEventCount,
    byteCount: unflushedBytesMax * FLUSH_BYTES_SHARE,
    intervalSecs: config.flushIntervalSecs,
    ...flushPaceOf(host),
  });
  const dropElsewhere = oneSite && (() => oneSite.registry.endDeletion());
  const erasure = new Erasure({ eventStore, flush, stats, counters, log, dropElsewhere });
  const clock = await TrustedClock.open({ records, monotonicMs, log }, now());
  const expiry = new Expiry({ sites, retentionDays: config.retentionDays, now });
  const { engine, rollupCalculator: calculator } = host;
  const rollups = new Rollups({
    ...common,
    ...stored,
    config,
    engine,
    calculator,
    behavioral,
    isDueForCompaction: (siteId) => compaction.hasWork(siteId),
  });
  return {
    flush,
    compaction,
    erasure,
    expiry,
    retention: new Retention({ ...common, erasure, clock, expiry, deleteExpiredOfAbsent }),
    rollups,
    cacheWarmer: new CacheWarmer({ ...common, rollups }),
  };
}

/** The order in which a tick starts them. On hosts with an instance per site, these do all work on files. */
function jobsOf(
  { flush, compaction, retention, rollups }: JobServices,
  { visitorSalts }: Pick<Visitors, "visitorSalts">,
  { now, siteInstances }: Host,
): readonly Pick<Job, "tick" | "settled">[] {
  const salt = { tick: () => visitorSalts.renewIfDue(now()), settled: () => visitorSalts.settled() };
  return siteInstances ? [salt, flush] : [salt, flush, compaction, retention, rollups];
}

export interface Lifecycle {
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

/** `cluster` is null on an instance that is not a cluster node. */
export function createLifecycle(
  { host, eventStore }: Pick<Dependencies, "host" | "eventStore">,
  jobServices: JobServices,
  { demoSite, visitorSalts }: Pick<Visitors, "visitorSalts"> & { readonly demoSite: DemoSite },
  { shares }: Pick<AuthServices, "shares">,
  cluster: Cluster | null,
): Lifecycle {
  const jobs = [...jobsOf(jobServices, { visitorSalts }, host), ...(cluster ? [cluster] : [])];
  return {
    tick: () => jobs.forEach((job) => job.tick()),
    async settled() {
      for (const job of jobs) await job.settled();
    },
    async stop(requestsEnded, late) {
      const { flush, compaction, retention, rollups, cacheWarmer } = jobServices;
      await Promise.all([requestsEnded, ...[demoSite, cacheWarmer, rollups, retention, compaction, cluster].map((job) => job?.stop())]);
      await flush.stop(late);
      await visitorSalts.settled();
      await shares.settled();
      await eventStore.close();
      await cluster?.leave(late);
    },
  };
}
