/** The way of every statistics question: kept answers first, then a slot, then the engine. */
import type { SiteId } from "../../storage/event.ts";
import type { Questions } from "./asked-range.ts";
import type { Executor } from "./executor.ts";
import type { CacheKey, ResultCache } from "./result-cache.ts";
import type { QueryLimiter } from "./query-limiter.ts";
import type { SiteRange } from "../query/scope.ts";

/** Asks about a scope within the slot and time of one question. */
export type Over = <T>(scope: SiteRange, questions: Questions<T>) => Promise<T>;

/** A question whose answer is being computed. */
interface Computation {
  readonly sites: Set<SiteId>;
  /** What it has read was erased meanwhile. */
  outdated: boolean;
}

export interface StatsAnswersOptions {
  readonly cache: ResultCache;
  readonly limiter: QueryLimiter;
  readonly queries: Executor;
}

export class StatsAnswers {
  readonly #options: StatsAnswersOptions;
  readonly #underWay = new Set<Computation>();

  constructor(options: StatsAnswersOptions) {
    this.#options = options;
  }

  /** An answer that may be up to `cache_ttl_secs` old. Kept answers and questions under way take no slot. */
  cached(key: CacheKey, signal: AbortSignal, compute: (over: Over) => Promise<string>): Promise<string> {
    return this.#options.cache.get(key, signal, () => this.fresh(signal, compute));
  }

  /** An answer of now. `compute` may be begun anew, so it keeps nothing outside itself. */
  fresh<T>(signal: AbortSignal, compute: (over: Over) => Promise<T>): Promise<T> {
    return this.#options.limiter.run(() => this.#compute(signal, compute));
  }

  /** Like `fresh`, for an answer that takes memory until its client has it: the slot stays taken until `release` is called. */
  async held<T>(signal: AbortSignal, compute: (over: Over) => Promise<T>): Promise<{ readonly answer: T; readonly release: () => void }> {
    const release = await this.#options.limiter.take();
    try {
      return { answer: await this.#compute(signal, compute), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #compute<T>(signal: AbortSignal, compute: (over: Over) => Promise<T>): Promise<T> {
    for (;;) {
      const computation: Computation = { sites: new Set(), outdated: false };
      this.#underWay.add(computation);
      try {
        const answer = await compute((scope, questions) => {
          computation.sites.add(scope.siteId);
          return this.#options.queries.over(scope, signal, questions);
        });
        if (!computation.outdated) return answer;
      } finally {
        this.#underWay.delete(computation);
      }
      signal.throwIfAborted();
    }
  }

  get kept(): number {
    return this.#options.cache.size;
  }

  /** Forgets what was answered about a site; what is being answered is asked anew. */
  dropSite(siteId: SiteId): void {
    this.#options.cache.dropSite(siteId);
    for (const computation of this.#underWay) computation.outdated ||= computation.sites.has(siteId);
  }
}
