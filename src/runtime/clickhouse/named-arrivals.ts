/** Names of arrivals for statements: computed on the thread that takes events, so in turns, and kept for the rules that were used last. */
import { LruMap } from "../../storage/lru-map.ts";
import type { SiteId } from "../../storage/event.ts";
import { arrivalNames, NAMING_TURN_STEPS, namingSteps } from "../arrivals/arrival-names.ts";
import { ARRIVALS_MAX } from "../base/config/clickhouse-limits.ts";
import type { NumberedArrival, SiteArrivals } from "./dialect/dialect.ts";

type Wanted = Parameters<SiteArrivals["namesOf"]>[0];

/** Sets of names that are kept, each of one site. */
const KEPT_MAX = 8;

type Names = Map<string, string | null>;

export class NamedArrivals {
  readonly #pause: () => Promise<void>;
  readonly #kept = new LruMap<string, Names>({ max: KEPT_MAX });

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** All names that are wanted of these arrivals. */
  async of(siteId: SiteId, arrivals: readonly NumberedArrival[], wanted: readonly Wanted[], signal: AbortSignal): Promise<SiteArrivals> {
    const known = new Map<string, Names>();
    for (const each of wanted) {
      const key = keyOf(siteId, each);
      if (!known.has(key)) known.set(key, await this.#named(siteId, arrivals, each, signal));
    }
    return {
      arrivals,
      namesOf(each) {
        const names = known.get(keyOf(siteId, each));
        return ({ number }) => names?.get(number) ?? null;
      },
    };
  }

  async #named(siteId: SiteId, arrivals: readonly NumberedArrival[], wanted: Wanted, signal: AbortSignal): Promise<Names> {
    const key = keyOf(siteId, wanted);
    const kept = this.#kept.get(key);
    const names: Names = kept && kept.size <= 2 * ARRIVALS_MAX ? kept : new Map<string, string | null>();
    this.#kept.set(key, names);
    const nameOf = arrivalNames(wanted.rules, siteId);
    const steps = namingSteps(wanted.rules);
    let left = NAMING_TURN_STEPS;
    for (const arrival of arrivals) {
      if (names.has(arrival.number)) continue;
      names.set(arrival.number, nameOf(wanted.name, arrival));
      left -= steps;
      if (left > 0) continue;
      left = NAMING_TURN_STEPS;
      await this.#pause();
      signal.throwIfAborted();
    }
    return names;
  }
}

const keyOf = (siteId: SiteId, { rules, name }: Wanted): string => JSON.stringify([siteId, name, rules]);
