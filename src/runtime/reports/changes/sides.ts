/** Sums of a window's total and values: before, after and typical, as the answer shows them. */
import type { Kind, Side, Sides } from "./contributions.ts";
import { NO_SIDE, unitsOfCount } from "./contributions.ts";
import { HISTORY_DAYS, type DayTally, type DimensionTallies, type Tally, type Window } from "./input.ts";
import type { Weights } from "./history.ts";

export const sideOf = (kind: Kind, { count, part = 0, cents = 0n }: Tally): Side => ({
  count,
  part,
  units: kind === "money" ? cents : kind === "count" ? unitsOfCount(count) : 0n,
});

/** Sums of expected tallies, which are fractions. */
interface Expected {
  count: number;
  part: number;
  cents: number;
}

const sideOfExpected = (kind: Kind, { count, part, cents }: Expected): Side => ({
  count,
  part,
  units: kind === "money" ? BigInt(Math.round(cents)) : kind === "count" ? unitsOfCount(count) : 0n,
});

/** The weight of each history day, 0 for others. */
function weightByDay({ at, weights }: Weights): Float64Array {
  const byDay = new Float64Array(HISTORY_DAYS);
  for (const [i, day] of at.entries()) byDay[day] = weights[i] ?? 0;
  return byDay;
}

const add = (sum: Expected, { count, part = 0, cents = 0n }: Tally, weight: number): void => {
  sum.count += weight * count;
  sum.part += weight * part;
  sum.cents += weight * Number(cents);
};

export function typicalSide(kind: Kind, tallies: readonly DayTally[], firstDay: number, weights: Weights): Side {
  const byDay = weightByDay(weights);
  const sum: Expected = { count: 0, part: 0, cents: 0 };
  for (const tally of tallies) add(sum, tally, byDay[tally.day - firstDay + HISTORY_DAYS] ?? 0);
  return sideOfExpected(kind, sum);
}

function typicalByValue(kind: Kind, { byDay }: DimensionTallies, firstDay: number, weights: Weights): Map<string, Side> {
  const weightOf = weightByDay(weights);
  const sums = new Map<string, Expected>();
  for (const tally of byDay) {
    const weight = weightOf[tally.day - firstDay + HISTORY_DAYS] ?? 0;
    if (weight === 0) continue;
    const sum = sums.get(tally.value) ?? { count: 0, part: 0, cents: 0 };
    sums.set(tally.value, sum);
    add(sum, tally, weight);
  }
  return new Map([...sums].map(([value, sum]) => [value, sideOfExpected(kind, sum)]));
}

const sumsByValue = (kind: Kind, tallies: DimensionTallies | undefined): Map<string, Side> =>
  new Map((tallies?.sums ?? []).map((tally) => [tally.value, sideOf(kind, tally)]));

/** All values of a dimension. `weights` of null: nothing is typical. `compared` of null: what is typical is what was before. */
export function sidesByValue(
  kind: Kind,
  tallies: DimensionTallies,
  { firstDay }: Window,
  weights: Weights | null,
  compared: Window | null,
): Map<string, Sides> {
  const after = sumsByValue(kind, tallies);
  const typical = weights && typicalByValue(kind, tallies, firstDay, weights);
  const before = compared
    ? sumsByValue(
        kind,
        compared.dimensions.find(({ dimension }) => dimension === tallies.dimension),
      )
    : (typical ?? new Map<string, Side>());
  const values = new Set([...after.keys(), ...before.keys(), ...(typical?.keys() ?? [])]);
  return new Map(
    [...values].map((value) => [
      value,
      {
        before: before.get(value) ?? NO_SIDE,
        after: after.get(value) ?? NO_SIDE,
        typical: typical && (typical.get(value) ?? NO_SIDE),
      },
    ]),
  );
}

/** A value (or, without one, the total) on some days of a window. */
export function sidesOfDays(kind: Kind, tallies: readonly DayTally[], firstDay: number, days: readonly number[], weights: Weights): Sides {
  let sum: Required<Tally> = { count: 0, part: 0, cents: 0n };
  for (const { day, count, part = 0, cents = 0n } of tallies) {
    if (days.includes(day - firstDay)) sum = { count: sum.count + count, part: sum.part + part, cents: sum.cents + cents };
  }
  const typical = typicalSide(kind, tallies, firstDay, weights);
  return { before: typical, after: sideOf(kind, sum), typical };
}
