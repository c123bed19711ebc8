/** Cached results: the least recently used are evicted first, a site's when its events are erased (docs/http-api.md, "Caching"). */
import type { SiteId } from "../../storage/event.ts";
import { CACHE_CHARS_MAX } from "../config/limits.ts";

/** Identifies a result by the parsed request: two requests have the same result if and only if these are equal. */
export interface CacheKey {
  /** The name of the report. */
  readonly report: string;
  readonly siteId: SiteId;
  /** Everything else that the result depends on. */
  readonly parameters: unknown;
}

interface Entry {
  readonly siteId: SiteId;
  readonly text: string;
  readonly askedAtMs: number;
}

interface Computation {
  readonly siteId: SiteId;
  readonly answer: Promise<string>;
  /** Of the first request: when its time is up, the computation ends. */
  readonly signal: AbortSignal;
}

export interface ResultCacheOptions {
  /** 0 caches nothing, but equal requests at the same time still share one computation. */
  readonly ttlSecs: number;
  readonly entriesMax: number;
  readonly monotonicMs: () => number;
  readonly onHit: () => void;
  readonly onMiss: () => void;
}

export class ResultCache {
  readonly #options: ResultCacheOptions;
  /** In order of last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Computation>();
  #chars = 0;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The answer kept, or under way, or computed now. A failure is not kept and shared by those who wait for it,
   * except that one request's end of time is no other's: those that have time left compute again.
   */
  async get(request: CacheKey, signal: AbortSignal, compute: () => Promise<string>): Promise<string> {
    const { report, siteId, parameters } = request;
    // JSON keeps the parts apart whatever characters they contain.
    const key = JSON.stringify([report, siteId, parameters]);
    const kept = this.#kept(key);
    if (kept !== undefined) {
      this.#options.onHit();
      return kept;
    }
    const underWay = this.#underWay.get(key);
    if (!underWay || underWay.signal.aborted) {
      this.#options.onMiss();
      return this.#compute(key, siteId, signal, compute);
    }
    this.#options.onHit();
    return underWay.answer.catch((error: unknown) => {
      if (!underWay.signal.aborted || signal.aborted) throw error;
      return this.get(request, signal, compute);
    });
  }

  #kept(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#remove(key, entry);
    if (this.#options.monotonicMs() - entry.askedAtMs >= this.#options.ttlSecs * 1000) return undefined;
    this.#add(key, entry);
    return entry.text;
  }

  async #compute(key: string, siteId: SiteId, signal: AbortSignal, compute: () => Promise<string>): Promise<string> {
    // The result is as old as the request, not as its end.
    const askedAtMs = this.#options.monotonicMs();
    const computation: Computation = { siteId, signal, answer: compute() };
    this.#underWay.set(key, computation);
    try {
      const text = await computation.answer;
      if (this.#underWay.get(key) === computation) this.#keep(key, { siteId, text, askedAtMs });
      return text;
    } finally {
      if (this.#underWay.get(key) === computation) this.#underWay.delete(key);
    }
  }

  #keep(key: string, entry: Entry): void {
    if (this.#options.ttlSecs === 0 || entry.text.length > CACHE_CHARS_MAX) return;
    this.#add(key, entry);
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#entries.size <= this.#options.entriesMax && this.#chars <= CACHE_CHARS_MAX) return;
      this.#remove(oldestKey, oldest);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#chars += entry.text.length;
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.delete(key)) this.#chars -= entry.text.length;
  }

  /** Forgets a site's answers, also those under way: they may have seen what is gone now. */
  dropSite(siteId: SiteId): void {
    for (const [key, entry] of this.#entries) if (entry.siteId === siteId) this.#remove(key, entry);
    for (const [key, computation] of this.#underWay) if (computation.siteId === siteId) this.#underWay.delete(key);
  }
}
