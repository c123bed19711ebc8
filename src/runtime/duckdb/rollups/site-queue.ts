/** The order of sites: changed ones first, then the others in turn. A site that failed waits, longer after each failure. */
import type { SiteId } from "../../../storage/event.ts";

export interface SiteQueueOptions {
  readonly monotonicMs: () => number;
  /** The pause after a failure. It doubles with each failure that follows another, up to `retryMsMax`. */
  readonly retryMsMin: number;
  readonly retryMsMax: number;
}

interface Failed {
  /** Failures since the last success. */
  readonly failures: number;
  readonly notBeforeMs: number;
}

export class SiteQueue {
  readonly #options: SiteQueueOptions;
  readonly #changed = new Set<SiteId>();
  readonly #others = new Set<SiteId>();
  readonly #failed = new Map<SiteId, Failed>();

  constructor(options: SiteQueueOptions) {
    this.#options = options;
  }

  /** Appends a site, unless it is in the queue. */
  add(siteId: SiteId): void {
    if (!this.#changed.has(siteId)) this.#others.add(siteId);
  }

  /** Puts a site before all that have not changed. */
  addChanged(siteId: SiteId): void {
    this.#others.delete(siteId);
    this.#changed.add(siteId);
  }

  /** The first site that is ready and does not wait after a failure. */
  next(isReady: (siteId: SiteId) => boolean): SiteId | undefined {
    for (const sites of [this.#changed, this.#others]) {
      for (const siteId of sites) if (this.#msUntil(siteId) === 0 && isReady(siteId)) return siteId;
    }
    return undefined;
  }

  /** Takes a site out. It may be added again at once. */
  remove(siteId: SiteId): void {
    this.#changed.delete(siteId);
    this.#others.delete(siteId);
  }

  noteSuccess(siteId: SiteId): void {
    this.#failed.delete(siteId);
  }

  /** Appends the site for another attempt after a pause. */
  retry(siteId: SiteId): void {
    const { monotonicMs, retryMsMin, retryMsMax } = this.#options;
    const failures = (this.#failed.get(siteId)?.failures ?? 0) + 1;
    const pauseMs = Math.min(retryMsMax, retryMsMin * 2 ** (failures - 1));
    this.#failed.set(siteId, { failures, notBeforeMs: monotonicMs() + pauseMs });
    this.add(siteId);
  }

  /** Time until a site has waited long enough after a failure; infinite if the queue is empty. */
  msUntilNext(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const siteId of [...this.#changed, ...this.#others]) least = Math.min(least, this.#msUntil(siteId));
    return least;
  }

  #msUntil(siteId: SiteId): number {
    const failed = this.#failed.get(siteId);
    return failed ? Math.max(0, failed.notBeforeMs - this.#options.monotonicMs()) : 0;
  }
}
