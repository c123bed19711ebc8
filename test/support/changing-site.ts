/** A made-up site by day, hour and value, with planted causes: what the analysis of changes is measured on. Random by its seed alone. */
import {
  HISTORY_DAYS,
  type ChangeComparison,
  type ChangeMetric,
  type ChangesInput,
  type Window,
} from "../../src/runtime/reports/changes/input.ts";
import { numbersFrom } from "./seeded-numbers.mjs";

const HOURS = 24;

/** 2026-01-05, a Monday. */
export const FIRST_DAY = 20_458;

type Random = () => number;

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const NORMAL_FROM = 40;

function poisson(random: Random, mean: number): number {
  if (mean > NORMAL_FROM) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

function binomial(random: Random, n: number, p: number): number {
  if (n <= 0 || p <= 0) return 0;
  if (p >= 1) return n;
  if (p > 1 / 2) return n - binomial(random, n, 1 - p);
  const variance = n * p * (1 - p);
  if (variance > NORMAL_FROM) return Math.max(0, Math.min(n, Math.round(n * p + Math.sqrt(variance) * normal(random))));
  // Waiting times between successes are geometric.
  const logFailure = Math.log(1 - p);
  let count = 0;
  for (let at = Math.floor(Math.log(1 - random()) / logFailure); at < n; count++) {
    at += 1 + Math.floor(Math.log(1 - random()) / logFailure);
  }
  return count;
}

/** Splits `n` by weights. */
function multinomial(random: Random, n: number, weights: readonly number[]): number[] {
  let left = n;
  let leftWeight = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => {
    const part = leftWeight > 0 ? binomial(random, left, weight / leftWeight) : 0;
    left -= part;
    leftWeight -= weight;
    return part;
  });
}

const zipf = (names: readonly string[], exponent: number): [string, number][] => names.map((name, i) => [name, 1 / (i + 1) ** exponent]);
const numbered = (count: number, name: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => name(i));

const UNKNOWN = "(unknown)";

const DIMENSIONS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  "visit-utm-campaigns": [
    [UNKNOWN, 0.92],
    ["spring", 0.04],
    ["brand", 0.03],
    ["retarget", 0.01],
  ],
  "visit-sources": [
    [UNKNOWN, 0.38],
    ["Google", 0.34],
    ["Bing", 0.05],
    ["Hacker News", 0.01],
    ["GitHub", 0.05],
    ["Reddit", 0.04],
    ["X", 0.03],
    ["DuckDuckGo", 0.03],
    ["LinkedIn", 0.02],
    ["YouTube", 0.02],
    ["Facebook", 0.02],
    ["Newsletter", 0.01],
  ],
  "entry-pages": [
    ["/", 0.4],
    ...zipf(
      numbered(30, (i) => `/post/${i}`),
      1,
    ).map(([name, weight]) => [name, weight * 0.15] as const),
  ],
  "visit-utm-sources": [
    [UNKNOWN, 0.92],
    ["google", 0.05],
    ["newsletter", 0.03],
  ],
  "visit-utm-mediums": [
    [UNKNOWN, 0.92],
    ["cpc", 0.05],
    ["email", 0.03],
  ],
  countries: zipf(["US", "DE", "GB", "FR", "IN", "CA", "NL", "BR", "JP", "ES", "IT", "PL", "AU", "SE", "CH", "AT"], 0.9),
  browsers: [
    ["Chrome", 0.58],
    ["Safari", 0.2],
    ["Firefox", 0.1],
    ["Edge", 0.07],
    ["Samsung Internet", 0.03],
    ["Opera", 0.02],
  ],
  os: [
    ["Windows", 0.35],
    ["macOS", 0.2],
    ["Android", 0.22],
    ["iOS", 0.15],
    ["Linux", 0.08],
  ],
  devices: [
    ["desktop", 0.6],
    ["mobile", 0.36],
    ["tablet", 0.04],
  ],
  "screen-sizes": zipf(["1920x1080", "390x844", "1440x900", "1536x864", "393x873", "2560x1440", "360x800", "800x600"], 0.8),
};

/** Night to evening. */
const HOUR_WEIGHTS = numbered(HOURS, String).map((_, hour) => 1 + 0.8 * Math.sin(((hour - 9) / HOURS) * 2 * Math.PI));
const WEEKDAY_WEIGHTS = [1.1, 1.12, 1.1, 1.08, 1, 0.78, 0.82];

export interface SiteTraits {
  readonly seed: number;
  /** Visits a day. */
  readonly level: number;
  readonly days: number;
  /** Standard deviation of a day's level beyond chance, as a logarithm. */
  readonly roughness?: number;
  /** A week. */
  readonly growth?: number;
  /** Amplitude of a half year. */
  readonly season?: number;
  /** A week, of the logarithm of each value's share. */
  readonly drift?: number;
  readonly conversionRate?: number;
}

interface Counts {
  readonly visits: Float64Array;
  readonly bounces: Float64Array;
  readonly conversions: Float64Array;
}

