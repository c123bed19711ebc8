/** When sites' records were removed, so that no earlier change from another instance brings one back, and every later one is later there, too. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { REMOVED_SITES_MAX } from "../config/limits.ts";

export class Removals {
  /** Latest removal last. */
  readonly #removedMs = new Map<SiteId, EpochMs>();
  #evictedMs: EpochMs = 0;

  add(siteId: SiteId, removedMs: EpochMs): void {
    this.#removedMs.delete(siteId);
    this.#removedMs.set(siteId, removedMs);
    for (const [oldest, oldestMs] of this.#removedMs) {
      if (this.#removedMs.size <= REMOVED_SITES_MAX) return;
      this.#removedMs.delete(oldest);
      this.#evictedMs = Math.max(this.#evictedMs, oldestMs);
    }
  }

  /** Undefined also if so many others were removed since that no earlier change of the site is still on its way. */
  timeOf(siteId: SiteId): EpochMs | undefined {
    return this.#removedMs.get(siteId);
  }

  /** Not before the removals that `timeOf` no longer knows. */
  get evictedMs(): EpochMs {
    return this.#evictedMs;
  }
}
