/** When records were removed, so that no earlier change from another instance brings one back, and every later one is later there, too. */
import type { EpochMs } from "../../storage/event.ts";
import { REMOVED_SITES_MAX } from "../base/config/admin-limits.ts";

/** By site, or another key. */
export class Removals<Key extends string> {
  /** Latest removal last. */
  readonly #removedMs = new Map<Key, EpochMs>();
  #evictedMs: EpochMs = 0;

  add(key: Key, removedMs: EpochMs): void {
    this.#removedMs.delete(key);
    this.#removedMs.set(key, removedMs);
    for (const [oldest, oldestMs] of this.#removedMs) {
      if (this.#removedMs.size <= REMOVED_SITES_MAX) return;
      this.#removedMs.delete(oldest);
      this.#evictedMs = Math.max(this.#evictedMs, oldestMs);
    }
  }

  /** Undefined also if so many others were removed since that no earlier change of the site is still on its way. */
  timeOf(key: Key): EpochMs | undefined {
    return this.#removedMs.get(key);
  }

  /** Not before the removals that `timeOf` no longer knows. */
  get evictedMs(): EpochMs {
    return this.#evictedMs;
  }
}
