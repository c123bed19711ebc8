/** Tick positions: round distances for values; beginnings of days, months and years for time. */
import { formatAverage, formatDuration, formatRate, formatRateTick, formatShare } from "../format/locale.ts";
import { daysBetween } from "../state/range.ts";

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

/** Keyed by the format of values. All others are counts. */
const STEPS = new Map<unknown, number[]>([
  [formatAverage, AVERAGES],
  [formatRate, RATES],
  [formatShare, RATES],
  [formatDuration, DURATIONS],
]);

/** The format of ticks, which are round. */
export const tickFormat = (format: (value: number) => string): ((value: number) => string) =>
  format === formatRate ? formatRateTick : format;

export const axisSteps = (format: (value: number) => string): number[] => STEPS.get(format) ?? INTEGERS;

const HOUR_MINUTES = 60;

/** Distances of clock ticks. They divide a day, so that each day begins with a tick. */
const TICK_MINUTES = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 96, 120, 144, 168].map((hours) => hours * HOUR_MINUTES),
];

/** Distances of month ticks in longer series. They divide a year. */
const TICK_MONTHS = [1, 2, 3, 4, 6, 12, 24, 36, 60, 120];

const DATE_CHARS = "2026-03-15".length;

const YEAR_DAYS_MAX = 366;

/** A month name could stand for several years. */
export const isOverYears = (labels: readonly string[]): boolean =>
  labels[0]?.length === DATE_CHARS && daysBetween(labels[0], labels.at(-1) ?? labels[0]) > YEAR_DAYS_MAX;

/** Minutes by the clock since the first midnight of the series: a day of 23 hours has a gap. */
function minuteOf(label: string, first: string): number {
  const [day, time] = [label.slice(0, DATE_CHARS), label.slice(DATE_CHARS + 1)];
  const [hour, minute] = time.split(":").map(Number);
  return ((daysBetween(first.slice(0, DATE_CHARS), day) - 1) * 24 + (hour ?? 0)) * HOUR_MINUTES + (minute ?? 0);
}

const monthOf = (label: string): number => Number(label.slice(0, 4)) * 12 + Number(label.slice(5, 7)) - 1;

/** Indices at which the quotient by `every` changes. */
function firstsOf(numbers: readonly number[], every: number): number[] {
  const steps = numbers.map((number) => Math.floor(number / every));
  return steps.flatMap((step, i) => (step === steps[i - 1] ? [] : [i]));
}

/** The first point is the start of the range, possibly shortly before a month with a tick. */
function monthTicks(labels: readonly string[], least: number): number[] {
  const months = labels.map(monthOf);
  const perMonth = labels.length / (Math.max(...months.slice(-1)) - (months[0] ?? 0) + 1);
  const every = TICK_MONTHS.find((count) => count * perMonth >= least) ?? TICK_MONTHS.at(-1) ?? 1;
  const ticks = firstsOf(months, every);
  return (ticks[1] ?? Infinity) < least ? ticks.slice(1) : ticks;
}

/** Indices at least `least` points apart. Labels are those of the service: `2026-03-15` or `2026-03-15 14:00`. */
export function tickIndices(labels: readonly string[], least: number): number[] {
  if (isOverYears(labels)) return monthTicks(labels, least);
  const first = labels[0] ?? "";
  const unit = labels[1]?.endsWith(":00") === true ? HOUR_MINUTES : 1;
  const every = first.length > DATE_CHARS ? TICK_MINUTES.find((minutes) => minutes >= least * unit) : undefined;
  if (every === undefined) return Array.from({ length: Math.ceil(labels.length / least) }, (_, i) => i * least);
  return firstsOf(
    labels.map((label) => minuteOf(label, first)),
    every,
  );
}
