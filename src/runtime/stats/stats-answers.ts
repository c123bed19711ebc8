/** The way of every statistics question: kept answers first, then a slot, then the engine. */
import type { SiteId } from "../../storage/event.ts";
import type { Questions, QueryRunner } from "./query-runner.ts";
import type { CacheKey, QueryCache } from "./query-cache.ts";
import type { QuerySlots } from "./query-slots.ts";
import type { SiteRange } from "./scope.ts";

/** Asks about a scope within the slot and time of one question. */
export type Over = <T>(scope: SiteRange, questions: Questions<T>) => Promise<T>;

export interface StatsAnswersOptions {
  readonly cache: QueryCache;
  readonly slots: QuerySlots;
  readonly queries: QueryRunner;
}

export class StatsAnswers {
  readonly #options: StatsAnswersOptions;

  constructor(options: StatsAnswersOptions) {
    this.#options = options;
  }

  /** An answer that may be up to `cache_ttl_secs` old. Kept answers and questions under way take no slot. */
  cached(key: CacheKey, signal: AbortSignal, compute: (over: Over) => Promise<string>): Promise<string> {
    return this.#options.cache.get(key, signal, () => this.fresh(signal, compute));
  }

  /** An answer of now. */
  fresh<T>(signal: AbortSignal, compute: (over: Over) => Promise<T>): Promise<T> {
    const { slots, queries } = this.#options;
    return slots.run(() => compute((scope, questions) => queries.over(scope, signal, questions)));
  }

  get kept(): number {
    return this.#options.cache.size;
  }

  /** Forgets what was answered about a site. */
  dropSite(siteId: SiteId): void {
    this.#options.cache.dropSite(siteId);
  }
}
