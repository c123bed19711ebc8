/** The names that rules make of a site's arrivals, as relations of a query: which arrivals pass tests, and the codes of the names of each. */
import { type ArrivalName, arrivalNames, NAMING_TURN_STEPS, namingSteps } from "../../arrivals/arrival-names.ts";
import type { ArrivalRules } from "../../arrivals/arrivals.ts";
import { LruMap } from "../../../storage/lru-map.ts";
import { UNRECORDED } from "../../../shared/filters.ts";
import type { ArrivalTest } from "../../query/sql.ts";
import { compiledTest } from "../../query/text-matching.ts";
import { type Combinations, type Entries, type Entry, NOT_RECORDED, type StringDictionary } from "./dictionaries.ts";

/** Sets of rules whose names of all arrivals are kept: those of the site, and of a preview. */
const RULES_KEPT = 4;

const UNNAMED = -1;

const NAMES = ["source", "referrer", "channel"] as const satisfies readonly ArrivalName[];

/** The codes of names, by arrival, as far as somebody has asked for them. */
class NamedArrivals {
  readonly #nameOf: ReturnType<typeof arrivalNames>;
  readonly #site: ArrivalSite;
  readonly #codes: Readonly<Record<ArrivalName, number[]>> = { source: [], referrer: [], channel: [] };

  constructor(rules: ArrivalRules, site: ArrivalSite) {
    this.#nameOf = arrivalNames(rules, site.siteId);
    this.#site = site;
  }

  codeOf(name: ArrivalName, arrival: number): number {
    const codes = this.#codes[name];
    const known = codes[arrival] ?? UNNAMED;
    if (known !== UNNAMED) return known;
    while (codes.length < arrival) codes.push(UNNAMED);
    const { strings, arrivals } = this.#site;
    const [referrer = null, utmSource = null, utmMedium = null, clickId = null] = arrivals
      .codesOf(arrival)
      .map((code) => strings.stringOf(code) ?? null);
    return (codes[arrival] = strings.codeOf(this.#nameOf(name, { referrer, utmSource, utmMedium, clickId })));
  }

  get bytes(): number {
    return NAMES.reduce((sum, name) => sum + this.#codes[name].length, 0) * Float64Array.BYTES_PER_ELEMENT;
  }
}

interface ArrivalSite {
  readonly siteId: string;
  readonly strings: StringDictionary;
  readonly arrivals: Combinations;
}

/** The names of a site's arrivals under the rules that were used last. */
export class ArrivalNames {
  readonly #site: ArrivalSite;
  readonly #kept = new LruMap<string, NamedArrivals>({ max: RULES_KEPT });

  constructor(site: ArrivalSite) {
    this.#site = site;
  }

  under(rules: ArrivalRules): NamedArrivals {
    const key = JSON.stringify(rules);
    const known = this.#kept.get(key);
    if (known) return known;
    const named = new NamedArrivals(rules, this.#site);
    this.#kept.set(key, named);
    return named;
  }

  get bytes(): number {
    return Array.from(this.#kept).reduce((sum, [, { bytes }]) => sum + bytes, 0);
  }
}

/** The arrivals that a guest's query may read. */
export interface ReadableArrivals {
  readonly codes: Int32Array;
  /** How many the site had before they were looked up: those that came meanwhile are read as well, because their events are. */
  readonly from: number;
}

/** The arrivals of a site that no earlier iteration has yielded, with an empty text: all, or the readable ones. 0 is one like any other. */
export class UnseenArrivals implements Entries {
  readonly #arrivals: Combinations;
  readonly #readable: Int32Array;
  #read = 0;
  #next: number;

  constructor(arrivals: Combinations, readable: ReadableArrivals | null) {
    this.#arrivals = arrivals;
    this.#readable = readable?.codes ?? new Int32Array(0);
    this.#next = readable?.from ?? 0;
  }

  get areAny(): boolean {
    return this.#read < this.#readable.length || this.#next < this.#arrivals.count;
  }

  async weigh(): Promise<number> {
    return this.#readable.length + this.#arrivals.count - this.#next;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    while (this.#read < this.#readable.length) yield ["", this.#readable[this.#read++] ?? 0];
    while (this.#next < this.#arrivals.count) yield ["", this.#next++];
  }
}

const stepsOf = (rules: readonly ArrivalRules[]): number => rules.reduce((steps, each) => steps + namingSteps(each), 0);

/** Calls `read` with each arrival, which takes so many steps, and lets other work run meanwhile. */
async function eachArrival(entries: Entries, steps: number, next: () => Promise<void>, read: (arrival: number) => void): Promise<void> {
  let left = NAMING_TURN_STEPS;
  for (const [, arrival] of entries) {
    read(arrival);
    left -= steps;
    if (left > 0) continue;
    left = NAMING_TURN_STEPS;
    await next();
  }
}

/** What matching reads of a site. */
interface NamedSite extends Pick<ArrivalSite, "strings"> {
  readonly names: ArrivalNames;
}

interface WithBit {
  readonly test: ArrivalTest;
  readonly bit: bigint;
}

/** Finds the arrivals that pass tests. Each distinct name is tested once. */
export function createArrivalMatching(tests: readonly WithBit[], { strings, names }: NamedSite) {
  const arrivals: number[] = [];
  const bits: bigint[] = [];
  const ready = tests.map(({ test: { name, rules, test }, bit }) => {
    const passes = compiledTest(test);
    const passesUnrecorded = test.kind === "is" && test.values.includes(UNRECORDED);
    const known = new Map<number, boolean>([[NOT_RECORDED, passesUnrecorded]]);
    const named = names.under(rules);
    return (arrival: number): bigint => {
      const code = named.codeOf(name, arrival);
      const passed = known.get(code) ?? passes(strings.stringOf(code) ?? "");
      known.set(code, passed);
      return passed ? bit : 0n;
    };
  });
  return {
    read: (entries: Entries, next: () => Promise<void>) =>
      eachArrival(entries, stepsOf(tests.map(({ test }) => test.rules)), next, (arrival) => {
        let passed = 0n;
        for (const bitOf of ready) passed |= bitOf(arrival);
        if (passed === 0n) return;
        arrivals.push(arrival);
        bits.push(passed);
      }),
    get matches() {
      return { codes: Int32Array.from(arrivals), tests: BigInt64Array.from(bits) };
    },
  };
}

/** Columns of the relation `arrival_names`. */
export const ARRIVAL_NAME_COLUMNS = "rules INTEGER, arrival INTEGER, source_name INTEGER, referrer_name INTEGER, channel_name INTEGER";

/** Makes the rows of `arrival_names`. */
export function createArrivalNaming(rules: readonly ArrivalRules[], names: ArrivalNames) {
  const rows = {
    rules: [] as number[],
    arrival: [] as number[],
    source: [] as number[],
    referrer: [] as number[],
    channel: [] as number[],
  };
  const named = rules.map((each) => names.under(each));
  return {
    read: (entries: Entries, next: () => Promise<void>) =>
      eachArrival(entries, stepsOf(rules), next, (arrival) => {
        for (const [number, ofRules] of named.entries()) {
          rows.rules.push(number);
          rows.arrival.push(arrival);
          for (const name of NAMES) rows[name].push(ofRules.codeOf(name, arrival));
        }
      }),
    get rows() {
      return {
        rules: Int32Array.from(rows.rules),
        arrival: Int32Array.from(rows.arrival),
        source_name: Int32Array.from(rows.source),
        referrer_name: Int32Array.from(rows.referrer),
        channel_name: Int32Array.from(rows.channel),
      };
    },
  };
}
