/** Loads what dashboards show first after a start, before it is asked for, and only while no query runs. */
import { addDays, type Calendar } from "../../storage/calendar.ts";
import type { EpochMs, SiteId, UtcDay } from "../../storage/event.ts";
import type { EventStore } from "../../storage/event-store.ts";
import { sizeGroups } from "../../storage/size-groups.ts";
import { WARM_BYTES_MAX, WARM_DAYS, WARM_SHARE_MAX, WARM_SITES_MAX } from "../config/limits.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import { bytesOf } from "../execution/chunks.ts";
import type { QueryLimiter } from "../execution/query-limiter.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { PeriodicJob, type Job } from "./periodic-job.ts";

export interface CacheWarmerOptions {
  readonly eventStore: EventStore;
  readonly partitionCache: PartitionCache;
  readonly calendar: Calendar;
  /** Of the engine's memory. */
  readonly budgetBytes: number;
  readonly limiter: QueryLimiter;
  readonly log: Log;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
}

interface DayRange {
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
}

export class CacheWarmer implements Job {
  readonly #options: CacheWarmerOptions;
  readonly #job: PeriodicJob;
  /** Sites that are still to be loaded; null before they have been looked up. */
  #sites: SiteId[] | null = null;
  /** All is loaded, or there is no more room, or something failed. */
  #isOver = false;

  constructor(options: CacheWarmerOptions) {
    this.#options = options;
    this.#job = new PeriodicJob({
      monotonicMs: options.monotonicMs,
      isDue: () => !this.#isOver,
      run: ({ signal }) => this.#warm(signal),
      retryMs: 0,
    });
  }

  /** Goes on where it was interrupted. */
  tick(): void {
    this.#job.tick();
  }

  /** The same, for who waits. Never rejects: what cannot be loaded is reported to who asks for it. */
  async run(): Promise<void> {
    if (!this.#isOver) await this.#job.run();
  }

  settled(): Promise<void> {
    return this.#job.settled();
  }

  /** Ends with the step under way. */
  stop(): Promise<void> {
    this.#isOver = true;
    return this.#job.stop();
  }

  async #warm(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#goOn(signal);
    } catch (error) {
      this.#isOver = true;
      if (!signal.aborted) this.#options.log.warn("days are not loaded ahead of queries", { reason: reasonOf(error) });
    }
    return true;
  }

  async #goOn(signal: AbortSignal): Promise<void> {
    const { calendar, now, log, partitionCache } = this.#options;
    // Today is left out: it is small beside the rest, and once it is loaded every flush has to bring it up to date.
    const today = calendar.dateOf(now());
    const range = { firstDay: addDays(today, -WARM_DAYS), lastDay: addDays(today, -1) };
    this.#sites ??= await this.#largestSites(range, signal);
    for (let site = this.#sites[0]; site && !this.#isOver; site = this.#sites[0]) {
      if (!(await this.#loadSite(site, range, signal))) return;
      this.#sites.shift();
    }
    this.#isOver = true;
    log.debug("what dashboards show first is loaded", { days: partitionCache.dayCount });
  }

  /** Small sites load quickly when they are asked for. */
  async #largestSites({ firstDay, lastDay }: DayRange, signal: AbortSignal): Promise<SiteId[]> {
    const { eventStore, partitionCache } = this.#options;
    const sites: { readonly siteId: SiteId; readonly bytes: number }[] = [];
    for (const siteId of await eventStore.sites()) {
      signal.throwIfAborted();
      const bytes = bytesOf(await partitionCache.versionsOf(siteId, firstDay, lastDay));
      if (bytes > 0) sites.push({ siteId, bytes });
    }
    sites.sort((a, b) => b.bytes - a.bytes);
    return sites.slice(0, WARM_SITES_MAX).map(({ siteId }) => siteId);
  }

  /** Newest days first, until somebody asks. Whether it got through. */
  async #loadSite(siteId: SiteId, { firstDay, lastDay }: DayRange, signal: AbortSignal): Promise<boolean> {
    const { partitionCache, budgetBytes, limiter } = this.#options;
    const newestFirst = (await partitionCache.versionsOf(siteId, firstDay, lastDay)).reverse();
    for (const step of sizeGroups(newestFirst, ({ bytes }) => bytes, WARM_BYTES_MAX)) {
      const days = step.map(({ day }) => day);
      const [newest, oldest] = [days[0], days.at(-1)];
      if (!newest || !oldest || partitionCache.areCached(siteId, days)) continue;
      if (partitionCache.residentBytes > budgetBytes * WARM_SHARE_MAX) this.#isOver = true;
      if (this.#isOver || !limiter.areAllFree) return false;
      // For one pass, so that what somebody has asked for is evicted later.
      await partitionCache.withDays(
        siteId,
        { firstDay: oldest, lastDay: newest },
        { signal, withinBudget: true, onePass: true },
        async () => {},
      );
    }
    return true;
  }
}
