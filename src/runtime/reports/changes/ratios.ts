/** The verdict about a rate: is it unusual, whose rate changed, or which values only have other shares of the visits (docs/internals/changes.md, "Rates, money, long periods"). */
import { countedIn, expectedOf, type History, othersOf, type Series, type Span, spanOf, type Weights } from "./history.ts";
import type { RatioMetric } from "./input.ts";
import { ratioParts, type Side, type Sides } from "./contributions.ts";
import { agreedDeviation, dispersionOf } from "./statistics.ts";
import { NAMED_DIMENSIONS } from "./naming.ts";
import type { Mix } from "./result.ts";

const RATE_Z_MIN = 3.3;
export const RATE_CHANGE_MIN = 0.05;
const VALUE_Z_MIN = 4.2;
const CONTRAST_Z_MIN = 3.5;

/** Conversions (or bounces, or visits for means) that a named value counts, or was to count. */
const VALUE_COUNT_MIN = 20;

/** A value explains this part of an unusual rate at least. */
const EFFECT_SHARE_MIN = 0.5;

/** Numerators and visits, by day. */
export interface RatioSeries {
  readonly visits: Series;
  readonly parts: Series;
}

export interface ValueRatio extends RatioSeries {
  readonly dimension: string;
  readonly value: string;
}

export interface NamedRatio {
  readonly of: ValueRatio;
  readonly after: Side;
  readonly typical: Side;
  readonly z: number;
  readonly contrast: number;
}

const isProportion = (metric: RatioMetric): boolean => metric === "bounce_rate" || metric === "conversion_rate";

/** Variance of one visit's numerator, up to the dispersion: of a proportion, of a count of views, of an exponential duration. */
function visitVariance(metric: RatioMetric, rate: number): number {
  if (isProportion(metric)) return Math.max(0, rate * (1 - rate));
  return metric === "views_per_visit" ? Math.max(0, rate) : rate ** 2;
}

/** Deviation of one rate from another on the scale of its noise; 0 if there is none. */
function deviationOf(metric: RatioMetric, after: Side, rate: number, visitsBefore: number, noise: number): number {
  if (after.count <= 0 || visitsBefore <= 0) return 0;
  const pooled = (after.part + rate * visitsBefore) / (after.count + visitsBefore);
  const variance = visitVariance(metric, pooled) * noise * (1 / after.count + 1 / visitsBefore);
  return variance > 0 ? (after.part / after.count - rate) / Math.sqrt(variance) : 0;
}

const sideOf = (count: number, part: number): Side => ({ count, part, units: 0n });

const counted = ({ visits, parts }: RatioSeries, days: readonly number[]): Side => sideOf(countedIn(visits, days), countedIn(parts, days));

const expected = ({ visits, parts }: RatioSeries, weights: Weights): Side =>
  sideOf(expectedOf(visits, weights), expectedOf(parts, weights));

const referenceVisits = ({ visits }: RatioSeries, { at }: Weights): number => at.reduce((sum, day) => sum + (visits[day] ?? 0), 0);

const rate = ({ part, count }: Side): number => (count > 0 ? part / count : 0);

export class RatioJudge {
  readonly metric: RatioMetric;
  readonly total: RatioSeries;
  readonly history: History;
  readonly dispersion: number;
  readonly #others;

  constructor(metric: RatioMetric, total: RatioSeries, history: History) {
    this.metric = metric;
    this.total = total;
    this.history = history;
    this.#others = othersOf(history);
    this.dispersion = this.#dispersionOf(total);
  }

  /** Each history day's rate against that of the others of its weekday. */
  #dispersionOf(series: RatioSeries): number {
    return dispersionOf(
      this.#others.map(({ day, references }) => {
        const sum = (of: Series) => references.reduce((total, reference) => total + (of[reference] ?? 0), 0);
        const [visits, parts] = [sum(series.visits), sum(series.parts)];
        return visits > 0
          ? deviationOf(this.metric, sideOf(series.visits[day] ?? 0, series.parts[day] ?? 0), parts / visits, visits, 1)
          : 0;
      }),
    );
  }

  deviation(series: RatioSeries, span: Span, dispersion = this.dispersion): number {
    const after = counted(series, span.days);
    const against = (weights: Weights): number =>
      deviationOf(this.metric, after, rate(expected(series, weights)), referenceVisits(series, weights), dispersion);
    return agreedDeviation(against(span.all), against(span.near));
  }

  dispersionOfValue(value: ValueRatio, share: number): number {
    return Math.max(this.#dispersionOf(value), 1 + (this.dispersion - 1) * share);
  }

  /** The deviation from the value's rate times the change of all others. */
  contrast(value: ValueRatio, span: Span, dispersion: number): number {
    const after = counted(value, span.days);
    const total = counted(this.total, span.days);
    const against = (weights: Weights): number => {
      const [typical, typicalTotal] = [expected(value, weights), expected(this.total, weights)];
      const others = sideOf(typicalTotal.count - typical.count, typicalTotal.part - typical.part);
      const othersAfter = sideOf(total.count - after.count, total.part - after.part);
      if (others.part <= 0 || othersAfter.count <= 0) return 0;
      const growth = rate(othersAfter) / rate(others);
      const noise = dispersion * (1 + after.count / othersAfter.count);
      return deviationOf(this.metric, after, rate(typical) * growth, referenceVisits(value, weights), noise);
    };
    return agreedDeviation(against(span.all), against(span.near));
  }
}

