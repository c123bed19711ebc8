/** Which values of a count stand apart from all others: own surprise, contrast, rank and shifts (docs/internals/changes.md, "Naming a value"). */
import { UNRECORDED } from "../../../shared/filters.ts";
import {
  contrastNoise,
  countedIn,
  expectedOf,
  type History,
  type Noise,
  othersOf,
  ownNoise,
  type Series,
  type Span,
  spanOf,
  TOTAL_PERSISTENCE,
  VALUE_PERSISTENCE,
  varianceOf,
  type Weights,
} from "./history.ts";
import { HISTORY_DAYS, type DimensionTallies, type Tally } from "./input.ts";
import { agreedDeviation, rootOf } from "./statistics.ts";

/** Dimensions whose values may be named; the first of equals wins. Versions, screens, regions and cities are not news. */
export const NAMED_DIMENSIONS = [
  "visit-utm-campaigns",
  "utm-campaigns",
  "visit-sources",
  "sources",
  "entry-pages",
  "pages",
  "visit-utm-sources",
  "utm-sources",
  "visit-utm-mediums",
  "utm-mediums",
  "countries",
  "browsers",
  "os",
  "devices",
  "events",
] as const;

/** Floors of a value's excess: its count, and its share of the typical total. */
export const VALUE_VISITS_MIN = 10;
export const VALUE_SHARE_MIN = 0.03;
const EXCESS_SHARE_MIN = 0.5;

const OWN_Z_MIN = 3.5;
const CONTRAST_Z_MIN = 3.5;

const SHIFT_OWN_Z_MIN = 2.5;
const SHIFT_CONTRAST_Z_MIN = 5;
const SHIFT_ONE_DAY = 0.5;
const SHIFT_LONG = 3;
const LONG_DAYS = 10;

/** Values whose ranks are this close are in the order of their dimensions. */
const RANKS_ALIKE = 0.15;

/** Values that are ranked: more than that stand apart of no total. */
const RANKED_MAX = 50;

/** Days of a finding hold this part of its excess. */
const DAYS_SHARE = 0.8;

/** Two values share this part of the excess at least, if they are one thing. */
const FACES_OVERLAP_MIN = 0.5;
const SHIFT_FACES_RATIO_MAX = 1.67;

export interface ValueSeries {
  readonly dimension: string;
  readonly value: string;
  readonly series: Series;
}

export interface Named extends ValueSeries {
  readonly after: number;
  readonly typical: number;
  readonly excess: number;
  /** Its part of the total's excess, from 0 to 1. */
  readonly share: number;
  readonly z: number;
  readonly contrast: number;
  readonly rank: number;
  /** Days that hold most of its excess. */
  readonly days: readonly number[];
  readonly also: readonly ValueSeries[];
}

/** Series of all values of a dimension that could be named. */
export function valueSeries(
  { dimension, byDay }: DimensionTallies,
  firstDay: number,
  length: number,
  of: (tally: Tally) => number = ({ count }) => count,
  countMin = VALUE_VISITS_MIN,
): ValueSeries[] {
  const sums = new Map<string, number>();
  for (const { value, count } of byDay) sums.set(value, (sums.get(value) ?? 0) + count);
  const byValue = new Map<string, Series>();
  for (const tally of byDay) {
    const at = tally.day - firstDay + HISTORY_DAYS;
    if (tally.value === UNRECORDED || (sums.get(tally.value) ?? 0) < countMin || at < 0 || at >= length) continue;
    const series = byValue.get(tally.value) ?? new Float64Array(length);
    byValue.set(tally.value, series);
    series[at] = (series[at] ?? 0) + of(tally);
  }
  return [...byValue].map(([value, series]) => ({ dimension, value, series }));
}

const orderOf = ({ dimension }: ValueSeries): number => (NAMED_DIMENSIONS as readonly string[]).indexOf(dimension);

const scoreOf = (after: number, expected: number, variance: number): number => (rootOf(after) - rootOf(expected)) / Math.sqrt(variance);

/** Deviations of one window's total and values, with noise that is computed once for each value. */
export class Judge {
  readonly history: History;
  readonly noise: Noise;
  readonly #others;
  readonly #noises = new Map<ValueSeries, { readonly own: Noise; contrast: Noise }>();