export interface Extra {
  readonly visits: number;
  /** Values of the visits; other dimensions are as usual. */
  readonly values: Readonly<Record<string, string>>;
  readonly bounceRate?: number;
}

const BOUNCE_RATE = 0.45;

export class ChangingSite {
  readonly days: number;
  readonly #random: Random;
  readonly #total: Counts;
  readonly #hours: Float64Array;
  readonly #values = new Map<string, Map<string, Counts>>();
  readonly #conversionRate: number;

  constructor({ seed, level, days, roughness = 0.04, growth = 0, season = 0, drift = 0, conversionRate = 0.03 }: SiteTraits) {
    this.days = days;
    this.#random = numbersFrom(seed);
    this.#conversionRate = conversionRate;
    this.#total = this.#counts();
    this.#hours = new Float64Array(days * HOURS);
    const random = this.#random;
    const logWeights = new Map(Object.entries(DIMENSIONS).map(([name, values]) => [name, values.map(([, weight]) => Math.log(weight))]));
    let mood = 0;
    for (let day = 0; day < days; day++) {
      mood = 0.4 * mood + Math.sqrt(1 - 0.4 ** 2) * roughness * normal(random);
      const wave = 1 + season * Math.sin((day / 182) * 2 * Math.PI + seed);
      const mean = level * (WEEKDAY_WEIGHTS[day % 7] ?? 1) * (1 + growth) ** (day / 7) * wave * Math.exp(mood);
      const visits = poisson(random, mean);
      for (const [name, values] of Object.entries(DIMENSIONS)) {
        const logs = logWeights.get(name) ?? [];
        if (drift > 0) for (const i of logs.keys()) logs[i] = (logs[i] ?? 0) + (drift / Math.sqrt(7)) * normal(random);
        const split = multinomial(random, visits, logs.map(Math.exp));
        for (const [i, [value]] of values.entries()) this.#add(name, value, day, split[i] ?? 0, BOUNCE_RATE, 1);
      }
      this.#addTotal(day, visits, BOUNCE_RATE, HOUR_WEIGHTS);
    }
  }

