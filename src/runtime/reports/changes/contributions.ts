/**
 * What each value adds to a change. Rows and `rest` add up to the total exactly: counts are integers of 1/1024, which doubles add without
 * an error and typical values are rounded to; money is hundredths.
 */
import { Decimal, decimalFromCents } from "../../base/decimal.ts";
import type { RatioMetric } from "./input.ts";
import type { Amount, ContributionRow, DimensionChanges, WithoutValue } from "./result.ts";

const COUNT_UNITS = 1024;

/** Changes in percent need this many before. */
export const CHANGE_COUNT_MIN = 20;

/** One side of a change. `units`: of a count or of money. `count`: what percentages are judged by. */
export interface Side {
  readonly count: number;
  readonly units: bigint;
  /** The numerator of a ratio. */
  readonly part: number;
}

export const NO_SIDE: Side = { count: 0, units: 0n, part: 0 };

export interface Sides {
  readonly before: Side;
  readonly after: Side;
  readonly typical: Side | null;
}

export const unitsOfCount = (count: number): bigint => BigInt(Math.round(count * COUNT_UNITS));

export type Kind = "count" | "money" | RatioMetric;

export const isRatio = (kind: Kind): kind is RatioMetric => kind !== "count" && kind !== "money";

/** Typical visits are fractions: differences of them below this are errors of rounding. */
const VISITS_MIN = 1e-6;

export const rateOf = ({ part, count }: Side): number => (count > VISITS_MIN ? part / count : 0);

const amountOfUnits = (kind: Kind, units: bigint): Amount =>
  kind === "money" ? new Decimal(decimalFromCents(units)) : Number(units) / COUNT_UNITS;

export const amountOf = (kind: Kind, side: Side): Amount => (isRatio(kind) ? rateOf(side) : amountOfUnits(kind, side.units));

export const deltaOf = (kind: Kind, before: Side, after: Side): Amount =>
  isRatio(kind) ? rateOf(after) - rateOf(before) : amountOfUnits(kind, after.units - before.units);

/** Relative, of rates the difference itself; null if too little was there before. */
export function changeOf(kind: Kind, before: Side, after: Side): number | null {
  if (before.count < CHANGE_COUNT_MIN) return null;
  if (isRatio(kind)) return rateOf(after) - rateOf(before);
  const [from, to] = [Number(before.units), Number(after.units)];
  return from > 0 ? (to - from) / from : null;
}

const minus = (a: Side, b: Side): Side => ({ count: a.count - b.count, units: a.units - b.units, part: a.part - b.part });
const plus = (a: Side, b: Side): Side => ({ count: a.count + b.count, units: a.units + b.units, part: a.part + b.part });

export function withoutValue(kind: Kind, total: Sides, value: Sides): WithoutValue {
  const [before, after] = [minus(total.before, value.before), minus(total.after, value.after)];
  return { before: amountOf(kind, before), after: amountOf(kind, after), change: changeOf(kind, before, after) };
}

/** What a value adds to the change of a rate: by its share of visits, and by its own rate. Over all values they add up to the change. */
export function ratioParts(total: Sides, { before, after }: Sides): { readonly mix: number; readonly rate: number } {
  const [shareBefore, shareAfter] = [
    total.before.count > 0 ? before.count / total.before.count : 0,
    total.after.count > 0 ? after.count / total.after.count : 0,
  ];
  const rateBefore = rateOf(before.count > 0 ? before : after);
  const rateAfter = rateOf(after.count > 0 ? after : before);
  const overall = (rateOf(total.before) + rateOf(total.after)) / 2;
  return {
    mix: (shareAfter - shareBefore) * ((rateBefore + rateAfter) / 2 - overall),
    rate: ((shareBefore + shareAfter) / 2) * (rateAfter - rateBefore),
  };
}

