/**
 * What the overview of all sites is computed from, as the sites' objects have told the registry. A page asks every ten seconds, and may
 * start no object whose site has no new events: its numbers then stay, until another day or other settings ask for others.
 */
import { OVERVIEW_NUMBERS_MAX } from "../../src/runtime/config/report-limits.ts";
import { DEMO_SITE } from "../../src/runtime/config/site-id.ts";
import type { SiteId } from "../../src/storage/event.ts";

export type Numbers = readonly Float64Array[];

interface Question {
  readonly siteId: SiteId;
  readonly askedAtMs: number;
  /** Counts up with each question and each change. */
  readonly askedAs: number;
}

interface Entry extends Question {
  readonly numbers: Numbers;
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
  /** Questions without an answer, except those about a site that was forgotten since. */
  readonly #open = new Set<Question>();
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
    const question = { siteId, askedAtMs, askedAs: ++this.#count };
    this.#open.add(question);
    try {
      const numbers = await ask();
      if (this.#open.has(question)) this.#store(name, { ...question, numbers });
      return numbers;
    } finally {
      this.#open.delete(question);
    }
  }

  #store(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined && this.#entries.size > OVERVIEW_NUMBERS_MAX) this.#entries.delete(oldest);
  }

  /** Events of the demo site are written without being counted. */
  #isUnchanged(siteId: SiteId, { askedAs }: Entry): boolean {
    return askedAs > (this.#changedAs.get(siteId) ?? 0) && siteId !== DEMO_SITE;
  }

  /** The site's events have changed, or may have. */
  noteChange(siteId: SiteId): void {
    this.#changedAs.set(siteId, ++this.#count);
  }

  /** Events of the site are deleted: no numbers that were asked for until now are used again, however young. */
  forget(siteId: SiteId): void {
    this.noteChange(siteId);
    for (const [name, entry] of this.#entries) if (entry.siteId === siteId) this.#entries.delete(name);
    for (const question of this.#open) if (question.siteId === siteId) this.#open.delete(question);
  }
}