  #counts(): Counts {
    return {
      visits: new Float64Array(this.days),
      bounces: new Float64Array(this.days),
      conversions: new Float64Array(this.days),
    };
  }

  #of(dimension: string, value: string): Counts {
    const values = this.#values.get(dimension) ?? new Map<string, Counts>();
    this.#values.set(dimension, values);
    const counts = values.get(value) ?? this.#counts();
    values.set(value, counts);
    return counts;
  }

  #change({ visits, bounces, conversions }: Counts, day: number, more: number, bounceRate: number, conversionFactor: number): void {
    visits[day] = (visits[day] ?? 0) + more;
    bounces[day] = (bounces[day] ?? 0) + binomial(this.#random, more, bounceRate);
    conversions[day] = (conversions[day] ?? 0) + binomial(this.#random, more, this.#conversionRate * conversionFactor);
  }

  #add(dimension: string, value: string, day: number, visits: number, bounceRate: number, conversionFactor: number): void {
    this.#change(this.#of(dimension, value), day, visits, bounceRate, conversionFactor);
  }

  #addTotal(day: number, visits: number, bounceRate: number, hourWeights: readonly number[]): void {
    this.#change(this.#total, day, visits, bounceRate, 1);
    for (const [hour, count] of multinomial(this.#random, visits, hourWeights).entries()) {
      const at = day * HOURS + hour;
      this.#hours[at] = (this.#hours[at] ?? 0) + count;
    }
  }

  visitsOn(day: number): number {
    return this.#total.visits[day] ?? 0;
  }

  /** Plants visits. */
  add(day: number, { visits, values, bounceRate = BOUNCE_RATE }: Extra): void {
    const count = Math.round(visits);
    for (const [name, usual] of Object.entries(DIMENSIONS)) {
      const value = values[name];
      if (value !== undefined) {
        this.#add(name, value, day, count, bounceRate, 1);
        continue;
      }
      const split = multinomial(
        this.#random,
        count,
        usual.map(([, weight]) => weight),
      );
      for (const [i, [other]] of usual.entries()) this.#add(name, other, day, split[i] ?? 0, bounceRate, 1);
    }
    this.#addTotal(day, count, bounceRate, HOUR_WEIGHTS);
  }

  /** Keeps each of some visits with this probability: of one value, or of all. */
  thin(day: number, kept: number, only: { readonly dimension: string; readonly value: string } | null = null): void {
    const before = only ? (this.#of(only.dimension, only.value).visits[day] ?? 0) : this.visitsOn(day);
    const lost = before - binomial(this.#random, before, kept);
    const share = this.visitsOn(day) > 0 ? lost / this.visitsOn(day) : 0;
    this.#thin(this.#total, day, 1 - share);
    for (let hour = 0; hour < HOURS; hour++) {
      const at = day * HOURS + hour;
      this.#hours[at] = binomial(this.#random, this.#hours[at] ?? 0, 1 - share);
    }
    let hoursLeft = this.visitsOn(day);
    for (let hour = 0; hour < HOURS; hour++) hoursLeft -= this.#hours[day * HOURS + hour] ?? 0;
    this.#hours[day * HOURS + 12] = Math.max(0, (this.#hours[day * HOURS + 12] ?? 0) + hoursLeft);
    for (const [dimension, values] of this.#values) {
      if (dimension !== only?.dimension) {
        this.#split(values, day);
        continue;
      }
      const counts = values.get(only.value);
      if (counts) this.#thin(counts, day, kept, before - lost);
      this.#split(values, day, only.value);
    }
  }

  #thin(counts: Counts, day: number, kept: number, visits?: number): void {
    counts.visits[day] = visits ?? Math.round((counts.visits[day] ?? 0) * kept);
    counts.bounces[day] = Math.round((counts.bounces[day] ?? 0) * kept);
    counts.conversions[day] = Math.round((counts.conversions[day] ?? 0) * kept);
  }

  /** Makes values add up to the day's total again. */
  #split(values: Map<string, Counts>, day: number, except?: string): void {
    const others = [...values].filter(([value]) => value !== except).map(([, counts]) => counts);
    const left = this.visitsOn(day) - (except === undefined ? 0 : (values.get(except)?.visits[day] ?? 0));
    const split = multinomial(
      this.#random,
      left,
      others.map(({ visits }) => visits[day] ?? 0),
    );
    for (const [i, counts] of others.entries()) {
      const before = counts.visits[day] ?? 0;
      const kept = before > 0 ? (split[i] ?? 0) / before : 0;
      this.#thin(counts, day, kept, split[i] ?? 0);
    }
  }

  /** Multiplies the conversions of a value, and takes what is lost from the total. */
  loseConversions(day: number, dimension: string, value: string, kept: number): void {
    const counts = this.#of(dimension, value);
    const before = counts.conversions[day] ?? 0;
    const left = binomial(this.#random, before, kept);
    counts.conversions[day] = left;
    this.#total.conversions[day] = Math.max(0, (this.#total.conversions[day] ?? 0) - (before - left));
  }

  /** Nothing arrives from hour `from` to hour `to` (excluded) since the first day. */
  lose(from: number, to: number): void {
    for (let hour = from; hour < to; hour++) {
      const day = Math.floor(hour / HOURS);
      const lost = this.#hours[hour] ?? 0;
      const kept = this.visitsOn(day) > 0 ? 1 - lost / this.visitsOn(day) : 1;
      this.#hours[hour] = 0;
      this.#total.visits[day] = this.visitsOn(day) - lost;
      for (const values of this.#values.values()) this.#split(values, day);
      this.#total.conversions[day] = Math.round((this.#total.conversions[day] ?? 0) * kept);
    }
  }

  window(metric: ChangeMetric, first: number, last: number): Window {
    const tallyOf = ({ visits, bounces, conversions }: Counts, day: number) => {
      const [count, bounced, converted] = [visits[day] ?? 0, bounces[day] ?? 0, conversions[day] ?? 0];
      if (metric === "conversions") return { count: converted };
      return { count, part: metric === "conversion_rate" ? converted : bounced };
    };
    const days = Array.from({ length: last - Math.max(0, first - HISTORY_DAYS) + 1 }, (_, i) => Math.max(0, first - HISTORY_DAYS) + i);
    const sumOf = (counts: Counts) => {
      let [count, part] = [0, 0];
      for (let day = first; day <= last; day++) {
        const tally = tallyOf(counts, day);
        count += tally.count;
        part += tally.part ?? 0;
      }
      return { count, part };
    };
    return {
      firstDay: FIRST_DAY + first,
      lastDay: FIRST_DAY + last,
      total: sumOf(this.#total),
      days: days.map((day) => ({ day: FIRST_DAY + day, ...tallyOf(this.#total, day) })),
      hours: days.flatMap((day) =>
        Array.from({ length: HOURS }, (_, hour) => {
          const visits = this.#hours[day * HOURS + hour] ?? 0;
          return { day: FIRST_DAY + day, hour, count: visits, visits, events: visits * 2 };
        }),
      ),
      dimensions: [...this.#values].map(([dimension, values]) => ({
        dimension,
        sums: [...values].map(([value, counts]) => ({ value, ...sumOf(counts) })).filter(({ count }) => count > 0),
        byDay: [...values].flatMap(([value, counts]) =>
          days.flatMap((day) => {
            const tally = tallyOf(counts, day);
            return tally.count > 0 ? [{ day: FIRST_DAY + day, value, ...tally }] : [];
          }),
        ),
      })),
    };
  }

  /** Days are counted from the site's first. */
  input(metric: ChangeMetric, first: number, last: number, more: Partial<ChangesInput> = {}): ChangesInput {
    const compare: ChangeComparison = "typical";
    return {
      metric,
      compare,
      dataFirstDay: FIRST_DAY,
      now: null,
      period: this.window(metric, first, last),
      compared: null,
      facts: [],
      limit: 10,
      band: null,
      nameOf: (_, value) => value,
      ...more,
    };
  }
}
