/** What is loaded after a start although nobody has asked for it yet: what dashboards show first, while the engine has nothing else to do. */
import { DAY_MS, utcDayOf, type EpochMs, type SiteId, type UtcDay } from "../../storage/event.ts";
import type { Partitions } from "../../storage/partitions.ts";
import { sizeGroups } from "../../storage/size-groups.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import { WARM_BYTES_MAX, WARM_DAYS, WARM_SHARE_MAX, WARM_SITES_MAX } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { bytesOf } from "../execution/chunks.ts";
import type { QueryLimiter } from "../execution/query-limiter.ts";

export interface CacheWarmerOptions {
  readonly partitions: Partitions;
  readonly partitionCache: PartitionCache;
  /** Of the engine's memory. */
  readonly budgetBytes: number;
  readonly limiter: QueryLimiter;
  readonly log: Log;
}

interface DayRange {
  readonly firstDay: UtcDay;
  readonly lastDay: UtcDay;
}

export class CacheWarmer {
  readonly #options: CacheWarmerOptions;
  readonly #stopping = new AbortController();
  /** Sites that are still to be loaded; null before they have been looked up. */
  #sites: SiteId[] | null = null;
  #isOver = false;
  #running: Promise<void> | null = null;

  constructor(options: CacheWarmerOptions) {
    this.#options = options;
  }

  /** Goes on where it was interrupted, until somebody asks or all is done. Nobody waits for it. */
  runIfDue(nowMs: EpochMs): void {
    void this.run(nowMs);
  }

  /** The same, for who waits. Never rejects: what cannot be loaded is reported to who asks for it. */
  run(nowMs: EpochMs): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#running ??= this.#goOn(nowMs)
      .catch((error: unknown) => {
        this.#isOver = true;
        if (!this.#stopping.signal.aborted) this.#options.log.warn("days are not loaded ahead of questions", { reason: reasonOf(error) });
      })
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  /** Begins nothing more and resolves when the step under way has ended. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#stopping.abort();
    await this.#running;
  }

  async #goOn(nowMs: EpochMs): Promise<void> {
    // Today is left out: it is small beside the rest, and once it is resident every flush has to bring it up to date.
    const range = { firstDay: utcDayOf(nowMs - WARM_DAYS * DAY_MS), lastDay: utcDayOf(nowMs - DAY_MS) };
    this.#sites ??= await this.#largestSites(range);
    for (let site = this.#sites[0]; site && !this.#isOver; site = this.#sites[0]) {
      if (!(await this.#loadSite(site, range))) return;
      this.#sites.shift();
    }
    this.#isOver = true;
    this.#options.log.debug("what dashboards show first is loaded", { days: this.#options.partitionCache.dayCount });
  }

  /** Small ones take no time when they are asked for. */
  async #largestSites({ firstDay, lastDay }: DayRange): Promise<SiteId[]> {
    const { partitions, partitionCache } = this.#options;
    const sites: { readonly siteId: SiteId; readonly bytes: number }[] = [];
    for (const siteId of await partitions.sites()) {
      this.#stopping.signal.throwIfAborted();
      const bytes = bytesOf(await partitionCache.versionsOf(siteId, firstDay, lastDay));
      if (bytes > 0) sites.push({ siteId, bytes });
    }
    sites.sort((a, b) => b.bytes - a.bytes);
    return sites.slice(0, WARM_SITES_MAX).map(({ siteId }) => siteId);
  }

  /** Newest days first. Whether it got through. */
  async #loadSite(siteId: SiteId, { firstDay, lastDay }: DayRange): Promise<boolean> {
    const { partitionCache, budgetBytes, limiter } = this.#options;
    const days = (await partitionCache.versionsOf(siteId, firstDay, lastDay)).reverse();
    for (const step of sizeGroups(days, ({ bytes }) => bytes, WARM_BYTES_MAX)) {
      const [newest, oldest] = [step[0], step.at(-1)];
      if (
        !newest ||
        !oldest ||
        partitionCache.areCached(
          siteId,
          step.map(({ day }) => day),
        )
      )
        continue;
      if (partitionCache.residentBytes > budgetBytes * WARM_SHARE_MAX) this.#isOver = true;
      if (this.#isOver || !limiter.areAllFree) return false;
      // In onePass: what somebody has asked for goes later.
      const loading = { signal: this.#stopping.signal, withinBudget: true, onePass: true };
      await partitionCache.withDays(siteId, { firstDay: oldest.day, lastDay: newest.day }, loading, async () => {});
    }
    return true;
  }
}