  constructor(history: History) {
    this.history = history;
    this.#others = othersOf(history);
    this.noise = ownNoise(history.total, history, this.#others, TOTAL_PERSISTENCE);
  }

  noiseOf(series: Series): Noise {
    return ownNoise(series, this.history, this.#others, TOTAL_PERSISTENCE);
  }

  #noisesOf(value: ValueSeries): { readonly own: Noise; readonly contrast: Noise } {
    const found = this.#noises.get(value) ?? {
      own: this.noiseOf(value.series),
      contrast: contrastNoise(value.series, this.history, this.#others, VALUE_PERSISTENCE),
    };
    this.#noises.set(value, found);
    return found;
  }

  /** The smaller deviation of the two that `of` finds by all and by the nearest reference days. */
  #agreed(span: Span, of: (weights: Weights) => number): number {
    return agreedDeviation(of(span.all), of(span.near));
  }

  variance(span: Span, weights: Weights, expected: number, noise: Noise = this.noise): number {
    return varianceOf(noise, span.days.length, weights, this.history.slopeError, expected);
  }

  /** The deviation of a total: of the whole, or of what is left without a value. */
  deviation(series: Series, span: Span, noise: Noise = this.noise): number {
    const after = countedIn(series, span.days);
    return this.#agreed(span, (weights) => {
      const expected = expectedOf(series, weights);
      return scoreOf(after, expected, this.variance(span, weights, expected, noise));
    });
  }

  own(value: ValueSeries, span: Span): number {
    const { own } = this.#noisesOf(value);
    const after = countedIn(value.series, span.days);
    return this.#agreed(span, (weights) => {
      const expected = expectedOf(value.series, weights);
      const share = expected / Math.max(1, expectedOf(this.history.total, weights));
      const noise = {
        dispersion: Math.max(own.dispersion, 1 + (this.noise.dispersion - 1) * Math.min(1, share)),
        persistence: Math.max(VALUE_PERSISTENCE, own.persistence),
      };
      return scoreOf(after, expected, this.variance(span, weights, expected, noise));
    });
  }

  /** The deviation from what the value had if it had changed as all others did; 0 without others. */
  contrast(value: ValueSeries, span: Span): number {
    const { contrast } = this.#noisesOf(value);
    const after = countedIn(value.series, span.days);
    const othersAfter = countedIn(this.history.total, span.days) - after;
    return this.#agreed(span, (weights) => {
      const typical = expectedOf(value.series, weights);
      const others = expectedOf(this.history.total, weights) - typical;
      if (others <= 0) return 0;
      const variance =
        contrast.dispersion *
        (varianceOf({ dispersion: 1, persistence: contrast.persistence }, span.days.length, weights, 0, 0) * (1 + typical / others));
      return scoreOf(after, (typical * Math.max(0, othersAfter)) / others, variance);
    });
  }
}

interface Excess {
  readonly after: number;
  readonly typical: number;
}

const excessOf = (series: Series, span: Span): Excess => ({
  after: countedIn(series, span.days),
  typical: expectedOf(series, span.all),
});

/** The fewest days that hold most of a value's excess. */
function daysOfExcess({ history }: Judge, { series }: ValueSeries, span: Span): number[] {
  const excesses = span.days.map((day) => {
    const { after, typical } = excessOf(series, spanOf(history, [day]));
    return { day, excess: after - typical };
  });
  const total = excesses.reduce((sum, { excess }) => sum + excess, 0);
  const days: number[] = [];
  let held = 0;
  for (const { day, excess } of excesses.toSorted((a, b) => (b.excess - a.excess) * Math.sign(total))) {
    if (held / total >= DAYS_SHARE) break;
    days.push(day);
    held += excess;
  }
  return days.toSorted((a, b) => a - b);
}

const withDays = (judge: Judge, found: readonly Named[], span: Span): Named[] =>
  found.map((named) => ({ ...named, days: daysOfExcess(judge, named, span) }));

/** True if two values share so much of the total's excess on these days that they must be largely the same visits. */
function overlap({ history }: Judge, values: readonly ValueSeries[], days: readonly number[]): boolean {
  const span = spanOf(history, days);
  const total = excessOf(history.total, span);
  const shares = values.map(({ series }) => {
    const { after, typical } = excessOf(series, span);
    return Math.min(1, (after - typical) / (total.after - total.typical));
  });
  return shares.reduce((sum, share) => sum + share, 1 - shares.length) >= FACES_OVERLAP_MIN;
}

/** High if much of the excess is in what is usually small. */
const rankOf = (share: number, typical: number, typicalTotal: number): number =>
  share * Math.log2(share / ((typical + 1) / (typicalTotal + 10)));

