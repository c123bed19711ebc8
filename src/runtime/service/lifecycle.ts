/** The jobs of a running instance, and the order in which it stops. */
import type { AuthServices } from "../access/auth-services.ts";
import type { Cluster } from "../clickhouse/cluster/cluster.ts";
import type { Dependencies } from "./dependencies.ts";
import type { IngestServices } from "./ingest-services.ts";
import { jobsOf, type JobServices } from "./job-services.ts";

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

/** `cluster` is null on an instance that is no node of one. */
export function createLifecycle(
  { host, eventStore }: Pick<Dependencies, "host" | "eventStore">,
  jobServices: JobServices,
  { demoSite, visitorSalts }: IngestServices,
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
