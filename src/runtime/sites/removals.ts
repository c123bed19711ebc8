/** Times at which records were removed, so that no earlier change from another instance brings one back, and every later one is later there as well. */
import type { EpochMs } from "../../storage/event.ts";
import { LruMap } from "../../storage/lru-map.ts";
import { REMOVED_SITES_MAX } from "../base/config/admin-limits.ts";

/** Keyed by site, or another key. */
export class Removals<Key extends string> {
  readonly #removedMs = new LruMap<Key, EpochMs>({
    max: REMOVED_SITES_MAX,
    onEvict: (removedMs) => (this.#evictedMs = Math.max(this.#evictedMs, removedMs)),
  });
  #evictedMs: EpochMs = 0;

  add(key: Key, removedMs: EpochMs): void {
    this.#removedMs.set(key, removedMs);
  }

  /** Undefined also if so many others were removed since that no earlier change of the site is still on its way. */
  timeOf(key: Key): EpochMs | undefined {
    return this.#removedMs.peek(key);
  }

  /** Not before the removals that `timeOf` no longer knows. */
  get evictedMs(): EpochMs {
    return this.#evictedMs;
  }
}
