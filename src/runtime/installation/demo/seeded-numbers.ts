/** Numbers that look random and are the same for the same seed: mulberry32, by Tommy Ettinger. */

/** Returns numbers from 0 to below 1. */
export type Numbers = () => number;

export function numbersFrom(seed: number): Numbers {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Something to choose from, and how often relative to the others. */
export type Weighted<T> = readonly [weight: number, value: T];

export type Choice<T> = (numbers: Numbers) => T;

/** One of the values, each as often as its weight says. */
export function choiceOf<T>(first: Weighted<T>, ...others: readonly Weighted<T>[]): Choice<T> {
  const all = [first, ...others];
  const total = all.reduce((sum, [weight]) => sum + weight, 0);
  return (numbers) => {
    let left = numbers() * total;
    return (all.find(([weight]) => (left -= weight) < 0) ?? first)[1];
  };
}
