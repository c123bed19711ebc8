/**
 * What the overview of all sites is computed from, as the sites' objects have told the registry. A page asks every ten seconds, and may
 * start no object whose site has no new events: its numbers then stay, until another day or other settings ask for others.
 */
import { OVERVIEW_NUMBERS_MAX } from "../../src/runtime/config/report-limits.ts";
import { DEMO_SITE } from "../../src/runtime/config/site-id.ts";
import type { SiteId } from "../../src/storage/event.ts";

export type Numbers = readonly Float64Array[];

interface Entry {
  readonly numbers: Numbers;
  readonly askedAtMs: number;
  /** Counts up with each question and each change. */
  readonly askedAs: number;
}

export interface OverviewCacheOptions {
  /** How long numbers are used although the site may have new events. */
  readonly ttlMs: number;
  readonly monotonicMs: () => number;
}

export class OverviewCache {
  readonly #options: OverviewCacheOptions;
  /** By site and key, in the order of the questions. */
  readonly #entries = new Map<string, Entry>();
  readonly #changedAs = new Map<SiteId, number>();
  #count = 0;

  constructor(options: OverviewCacheOptions) {
    this.#options = options;
  }

  /** `isRunning`: the site's object may have events that it has not told of. */
  async get(siteId: SiteId, key: string, isRunning: boolean, ask: () => Promise<Numbers>): Promise<Numbers> {
    const name = `${siteId} ${key}`;
    const known = this.#entries.get(name);
    const askedAtMs = this.#options.monotonicMs();
    if (known && (askedAtMs - known.askedAtMs < this.#options.ttlMs || (!isRunning && this.#isUnchanged(siteId, known))))
      return known.numbers;
    const askedAs = ++this.#count;
    const numbers = await ask();
    this.#entries.delete(name);
    this.#entries.set(name, { numbers, askedAtMs, askedAs });
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > OVERVIEW_NUMBERS_MAX) this.#entries.delete(oldest);
    return numbers;
  }

  /** Events of the demo site are written without being counted. */
  #isUnchanged(siteId: SiteId, { askedAs }: Entry): boolean {
    return askedAs > (this.#changedAs.get(siteId) ?? 0) && siteId !== DEMO_SITE;
  }

  /** The site's events have changed, or may have. */
  noteChange(siteId: SiteId): void {
    this.#changedAs.set(siteId, ++this.#count);
  }
}
