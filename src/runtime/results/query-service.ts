/** Runs all stats queries: from the cache if possible, within the limit of concurrent queries, and again if an erasure outdated the result. */
import type { ImportedDays } from "../../storage/day-sums.ts";
import type { SiteId } from "../../storage/event.ts";
import { LruMap } from "../../storage/lru-map.ts";
import { CACHE_CHARS_MAX, GUEST_RESULTS_SHARE_MAX } from "../base/config/report-limits.ts";
import type { Asker } from "../query/scope.ts";
import type { QueryEngine, ReportQuery } from "../query/query-engine.ts";
import type { QueryLimiter, SlotUse } from "./query-limiter.ts";
import { type Computation, RunningReports, type Watch } from "./running-reports.ts";
import type { NumbersPlan, UnchangedResults } from "./unchanged-results.ts";

interface QueryServiceOptions {
  readonly cache: ResultCache;
  readonly limiter: QueryLimiter;
  readonly engine: Pick<QueryEngine, "execute" | "export">;
  readonly unchanged: UnchangedResults;
  /** Shown imports of a site with sums of days. */
  readonly importedOf: (siteId: SiteId) => readonly ImportedDays[];
}

/** The numbers of each plan of a site's overview. */
export type RunNumbers = (query: ReportQuery, plans: readonly NumbersPlan[], signal: AbortSignal) => Promise<readonly Float64Array[]>;

/** An export that holds its slot until it is released. */
interface HeldExport {
  readonly chunks: AsyncIterator<Uint8Array, undefined>;
  /** The time since which another guest has waited for the slot of a guest; null if none waits. */
  readonly wantedSinceMs: () => number | null;
  readonly release: () => void;
}

export class QueryService {
  readonly #options: QueryServiceOptions;
  /** Queries that are running. `outdated`: events that one may have read were erased meanwhile. */
  readonly #running = new Set<{ readonly siteId: SiteId; outdated: boolean }>();
  readonly #reports = new RunningReports();

  constructor(options: QueryServiceOptions) {
    this.#options = options;
  }

  /**
   * A result up to `cache_ttl_secs` old. Neither cached results nor queries that share a running computation take a slot. With an id, the
   * reader can ask how far it has come.
   */
  cached(key: CacheKey, query: ReportQuery, asker: Asker, id: string | null = null): Promise<string> {
    const { cache } = this.#options;
    return this.#reports.watched(id, query, asker, (watch) => cache.get(key, asker, (by) => this.fresh(query, by), watch));
  }

  progressOf: RunningReports["progressOf"] = (siteId, ids) => this.#reports.progressOf(siteId, ids);

  /** A newly computed result. */
  fresh(query: ReportQuery, asker: Asker): Promise<string> {
    const { limiter, engine } = this.#options;
    return limiter.run({ isGuest: asker.isGuest }, () =>
      this.#untilCurrent(query.scope.siteId, () => engine.execute(this.#current(query), asker), asker.signal),
    );
  }

  /**
   * The outcome of a task that runs plans of many sites, which guests cannot, in one slot. Results are reused while their events are
   * unchanged.
   */
  batch<Result>(task: (run: RunNumbers) => Promise<Result>): Promise<Result> {
    const { limiter, unchanged } = this.#options;
    return limiter.run({ isGuest: false }, () =>
      task((query, plans, signal) =>
        this.#untilCurrent(query.scope.siteId, () => unchanged.run(this.#current(query), plans, signal), signal),
      ),
    );
  }

