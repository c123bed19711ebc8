/** How a site's days are erased so that they stay erased: flushed first, so that everything of them lies in files, which are then removed. */
import type { EpochMs, SiteId, UtcDay } from "../../storage/event.ts";
import type { Journal } from "../../storage/journal.ts";
import type { PartitionFile } from "../../storage/partition-path.ts";
import type { Partitions } from "../../storage/partitions.ts";
import type { SiteLocks } from "../../storage/site-locks.ts";
import type { Counters } from "../metrics/counters.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import type { Flusher } from "./flush.ts";
import type { KnownSites } from "../ingest/known-sites.ts";
import type { Log } from "../metrics/log.ts";
import type { StatsAnswers } from "../execution/stats-answers.ts";

export interface Erased {
  /** Each counted once, wherever it lay. */
  readonly events: number;
  /** Days whose files were removed. */
  readonly days: number;
}

export interface ErasureOptions {
  readonly journal: Journal;
  readonly flusher: Flusher;
  readonly partitions: Partitions;
  readonly knownSites: KnownSites;
  readonly partitionCache: PartitionCache;
  readonly locks: SiteLocks;
  readonly stats: StatsAnswers;
  readonly counters: Counters;
  readonly log: Log;
}

/** What a site has on one day. */
interface ErasedDay {
  readonly day: UtcDay;
  /** Those that count, and those that a merge has superseded. */
  readonly files: readonly PartitionFile[];
  readonly superseded: readonly PartitionFile[];
}

export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /**
   * Erases every event of the site from `firstDay` to `lastDay` that was accepted before the call. Events that come
   * meanwhile are erased or kept, each for good. Once this resolves, no crash brings an erased event back and no
   * answer shows one. After a rejection some may be erased; it may be tried again.
   */
  async erase(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay, nowMs: EpochMs): Promise<Erased> {
    const { locks, flusher, stats, counters } = this.#options;
    const inJournal = await locks.run(siteId, () => this.#isInJournal(siteId, firstDay, lastDay));
    if (inJournal && !(await flusher.flush(nowMs))) {
      throw new Error("events cannot be erased while those of the journal cannot be written to files");
    }
    try {
      const erased = await locks.run(siteId, () => this.#removeFiles(siteId, firstDay, lastDay));
      counters.eventsErased += erased.events;
      return erased;
    } finally {
      stats.dropSite(siteId);
    }
  }

  /** Whether a restart could find events of these days in the journal. */
  async #isInJournal(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<boolean> {
    const { journal, partitions } = this.#options;
    const isErased = (day: UtcDay) => firstDay <= day && day <= lastDay;
    if (journal.isTorn || journal.unflushedDays(siteId).some(isErased)) return true;
    // Files may be settled while their segment, which other sites share, is not.
    for (const day of (await partitions.days(siteId)).filter(isErased)) {
      const files = await partitions.files(siteId, day);
      if (files.some(({ first, last }) => journal.hasSegmentWithin(first, last))) return true;
    }
    return false;
  }

  async #removeFiles(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<Erased> {
    const { partitions, knownSites, partitionCache } = this.#options;
    const days = await this.#daysToErase(siteId, firstDay, lastDay);
    const events = await this.#countEvents(days.flatMap(({ files }) => files));
    partitionCache.forgetDays(siteId, firstDay, lastDay);
    // In this order, or a crash in between would let the superseded ones count again.
    await partitions.remove(
      siteId,
      days.flatMap(({ superseded }) => superseded),
    );
    await partitions.remove(
      siteId,
      days.flatMap(({ files }) => files),
    );
    // What an erasure that was cut short has removed is nowhere listed, and may come back.
    await partitions.sync(siteId, firstDay, lastDay);
    if (await partitions.forgetSiteWithoutFiles(siteId)) knownSites.forgetUnlessJournaled(siteId);
    return { events, days: days.length };
  }

  /** Files of segments that are still journaled hold events that came after the call, or are being written: they stay. */
  async #daysToErase(siteId: SiteId, firstDay: UtcDay, lastDay: UtcDay): Promise<ErasedDay[]> {
    const { journal, partitions } = this.#options;
    const isSettled = ({ first, last }: PartitionFile) => !journal.hasSegmentWithin(first, last);
    const found: ErasedDay[] = [];
    for (const day of await partitions.days(siteId)) {
      if (day < firstDay || day > lastDay) continue;
      const files = (await partitions.files(siteId, day)).filter(isSettled);
      const superseded = (await partitions.superseded(siteId, day)).filter(isSettled);
      if (files.length > 0 || superseded.length > 0) found.push({ day, files, superseded });
    }
    return found;
  }

  async #countEvents(files: readonly PartitionFile[]): Promise<number> {
    const { partitions, log } = this.#options;
    let events = 0;
    for (const file of files) {
      const inFile = await partitions.countEvents(file);
      if (inFile === null) log.warn("a partition file that is erased cannot be read; its events are not counted", { file: file.key });
      else events += inFile;
    }
    return events;
  }
}