export interface RatioVerdict {
  readonly verdict: "explained" | "broad" | "shifted" | "ordinary";
  readonly isPeriodUnusual: boolean;
  readonly z: number;
  readonly typical: Side;
  /** Standard deviation of the rate. */
  readonly deviation: number;
  readonly named: readonly NamedRatio[];
  /** The value whose share of visits moved an unusual rate most, if shares moved it more than rates did. */
  readonly mix: Mix | null;
  readonly tried: number;
}

/** Standard deviation of the span's rate around what is expected. */
export function rateDeviation({ metric, total, dispersion }: RatioJudge, span: Span): number {
  const visits = expectedOf(total.visits, span.all);
  const reference = referenceVisits(total, span.all);
  if (visits <= 0 || reference <= 0) return 0;
  return Math.sqrt(visitVariance(metric, rate(expected(total, span.all))) * dispersion * (1 / visits + 1 / reference));
}

const sidesOf = (series: RatioSeries, span: Span): Sides => {
  const typical = expected(series, span.all);
  return { before: typical, after: counted(series, span.days), typical };
};

/** Shares moved the rate more than rates did, in the dimension where this is clearest. */
function mixOf(total: Sides, values: readonly ValueRatio[], span: Span): RatioVerdict["mix"] {
  const direction = Math.sign(rate(total.after) - rate(total.before));
  let clearest: { readonly share: number; readonly mix: Mix } | null = null;
  for (const dimension of new Set(values.map((value) => value.dimension))) {
    const parts = values
      .filter((value) => value.dimension === dimension)
      .map((of) => {
        const sides = sidesOf(of, span);
        return { of, sides, ...ratioParts(total, sides) };
      });
    const mixes = parts.reduce((sum, { mix }) => sum + Math.abs(mix), 0);
    const rates = parts.reduce((sum, part) => sum + Math.abs(part.rate), 0);
    const first = parts.toSorted((a, b) => (b.mix - a.mix) * direction)[0];
    if (!first || mixes <= rates || first.mix * direction <= 0) continue;
    const share = mixes / (mixes + rates);
    if (clearest !== null && share <= clearest.share) continue;
    const more = first.sides.after.count / total.after.count > first.sides.before.count / total.before.count;
    clearest = { share, mix: { dimension, value: first.of.value, more, higher: more === direction > 0 } };
  }
  return clearest?.mix ?? null;
}

export function judgeRatio(judge: RatioJudge, values: readonly ValueRatio[], days: readonly number[], caution: number): RatioVerdict {
  const { metric, history } = judge;
  const span = spanOf(history, days);
  const total = sidesOf(judge.total, span);
  const z = judge.deviation(judge.total, span);
  const change = rate(total.after) - rate(total.before);
  const isLarge = Math.abs(change) >= RATE_CHANGE_MIN * rate(total.before);
  const isPeriodUnusual = isLarge && Math.abs(z) >= RATE_Z_MIN + caution;

  const countable = values.filter((value) => {
    const { after, before } = sidesOf(value, span);
    const expectedPart = isProportion(metric) ? rate(before) * after.count : before.count;
    return Math.max(isProportion(metric) ? after.part : after.count, expectedPart) >= VALUE_COUNT_MIN;
  });
  const named = countable
    .flatMap((value): NamedRatio[] => {
      const sides = sidesOf(value, span);
      const { mix, rate: byRate } = ratioParts(total, sides);
      if (Math.abs(byRate) <= Math.abs(mix)) return [];
      if (isPeriodUnusual && byRate * Math.sign(change) < EFFECT_SHARE_MIN * Math.abs(change)) return [];
      const dispersion = judge.dispersionOfValue(value, total.after.count > 0 ? sides.after.count / total.after.count : 0);
      const own = judge.deviation(value, span, dispersion);
      if (Math.abs(own) < VALUE_Z_MIN + caution) return [];
      const contrast = judge.contrast(value, span, dispersion);
      if (contrast * Math.sign(own) < CONTRAST_Z_MIN + caution) return [];
      return [{ of: value, after: sides.after, typical: sides.before, z: own, contrast }];
    })
    .toSorted(
      (a, b) =>
        Math.abs(b.z) - Math.abs(a.z) ||
        (NAMED_DIMENSIONS as readonly string[]).indexOf(a.of.dimension) - (NAMED_DIMENSIONS as readonly string[]).indexOf(b.of.dimension),
    );
  const mix = isPeriodUnusual && named.length === 0 ? mixOf(total, values, span) : null;
  const verdict =
    isPeriodUnusual && (named.length > 0 || mix !== null)
      ? "explained"
      : isPeriodUnusual
        ? "broad"
        : named.length > 0
          ? "shifted"
          : "ordinary";
  return {
    verdict,
    isPeriodUnusual,
    z,
    typical: total.before,
    deviation: rateDeviation(judge, span),
    named,
    mix,
    tried: countable.length,
  };
}

/** All but one value. */
export function ratioRestIsOrdinary(judge: RatioJudge, value: RatioSeries, days: readonly number[], caution: number): boolean {
  const span = spanOf(judge.history, days);
  const rest: RatioSeries = {
    visits: judge.total.visits.map((visits, day) => visits - (value.visits[day] ?? 0)),
    parts: judge.total.parts.map((part, day) => part - (value.parts[day] ?? 0)),
  };
  const { before, after } = sidesOf(rest, span);
  return (
    Math.abs(rate(after) - rate(before)) < RATE_CHANGE_MIN * rate(before) || Math.abs(judge.deviation(rest, span)) < RATE_Z_MIN + caution
  );
}
