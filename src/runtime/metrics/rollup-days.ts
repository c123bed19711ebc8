/** How many past days with events there are by the state of their rollup, as of the last look at each site. */
import type { SiteId } from "../../storage/event.ts";

export interface DayCounts {
  /** Days that a rollup has. */
  readonly stored: number;
  /** Days of rollups whose events have changed since. */
  readonly stale: number;
  /** Days without a rollup. */
  readonly missing: number;
}

const NO_DAYS: DayCounts = { stored: 0, stale: 0, missing: 0 };

const sum = (a: DayCounts, b: DayCounts, factor: 1 | -1): DayCounts => ({
  stored: a.stored + factor * b.stored,
  stale: a.stale + factor * b.stale,
  missing: a.missing + factor * b.missing,
});

export class RollupDays {
  /** Sites with days. */
  readonly #sites = new Map<SiteId, DayCounts>();
  #total = NO_DAYS;

  /** Of all sites. */
  get total(): DayCounts {
    return this.#total;
  }

  /** Replaces what is known about the site. */
  note(siteId: SiteId, counts: DayCounts): void {
    this.#total = sum(sum(this.#total, this.#sites.get(siteId) ?? NO_DAYS, -1), counts, 1);
    if (counts.stored + counts.stale + counts.missing > 0) this.#sites.set(siteId, counts);
    else this.#sites.delete(siteId);
  }
}
