/** The cache of results: LRU eviction, and invalidation by site when events are erased (docs/http-api.md, "Caching"). */
import type { SiteId } from "../../storage/event.ts";
import { CACHE_CHARS_MAX } from "../config/report-limits.ts";
import type { Asker } from "./asker.ts";

/** The cache key, from the parsed request: two requests share a result if and only if their keys are equal. */
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
  readonly requestedAtMs: number;
}

/** A key may be longer than its result: filters and names of properties are part of it. */
const charsOf = (key: string, { text }: Entry): number => key.length + text.length;

interface Computation {
  readonly siteId: SiteId;
  readonly result: Promise<string>;
  /** Of the first request: when it is aborted, the computation ends. */
  readonly asker: Asker;
}

/** Others do not share what a viewer has begun: it may be refused where they are not. */
const isShared = (running: Asker, asker: Asker): boolean => !running.signal.aborted && (asker.isViewer || !running.isViewer);

export interface ResultCacheOptions {
  /** 0 caches nothing, but concurrent equal requests still share one computation. */
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
  readonly #running = new Map<string, Computation>();
  #chars = 0;

  constructor(options: ResultCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /**
   * The cached result, that of a running computation, or a new one. A failure is not cached, but shared by the waiting requests,
   * except a timeout of the first request: the others that have time left compute the result again.
   */
  async get(request: CacheKey, asker: Asker, compute: () => Promise<string>): Promise<string> {
    const { report, siteId, parameters } = request;
    // JSON separates the parts, whatever characters they contain.
    const key = JSON.stringify([report, siteId, parameters]);
    const cached = this.#lookUp(key);
    if (cached !== undefined) {
      this.#options.onHit();
      return cached;
    }
    const running = this.#running.get(key);
    if (!running || !isShared(running.asker, asker)) {
      this.#options.onMiss();
      return this.#compute(key, siteId, asker, compute);
    }
    this.#options.onHit();
    return running.result.catch((error: unknown) => {
      if (!running.asker.signal.aborted || asker.signal.aborted) throw error;
      return this.get(request, asker, compute);
    });
  }

  #lookUp(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#remove(key, entry);
    if (this.#options.monotonicMs() - entry.requestedAtMs >= this.#options.ttlSecs * 1000) return undefined;
    this.#add(key, entry);
    return entry.text;
  }

  async #compute(key: string, siteId: SiteId, asker: Asker, compute: () => Promise<string>): Promise<string> {
    // The age of a result counts from its request, not from the end of the computation.
    const requestedAtMs = this.#options.monotonicMs();
    const computation: Computation = { siteId, asker, result: compute() };
    this.#running.set(key, computation);
    try {
      const text = await computation.result;
      if (this.#running.get(key) === computation) this.#store(key, { siteId, text, requestedAtMs });
      return text;
    } finally {
      if (this.#running.get(key) === computation) this.#running.delete(key);
    }
  }

  #store(key: string, entry: Entry): void {
    if (this.#options.ttlSecs === 0 || charsOf(key, entry) > CACHE_CHARS_MAX) return;
    this.#add(key, entry);
    for (const [oldestKey, oldest] of this.#entries) {
      if (this.#entries.size <= this.#options.entriesMax && this.#chars <= CACHE_CHARS_MAX) return;
      this.#remove(oldestKey, oldest);
    }
  }

  #add(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#chars += charsOf(key, entry);
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.delete(key)) this.#chars -= charsOf(key, entry);
  }

  /** Drops the results of a site, also of running computations, which may include erased events. */
  dropSite(siteId: SiteId): void {
    for (const [key, entry] of this.#entries) if (entry.siteId === siteId) this.#remove(key, entry);
    for (const [key, computation] of this.#running) if (computation.siteId === siteId) this.#running.delete(key);
  }
}
