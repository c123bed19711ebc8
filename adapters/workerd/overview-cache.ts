/**
 * The numbers of the overview of all sites, as the sites' objects have reported them to the registry. A page polls every ten seconds, and
 * must start no object whose site has no new events: its numbers stay until another day or other settings need others.
 */
import { OVERVIEW_NUMBERS_BYTES_MAX } from "../../src/runtime/base/config/report-limits.ts";
import { DEMO_SITE } from "../../src/runtime/base/config/names.ts";
import type { RemoteRequest } from "../../src/runtime/reports/overview/overview.ts";
import type { SiteId } from "../../src/storage/event.ts";

export type Numbers = readonly Float64Array[];

type Asked = Pick<RemoteRequest, "siteId" | "view" | "key">;

interface Question extends Asked {
  readonly askedAtMs: number;
  /** Counts up with each question and each change. */
  readonly askedAs: number;
}

interface Entry extends Question {
  readonly numbers: Numbers;
}

/** One entry per site and view: the numbers of the next day replace those of the day before. */
const nameOf = ({ siteId, view }: Asked): string => `${siteId} ${view}`;

const bytesOf = (entry: Entry): number =>
  2 * (nameOf(entry).length + entry.key.length) + entry.numbers.reduce((bytes, { byteLength }) => bytes + byteLength, 0);

interface OverviewCacheOptions {
  /** Lifetime of numbers although the site may have new events. */
  readonly ttlMs: number;
  readonly monotonicMs: () => number;
}

export class OverviewCache {
  readonly #options: OverviewCacheOptions;
  /** Entries by site and view, in the order of the answers. */
  readonly #entries = new Map<string, Entry>();
  /** Questions without an answer, except those about a site that was forgotten since. */
  readonly #open = new Set<Question>();
  readonly #changedAs = new Map<SiteId, number>();
  #count = 0;
  #bytes = 0;

  constructor(options: OverviewCacheOptions) {
    this.#options = options;
  }

  /** `isRunning`: the site's object may have events that it has not reported. */
  async get({ siteId, view, key }: Asked, isRunning: boolean, ask: () => Promise<Numbers>): Promise<Numbers> {
    const known = this.#entries.get(nameOf({ siteId, view, key }));
    const askedAtMs = this.#options.monotonicMs();
    const isYoung = known && askedAtMs - known.askedAtMs < this.#options.ttlMs;
    if (known?.key === key && (isYoung || (!isRunning && this.#isUnchanged(known)))) return known.numbers;
    const question = { siteId, view, key, askedAtMs, askedAs: ++this.#count };
    this.#open.add(question);
    try {
      const numbers = await ask();
      if (this.#open.has(question)) this.#store({ ...question, numbers });
      return numbers;
    } finally {
      this.#open.delete(question);
    }
  }

  #store(entry: Entry): void {
    const before = this.#entries.get(nameOf(entry));
    if (before) this.#remove(before);
    this.#entries.set(nameOf(entry), entry);
    this.#bytes += bytesOf(entry);
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= OVERVIEW_NUMBERS_BYTES_MAX) return;
      this.#remove(oldest);
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(nameOf(entry));
    this.#bytes -= bytesOf(entry);
  }

  /** Events of the demo site are written without being counted. */
  #isUnchanged({ siteId, askedAs }: Entry): boolean {
    return askedAs > (this.#changedAs.get(siteId) ?? 0) && siteId !== DEMO_SITE;
  }

  /** The site's events have changed, or may have. */
  noteChange(siteId: SiteId): void {
    this.#changedAs.set(siteId, ++this.#count);
  }

  /** Events of the site are deleted: no numbers that were asked for until now are used again, however young. */
  forget(siteId: SiteId): void {
    this.noteChange(siteId);
    for (const entry of this.#entries.values()) if (entry.siteId === siteId) this.#remove(entry);
    for (const question of this.#open) if (question.siteId === siteId) this.#open.delete(question);
  }
}
