/** How many past days with events there are, by the state of their rollup, as of the last look at each site. */
import type { SiteId } from "../../../storage/event.ts";

/** Past days with events. Days with too few events to be worth a rollup count in none of these. */
export interface RollupDayCounts {
  /** In a valid rollup. */
  readonly stored: number;
  /** Only in outdated rollups. */
  readonly stale: number;
  /** In none, although one is due. */
  readonly missing: number;
}

const NO_DAYS: RollupDayCounts = { stored: 0, stale: 0, missing: 0 };

const sum = (a: RollupDayCounts, b: RollupDayCounts, factor: 1 | -1): RollupDayCounts => ({
  stored: a.stored + factor * b.stored,
  stale: a.stale + factor * b.stale,
  missing: a.missing + factor * b.missing,
});

export class RollupDays {
  /** Sites with days. */
  readonly #sites = new Map<SiteId, RollupDayCounts>();
  #total = NO_DAYS;

  /** Of all sites. */
  get total(): RollupDayCounts {
    return this.#total;
  }

  /** Replaces what is known about the site. */
  note(siteId: SiteId, counts: RollupDayCounts): void {
    this.#total = sum(sum(this.#total, this.#sites.get(siteId) ?? NO_DAYS, -1), counts, 1);
    if (counts.stored + counts.stale + counts.missing > 0) this.#sites.set(siteId, counts);
    else this.#sites.delete(siteId);
  }
}
