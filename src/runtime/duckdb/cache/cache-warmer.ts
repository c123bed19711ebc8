/** Loads partitions after a start before any query needs them: those of dashboards with filters, while nothing else runs. */
import { addDays } from "../../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../../storage/event.ts";
import type { EventStore } from "../../../storage/event-store.ts";
import { type PartitionVersion, sizeGroups } from "../../../storage/partitions.ts";
import { WARM_BYTES_MAX, WARM_DAYS, WARM_SHARE_MAX, WARM_SITES_MAX } from "../../base/config/limits.ts";
import type { QueryEngine } from "../../query/query-engine.ts";
import { bytesOf } from "../chunks.ts";
import type { QueryLimiter } from "../../results/query-limiter.ts";
import { reasonOf, type Log } from "../../base/metrics/log.ts";
import type { CalendarOf } from "../../sites/sites.ts";
import { PeriodicJob, type Job } from "../../base/periodic-job.ts";
import type { Rollups } from "../rollups/rollups.ts";

interface CacheWarmerOptions {
  readonly eventStore: EventStore;
  readonly engine: Pick<QueryEngine, "load" | "state">;
  readonly calendarOf: CalendarOf;
  /** Share of the engine's memory. */
  readonly budgetBytes: number;
  readonly limiter: QueryLimiter;
  /** Rollups come first: they also need the engine, and answer dashboards without filters. */
  readonly rollups: Pick<Rollups, "isBusy">;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
}

export class CacheWarmer implements Job {
  readonly #options: CacheWarmerOptions;
  readonly #job: PeriodicJob;
  /** Sites still to be loaded; null before they are listed. */
  #sites: SiteId[] | null = null;
  /** Everything is loaded, the share of memory is used up, or a load failed. */
  #isOver = false;

  constructor(options: CacheWarmerOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => !this.#isOver && !options.rollups.isBusy,
      run: ({ signal }) => this.#warm(signal),
      retryMs: 0,
    });
  }

  /** Continues where it was interrupted. */
  tick(): void {
    this.#job.tick();
  }

  /** Does the work of `tick`, but resolves at the end. Never rejects: a query that needs the data reports the error. */
  async run(): Promise<void> {
    if (!this.#isOver) await this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Stops after the current step. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.#job.stop();
  }

  async #warm(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#goOn(signal);
    } catch (error) {
      this.#isOver = true;
      if (!signal.aborted)
        this.#options.log.warn("cache warming failed; partitions are loaded by the first query that needs them", {
          reason: reasonOf(error),
        });
    }
    return true;
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    const { log, engine } = this.#options;
    this.#sites ??= await this.#largestSites(signal);
    for (let site = this.#sites[0]; site && !this.#isOver; site = this.#sites[0]) {
      if (!(await this.#loadSite(site, signal))) return;
      this.#sites.shift();
    }
    this.#isOver = true;
    log.debug("cache warming finished", { days: engine.state.cachedDays });
  }

  /** Excludes today: it is relatively small, and once loaded every flush has to update it. */
  #versionsOf(siteId: SiteId): Promise<PartitionVersion[]> {
    const { calendarOf, now, eventStore } = this.#options;
    const today = calendarOf(siteId).dateOf(now());
    return eventStore.versions(siteId, addDays(today, -WARM_DAYS), addDays(today, -1));
  }

  /** Largest sites first: small ones load quickly on demand. */
  async #largestSites(signal: AbortSignal): Promise<SiteId[]> {
    const { eventStore } = this.#options;
    const sites: { readonly siteId: SiteId; readonly bytes: number }[] = [];
    for (const siteId of await eventStore.sites()) {
      signal.throwIfAborted();
      const bytes = bytesOf(await this.#versionsOf(siteId));
      if (bytes > 0) sites.push({ siteId, bytes });
    }
    sites.sort((a, b) => b.bytes - a.bytes);
    return sites.slice(0, WARM_SITES_MAX).map(({ siteId }) => siteId);
  }

  /** Newest days first, until a query arrives. Returns whether all were loaded. */
  async #loadSite(siteId: SiteId, signal: AbortSignal): Promise<boolean> {
    const { engine, budgetBytes, limiter, rollups } = this.#options;
    const newestFirst = (await this.#versionsOf(siteId)).reverse();
    for (const step of sizeGroups(newestFirst, ({ bytes }) => bytes, WARM_BYTES_MAX)) {
      const [newest, oldest] = [step[0]?.day, step.at(-1)?.day];
      if (!newest || !oldest) continue;
      if (engine.state.memoryBytes > budgetBytes * WARM_SHARE_MAX) this.#isOver = true;
      if (this.#isOver || !limiter.areAllFree || rollups.isBusy) return false;
      await engine.load(siteId, { firstDay: oldest, lastDay: newest }, signal);
    }
    return true;
  }
}
