/** Runs all stats queries: from the cache if possible, within the limit of concurrent queries, and again if an erasure outdated the result. */
import type { SiteId } from "../../storage/event.ts";
import type { AnalyticsBackend, Asker, Plan } from "../query/plan.ts";
import type { QueryLimiter, SlotUse } from "./query-limiter.ts";
import type { CacheKey, ResultCache } from "./result-cache.ts";
import type { NumbersPlan, UnchangedResults } from "./unchanged-results.ts";

/** A query that is running. */
interface Computation {
  readonly siteIds: readonly SiteId[];
  /** Events that it may have read were erased meanwhile. */
  outdated: boolean;
}

export interface QueryServiceOptions {
  readonly cache: ResultCache;
  readonly limiter: QueryLimiter;
  readonly backend: AnalyticsBackend;
  readonly unchanged: UnchangedResults;
}

/** The result of each plan, all of the same site. */
export type RunNumbers = (siteId: SiteId, plans: readonly NumbersPlan[], signal: AbortSignal) => Promise<readonly Float64Array[]>;

/** A result that holds memory until it is released. */
export interface HeldResult<Result> {
  readonly result: Result;
  /** The time since which another guest has waited for the slot of a guest; null if none waits. */
  readonly wantedSinceMs: () => number | null;
  readonly release: () => void;
}

export class QueryService {
  readonly #options: QueryServiceOptions;
  readonly #running = new Set<Computation>();

  constructor(options: QueryServiceOptions) {
    this.#options = options;
  }

  /** A result up to `cache_ttl_secs` old. Neither cached results nor queries that share a running computation take a slot. */
  cached(key: CacheKey, prepare: () => Promise<Plan<string>>, asker: Asker): Promise<string> {
    return this.#options.cache.get(key, asker, () => this.fresh(prepare, asker));
  }

  /** A newly computed result. The plan is prepared once the query has a slot. */
  fresh<Result>(prepare: () => Promise<Plan<Result>>, asker: Asker): Promise<Result> {
    return this.#options.limiter.run({ isGuest: asker.isGuest }, async () => {
      const plan = await prepare();
      const siteIds = plan.steps.map(({ siteRange }) => siteRange.siteId);
      return this.#untilCurrent(siteIds, (backend) => backend.run(plan, asker), asker.signal);
    });
  }

  /**
   * The outcome of a task that runs plans of many sites, which guests cannot, in one slot. Results are reused while their events are
   * unchanged.
   */
  batch<Result>(task: (run: RunNumbers) => Promise<Result>): Promise<Result> {
    const { limiter, unchanged } = this.#options;
    return limiter.run({ isGuest: false }, () =>
      task((siteId, plans, signal) => this.#untilCurrent([siteId], () => unchanged.run(siteId, plans, signal), signal)),
    );
  }

  /**
   * A newly computed export: it holds memory until its client has read it, and its slot until it is released. The task may run again,
   * so it must not leave state behind.
   */
  async held<Result>(
    siteId: SiteId,
    task: (backend: AnalyticsBackend) => Promise<Result>,
    { isGuest, signal }: Asker,
    exporter?: SlotUse["exporter"],
  ): Promise<HeldResult<Result>> {
    const { limiter } = this.#options;
    const release = await limiter.take({ isGuest, isExport: true, ...(exporter && { exporter }) });
    try {
      const result = await this.#untilCurrent([siteId], task, signal);
      return { result, wantedSinceMs: () => limiter.exportWantedSinceMs, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** See `AnalyticsBackend.isCovered`. */
  isCovered(plan: Plan<unknown>): Promise<boolean> {
    return this.#options.backend.isCovered(plan);
  }

  async #untilCurrent<Result>(
    siteIds: readonly SiteId[],
    task: (backend: AnalyticsBackend) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      const computation: Computation = { siteIds, outdated: false };
      this.#running.add(computation);
      try {
        const result = await task(this.#options.backend);
        if (!computation.outdated) return result;
      } finally {
        this.#running.delete(computation);
      }
      signal.throwIfAborted();
    }
  }

  /** Number of cached results. */
  get cachedCount(): number {
    return this.#options.cache.size;
  }

  /** Drops the cached results of a site; running queries are recomputed. */
  dropSite(siteId: SiteId): void {
    this.#options.cache.dropSite(siteId);
    this.#options.unchanged.dropSite(siteId);
    for (const computation of this.#running) computation.outdated ||= computation.siteIds.includes(siteId);
  }
}
