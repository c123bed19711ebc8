/** Erases a site's days permanently: their events are flushed first, so that deleting files deletes all of them. */
import type { LocalDate, SiteId } from "../../storage/event.ts";
import type { DeletedDays, EventStore } from "../../storage/event-store.ts";
import type { QueryService } from "../results/query-service.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { Log } from "../base/metrics/log.ts";
import type { Flush } from "./flush.ts";

/** Each event counts once; days are those whose files were deleted. */
export type Erased = Pick<DeletedDays, "events" | "days">;

interface ErasureOptions {
  readonly eventStore: EventStore;
  readonly flush: Flush;
  readonly stats: QueryService;
  readonly counters: Counters;
  readonly log: Log;
  /** Drops the site's results at another instance, if one has any. */
  readonly dropElsewhere?: (() => Promise<void>) | undefined;
}

export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /**
   * Erases every event of the site from `firstDay` to `lastDay` that was accepted before the call. Events accepted
   * meanwhile are either erased or stored, permanently. Once this resolves, no crash brings back an erased event and no
   * response contains one. After a rejection some may be erased; may be retried. `filesOnly`: see `EventStore.deleteDays`.
   */
  async erase(siteId: SiteId, firstDay: LocalDate, lastDay: LocalDate, filesOnly?: "filesOnly"): Promise<Erased> {
    const { eventStore, flush, stats, counters, log, dropElsewhere } = this.#options;
    if ((await eventStore.isJournaled(siteId, firstDay, lastDay)) && !(await flush.run())) {
      throw new Error("events cannot be erased while those of the journal cannot be written to files");
    }
    try {
      const { events, days, unreadable } = await eventStore.deleteDays(siteId, firstDay, lastDay, filesOnly);
      for (const file of unreadable) log.warn("a partition file that is erased cannot be read; its events are not counted", { file });
      counters.eventsErased += events;
      return { events, days };
    } finally {
      stats.dropSite(siteId);
      // After that, because the other instance may have asked for results that were cached here.
      await dropElsewhere?.();
    }
  }
}
