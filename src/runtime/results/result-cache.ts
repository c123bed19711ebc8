/**
 * The cache of results: LRU eviction, and invalidation by site when events are erased (docs/http-api.md, "Caching"). Results that guests
 * of share links and public sites asked for have a part of it, in which they evict each other: whoever asks for many different ones
 * cannot empty the cache for all others.
 */
import type { SiteId } from "../../storage/event.ts";
import { LruMap } from "../../storage/lru-map.ts";
import { CACHE_CHARS_MAX, GUEST_RESULTS_SHARE_MAX } from "../base/config/report-limits.ts";
import type { Asker } from "../query/plan.ts";

/** The cache key, from the parsed request: two requests share a result if and only if their keys are equal. */
export interface CacheKey {
  /** The name of the report. */
  readonly report: string;
  readonly siteId: SiteId;
  /** Everything else that the result depends on. */
  readonly parameters: unknown;
}

interface CachedText {
  readonly siteId: SiteId;
  readonly text: string;
  readonly requestedAtMs: number;
}

/** A key may be longer than its result: it contains filters and names of properties. */
const charsOf = ({ text }: CachedText, key: string): number => key.length + text.length;

interface Computation {
  readonly siteId: SiteId;
  readonly result: Promise<string>;
  /** The asker of the first request: when it is aborted, the computation ends. */
  readonly asker: Asker;
}

/** Others do not share what a guest has begun: it may be refused where they are not. */
const isShared = (running: Asker, asker: Asker): boolean => !running.signal.aborted && (asker.isGuest || !running.isGuest);

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
  readonly #ofGuests = new LruMap<string, CachedText>({ weightOf: charsOf });
  readonly #ofOthers = new LruMap<string, CachedText>({ weightOf: charsOf });
  readonly #running = new Map<string, Computation>();

  constructor(options: ResultCacheOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#ofGuests.size + this.#ofOthers.size;
  }

  /**
   * The cached result, that of a running computation, or a new one. A failure is not cached, but shared by the waiting requests,
   * except a timeout of the first request: the others that have time left compute the result again.
   */
  async get(request: CacheKey, asker: Asker, compute: () => Promise<string>): Promise<string> {
    const { report, siteId, parameters } = request;
    // JSON separates the parts, whatever characters they contain.
    const key = JSON.stringify([report, siteId, parameters]);
    const cached = this.#lookUp(key, asker);
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

  /** Guests use results of others without keeping them for longer, and others take over those of guests. */
  #lookUp(key: string, { isGuest }: Asker): string | undefined {
    const ofOthers = this.#ofOthers.peek(key);
    const entry = ofOthers ?? this.#ofGuests.peek(key);
    if (!entry) return undefined;
    const isFresh = this.#options.monotonicMs() - entry.requestedAtMs < this.#options.ttlSecs * 1000;
    if (!isFresh) this.#remove(key);
    else if (!isGuest) this.#addOfOthers(key, entry);
    else if (!ofOthers) this.#ofGuests.set(key, entry);
    return isFresh ? entry.text : undefined;
  }

  async #compute(key: string, siteId: SiteId, asker: Asker, compute: () => Promise<string>): Promise<string> {
    // The age of a result counts from its request, not from the end of the computation.
    const requestedAtMs = this.#options.monotonicMs();
    const computation: Computation = { siteId, asker, result: compute() };
    this.#running.set(key, computation);
    try {
      const text = await computation.result;
      if (this.#running.get(key) === computation) this.#store(key, { siteId, text, requestedAtMs }, asker);
      return text;
    } finally {
      if (this.#running.get(key) === computation) this.#running.delete(key);
    }
  }

  #store(key: string, entry: CachedText, { isGuest }: Asker): void {
    if (this.#options.ttlSecs === 0 || charsOf(entry, key) > CACHE_CHARS_MAX) return;
    if (isGuest && !this.#ofOthers.has(key)) this.#addOfGuests(key, entry);
    else this.#addOfOthers(key, entry);
  }

  #addOfGuests(key: string, entry: CachedText): void {
    this.#ofGuests.set(key, entry);
    const entriesMax = Math.max(1, Math.floor(this.#options.entriesMax * GUEST_RESULTS_SHARE_MAX));
    const isBeyondPart = () => this.#ofGuests.size > entriesMax || this.#ofGuests.weight > CACHE_CHARS_MAX * GUEST_RESULTS_SHARE_MAX;
    while (isBeyondPart()) this.#ofGuests.evictOldest();
    while (this.#isFull()) (this.#ofOthers.size > 0 ? this.#ofOthers : this.#ofGuests).evictOldest();
  }

  #addOfOthers(key: string, entry: CachedText): void {
    this.#ofGuests.delete(key);
    this.#ofOthers.set(key, entry);
    // A single long one may need the part of guests, too.
    while (this.#isFull()) (this.#ofOthers.size > 1 ? this.#ofOthers : this.#ofGuests).evictOldest();
  }

  #isFull(): boolean {
    return this.size > this.#options.entriesMax || this.#ofGuests.weight + this.#ofOthers.weight > CACHE_CHARS_MAX;
  }

  #remove(key: string): void {
    this.#ofGuests.delete(key);
    this.#ofOthers.delete(key);
  }

  /** Drops the results of a site, also of running computations, which may include erased events. */
  dropSite(siteId: SiteId): void {
    for (const texts of [this.#ofGuests, this.#ofOthers]) for (const [key, entry] of texts) if (entry.siteId === siteId) texts.delete(key);
    for (const [key, computation] of this.#running) if (computation.siteId === siteId) this.#running.delete(key);
  }
}
