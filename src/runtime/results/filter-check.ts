/**
 * Queues CPU work of queries on the thread that ingests events: compiling one regular expression, or planning one query, per turn.
 * Owners go first. Between turns, waiting events are ingested.
 */
import { QUERIES_WAITING_MAX } from "../base/config/report-limits.ts";
import { checkSyntax, type Condition } from "../query/filters.ts";
import type { Asker } from "../query/plan.ts";
import { tooManyQueries } from "./query-limiter.ts";

type Begin = () => void;

export class FilterCheck {
  readonly #wait: (ms: number) => Promise<void>;
  /** Waiting requests in order of arrival; guests come after all others. */
  readonly #waiting = { owners: new Set<Begin>(), guests: new Set<Begin>() };
  #isServing = false;

  /** `wait` resolves after so many milliseconds, and after what has arrived meanwhile. */
  constructor(wait: (ms: number) => Promise<void>) {
    this.#wait = wait;
  }

  /**
   * 400 for what is no regular expression; 429 if too many wait, which slots do not bound if they are unlimited. For queries that have
   * a slot, and for what administrators save. Rejects with the asker's signal. Resolves in a turn of its own, so that the
   * caller can plan at once: the SQL of filters on many goals takes milliseconds.
   */
  async check(conditions: readonly Condition[], asker: Asker): Promise<void> {
    await checkSyntax(conditions, async (work) => {
      await this.#turn(asker);
      return work();
    });
    if (conditions.length > 0) await this.#turn(asker);
  }

  async #turn({ isGuest, signal }: Asker): Promise<void> {
    signal.throwIfAborted();
    const waiting = this.#waiting[isGuest ? "guests" : "owners"];
    if (waiting.size >= QUERIES_WAITING_MAX) throw tooManyQueries();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(begin);
        reject(signal.reason as Error);
      };
      const begin = () => {
        waiting.delete(begin);
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      waiting.add(begin);
      signal.addEventListener("abort", giveUp, { once: true });
      void this.#serve();
    });
  }

  get #next(): Begin | undefined {
    const [owner] = this.#waiting.owners;
    const [reader] = this.#waiting.guests;
    return owner ?? reader;
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    while (this.#next) {
      await this.#wait(0);
      this.#next?.();
    }
    this.#isServing = false;
  }
}
