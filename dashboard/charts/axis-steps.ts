/** Distances between the marks of the vertical axis: no fractions of visitors, and durations in seconds, minutes and hours. */
import { formatAverage, formatDuration, formatRate, formatShare } from "../format/locale.ts";

const decades = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).flatMap((power) =>
    [1, 2, 5].map((step) => (power < 0 ? step / 10 ** -power : step * 10 ** power)),
  );

const INTEGERS = decades(0, 12);
const AVERAGES = decades(-1, 6);
const RATES = decades(-3, 0);

const [MINUTE, HOUR] = [60, 3600];
const DURATIONS = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...decades(0, 4).map((hours) => hours * HOUR),
];

/** By how values are written. Everything else is a count. */
const STEPS = new Map<unknown, number[]>([
  [formatAverage, AVERAGES],
  [formatRate, RATES],
  [formatShare, RATES],
  [formatDuration, DURATIONS],
]);

export const axisSteps = (format: (value: number) => string): number[] => STEPS.get(format) ?? INTEGERS;