/** What the number of payments, and their mean amount, add to a change of revenue, in hundredths. */
function moneyParts({ before, after }: Sides): { readonly mix: bigint; readonly rate: bigint } {
  const means = [before, after].map(({ units, count }) => (count > 0 ? Number(units) / count : null));
  const meanBefore = means[0] ?? means[1] ?? 0;
  const meanAfter = means[1] ?? means[0] ?? 0;
  const mix = BigInt(Math.round(((after.count - before.count) * (meanBefore + meanAfter)) / 2));
  return { mix, rate: after.units - before.units - mix };
}

interface Contribution extends Sides {
  readonly value: string;
  /** Decides the order, and its sum over all values is the total's. */
  readonly size: number;
}

const sizeOf = (kind: Kind, total: Sides, value: Sides): number => {
  if (!isRatio(kind)) return Number(value.after.units - value.before.units);
  const { mix, rate } = ratioParts(total, value);
  return mix + rate;
};

const ZERO: Sides = { before: NO_SIDE, after: NO_SIDE, typical: NO_SIDE };

const partsOf = (kind: Kind, total: Sides, value: Sides): { readonly mix?: Amount; readonly rate?: Amount } => {
  if (kind === "count") return {};
  if (isRatio(kind)) return ratioParts(total, value);
  const { mix, rate } = moneyParts(value);
  return { mix: amountOfUnits(kind, mix), rate: amountOfUnits(kind, rate) };
};

/** What the listed values leave of `mix` and `rate`; it includes what no value was counted for. */
function partsOfRest(kind: Kind, total: Sides, listed: readonly Sides[], others: readonly Sides[]) {
  if (kind === "count") return {};
  if (isRatio(kind)) {
    const left = listed.reduce((sum, value) => sum - sizeOf(kind, total, value), rateOf(total.after) - rateOf(total.before));
    const mix = others.reduce((sum, value) => sum + ratioParts(total, value).mix, 0);
    return { mix, rate: left - mix };
  }
  const left = listed.reduce((sum, { before, after }) => sum - (after.units - before.units), total.after.units - total.before.units);
  const mix = others.reduce((sum, value) => sum + moneyParts(value).mix, 0n);
  return { mix: amountOfUnits(kind, mix), rate: amountOfUnits(kind, left - mix) };
}

export interface DimensionSides {
  readonly dimension: string;
  readonly values: ReadonlyMap<string, Sides>;
}

/**
 * The values with the largest contributions, and the others in sum, which includes what no value was counted for. `isLargeEnough`: the
 * total's change is, so that shares of it mean something.
 */
export function contributionsOf(
  kind: Kind,
  total: Sides,
  { dimension, values }: DimensionSides,
  limit: number,
  isLargeEnough: boolean,
): DimensionChanges {
  const all = [...values]
    .map(([value, sides]): Contribution => ({ value, ...sides, size: sizeOf(kind, total, sides) }))
    .toSorted((a, b) => Math.abs(b.size) - Math.abs(a.size) || (a.value < b.value ? -1 : 1));
  const listed = all.slice(0, limit);
  const others = all.slice(limit);
  const sizeOfTotal = isRatio(kind) ? rateOf(total.after) - rateOf(total.before) : Number(total.after.units - total.before.units);
  const listedSum = listed.reduce<Sides>(
    (sum, { before, after }) => ({ before: plus(sum.before, before), after: plus(sum.after, after), typical: null }),
    ZERO,
  );
  const rest: Sides = { before: minus(total.before, listedSum.before), after: minus(total.after, listedSum.after), typical: null };
  return {
    dimension,
    additive: true,
    rows: listed.map(({ value, size, ...sides }): ContributionRow => ({
      value,
      before: amountOf(kind, sides.before),
      after: amountOf(kind, sides.after),
      delta: deltaOf(kind, sides.before, sides.after),
      share: isLargeEnough && sizeOfTotal !== 0 ? size / sizeOfTotal : null,
      typical: sides.typical && amountOf(kind, sides.typical),
      ...partsOf(kind, total, sides),
      without_value: withoutValue(kind, total, sides),
    })),
    rest: {
      values: others.length,
      before: amountOf(kind, rest.before),
      after: amountOf(kind, rest.after),
      delta: deltaOf(kind, rest.before, rest.after),
      ...partsOfRest(kind, total, listed, others),
    },
  };
}