  /** A newly computed export: it holds memory until its client has read it, and its slot until it is released. */
  async held(query: ReportQuery, asker: Asker, exporter?: SlotUse["exporter"]): Promise<HeldExport> {
    const { limiter, engine } = this.#options;
    const { isGuest, signal } = asker;
    const release = await limiter.take({ isGuest, isExport: true, ...(exporter && { exporter }) });
    try {
      const drop = (chunks: HeldExport["chunks"]) => chunks.return?.();
      const chunks = await this.#untilCurrent(query.scope.siteId, () => engine.export(this.#current(query), asker), signal, drop);
      return { chunks, wantedSinceMs: () => limiter.exportWantedSinceMs, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** The query with what is shown now: an import may be hidden while its sums are read, and the query is then executed again. */
  #current(query: ReportQuery): ReportQuery {
    const imported = this.#options.importedOf(query.scope.siteId);
    return imported.length === 0 ? query : { ...query, scope: { ...query.scope, imported } };
  }

  /** Computes again what may count erased events. */
  async #untilCurrent<Result>(
    siteId: SiteId,
    compute: () => Promise<Result>,
    signal: AbortSignal,
    drop: (outdated: Result) => unknown = () => {},
  ): Promise<Result> {
    for (;;) {
      const computation = { siteId, outdated: false };
      this.#running.add(computation);
      try {
        const result = await compute();
        if (!computation.outdated) return result;
        await drop(result);
      } finally {
        this.#running.delete(computation);
      }
      signal.throwIfAborted();
    }
  }

  get cachedCount(): number {
    return this.#options.cache.size;
  }

  /** Drops the cached results of a site; running queries are recomputed. */
  dropSite(siteId: SiteId): void {
    this.#options.cache.dropSite(siteId);
    this.#options.unchanged.dropSite(siteId);
    for (const computation of this.#running) computation.outdated ||= computation.siteId === siteId;
  }
}

/** The cache key, from the parsed request: two requests share a result if and only if their keys are equal. */
export interface CacheKey {
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

interface SharedComputation {
  readonly siteId: SiteId;
  readonly computed: Computation;
  readonly result: Promise<string>;
  /** The asker of the first request: when it is aborted, the computation ends. */
  readonly asker: Asker;
}

/** Others do not share what a guest has begun: it may be refused where they are not. */
const isShared = (running: Asker, asker: Asker): boolean => !running.signal.aborted && (asker.isGuest || !running.isGuest);

interface ResultCacheOptions {
  /** 0 caches nothing, but concurrent equal requests still share one computation. */
  readonly ttlSecs: number;
  readonly entriesMax: number;
  readonly monotonicMs: () => number;
  readonly onHit: () => void;
  readonly onMiss: () => void;
}

/**
 * The cache of results: LRU eviction, and invalidation by site when events are erased (docs/http-api.md, "Caching"). Results that guests
 * of share links and public sites asked for have a part of it, in which they evict each other: whoever asks for many different ones
 * cannot empty the cache for all others.
 */
export class ResultCache {
  readonly #options: ResultCacheOptions;
  readonly #ofGuests = new LruMap<string, CachedText>({ weightOf: charsOf });
  readonly #ofOthers = new LruMap<string, CachedText>({ weightOf: charsOf });
  readonly #running = new Map<string, SharedComputation>();

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
  async get(request: CacheKey, asker: Asker, compute: (asker: Asker) => Promise<string>, watch: Watch | null = null): Promise<string> {
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
      return this.#compute(key, siteId, asker, compute, watch);
    }
    this.#options.onHit();
    if (watch) watch.computation = running.computed;
    return running.result.catch((error: unknown) => {
      if (!running.asker.signal.aborted || asker.signal.aborted) throw error;
      return this.get(request, asker, compute, watch);
    });
  }

  /** Guests use results of others without keeping them for longer, and others take over those of guests. */
  #lookUp(key: string, { isGuest }: Asker): string | undefined {
    const ofOthers = this.#ofOthers.peek(key);
    const entry = ofOthers ?? this.#ofGuests.peek(key);
    if (!entry) return undefined;
    const isFresh = this.#options.monotonicMs() - entry.requestedAtMs < this.#options.ttlSecs * 1000;
    if (!isFresh) for (const texts of [this.#ofGuests, this.#ofOthers]) texts.delete(key);
    else if (!isGuest) this.#addOfOthers(key, entry);
    else if (!ofOthers) this.#ofGuests.set(key, entry);
    return isFresh ? entry.text : undefined;
  }

  async #compute(
    key: string,
    siteId: SiteId,
    asker: Asker,
    compute: (asker: Asker) => Promise<string>,
    watch: Watch | null,
  ): Promise<string> {
    // The age of a result counts from its request, not from the end of the computation.
    const requestedAtMs = this.#options.monotonicMs();
    const computed: Computation = { progress: null };
    if (watch) watch.computation = computed;
    const result = compute({ ...asker, onProgress: (progress) => (computed.progress = progress) });
    const computation: SharedComputation = { siteId, asker, result, computed };
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

  /** Drops the results of a site, also of running computations, which may include erased events. */
  dropSite(siteId: SiteId): void {
    for (const texts of [this.#ofGuests, this.#ofOthers]) for (const [key, entry] of texts) if (entry.siteId === siteId) texts.delete(key);
    for (const [key, computation] of this.#running) if (computation.siteId === siteId) this.#running.delete(key);
  }
}