/** Best first; ranks that are alike are in the order of their dimensions. */
function ranked(found: readonly Named[]): Named[] {
  const left = found.toSorted((a, b) => b.rank - a.rank).slice(0, RANKED_MAX);
  const order: Named[] = [];
  while (left.length > 0) {
    const best = left[0]?.rank ?? 0;
    const alike = left.filter(({ rank }) => rank >= best - Math.abs(best) * RANKS_ALIKE);
    const next = alike.reduce((first, other) => (orderOf(other) < orderOf(first) ? other : first));
    order.push(next);
    left.splice(left.indexOf(next), 1);
  }
  return order;
}

/** Joins values of different dimensions that are largely the same visits. */
function joinFaces(found: readonly Named[], isSame: (a: Named, b: Named) => boolean): Named[] {
  const joined: Named[] = [];
  const taken = new Set<Named>();
  for (const first of found) {
    if (taken.has(first)) continue;
    const faces = found.filter(
      (other) => other !== first && !taken.has(other) && other.dimension !== first.dimension && isSame(first, other),
    );
    for (const face of [first, ...faces]) taken.add(face);
    joined.push({ ...first, also: faces });
  }
  return joined;
}

/** The values that explain the excess of a total that is unusual. */
export function namedValues(judge: Judge, values: readonly ValueSeries[], span: Span, caution: number): Named[] {
  const total = excessOf(judge.history.total, span);
  const excessTotal = total.after - total.typical;
  const direction = Math.sign(excessTotal);
  const least = Math.max(EXCESS_SHARE_MIN * Math.abs(excessTotal), VALUE_VISITS_MIN, VALUE_SHARE_MIN * total.typical);
  const found = values.flatMap((value): Named[] => {
    const { after, typical } = excessOf(value.series, span);
    const excess = after - typical;
    if (excess * direction < least) return [];
    const z = judge.own(value, span);
    if (z * direction < OWN_Z_MIN + caution) return [];
    const contrast = judge.contrast(value, span);
    if (contrast * direction < CONTRAST_Z_MIN + caution) return [];
    const share = Math.min(1, excess / excessTotal);
    return [
      {
        ...value,
        after,
        typical,
        excess,
        share,
        z,
        contrast,
        rank: rankOf(share, typical, total.typical),
        days: [],
        also: [],
      },
    ];
  });
  return joinFaces(withDays(judge, ranked(found), span), (a, b) => overlap(judge, [a, b], span.days) || overlap(judge, [a, b], a.days));
}

/** Values that had something to compare. */
export const triedIn = (values: readonly ValueSeries[], span: Span): number =>
  values.filter(({ series }) => {
    const { after, typical } = excessOf(series, span);
    return Math.max(after, typical) >= VALUE_VISITS_MIN;
  }).length;

interface ShiftRules {
  readonly tried: number;
  readonly visitsMin: number;
  readonly caution: number;
}

/** Values that changed against all others though the total is ordinary. */
export function shiftedValues(
  judge: Judge,
  values: readonly ValueSeries[],
  span: Span,
  { tried, visitsMin, caution }: ShiftRules,
): Named[] {
  const { typical: typicalTotal } = excessOf(judge.history.total, span);
  const least = Math.max(visitsMin, VALUE_SHARE_MIN * typicalTotal);
  const days = span.days.length;
  const contrastMin =
    Math.max(SHIFT_CONTRAST_Z_MIN, Math.sqrt(2 * Math.log(40 * Math.max(1, tried))) + 0.5) +
    (days === 1 ? SHIFT_ONE_DAY : days > LONG_DAYS ? SHIFT_LONG : 0) +
    caution;
  const found = values.flatMap((value): Named[] => {
    const { after, typical } = excessOf(value.series, span);
    const excess = after - typical;
    if (Math.abs(excess) < least) return [];
    const z = judge.own(value, span);
    const contrast = judge.contrast(value, span);
    if (Math.abs(z) < SHIFT_OWN_Z_MIN || Math.abs(contrast) < contrastMin || z * contrast < 0 || z * excess < 0) return [];
    return [
      {
        ...value,
        after,
        typical,
        excess,
        share: 0,
        z,
        contrast,
        rank: Math.abs(contrast),
        days: [],
        also: [],
      },
    ];
  });
  return joinFaces(withDays(judge, ranked(found), span), (a, b) => {
    const ratio = a.excess / b.excess;
    return ratio >= 1 / SHIFT_FACES_RATIO_MAX && ratio <= SHIFT_FACES_RATIO_MAX;
  });
}
