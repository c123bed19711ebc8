/** What the history of a window lets expect of its days: reference days, trend and noise (docs/internals/changes.md). */
import { HISTORY_DAYS } from "./input.ts";
import { dispersionOf, isUnusual, madDeviation, medianOf, persistenceFactor, persistenceOf, rootOf } from "./statistics.ts";

const WEEK_DAYS = 7;

/** Reference days of the second test, which follows slow growth and seasons. */
const NEAR_DAYS = 4;
const REFERENCE_DAYS_MIN = 3;

const TREND_T_MIN = 1.2;
const TREND_MAX = 0.1;
const TREND_ERROR_MAX = 0.05;

export const TOTAL_PERSISTENCE = 0.35;
export const VALUE_PERSISTENCE = 0.2;

/** Counts of consecutive days: `HISTORY_DAYS` of history, then those of the window. */
export type Series = Float64Array;

export interface Noise {
  readonly dispersion: number;
  readonly persistence: number;
}

/** Weights of history days, whose sum is what is expected. */
export interface Weights {
  readonly at: readonly number[];
  readonly weights: readonly number[];
  /** Distinct reference days for each day of the span. */
  readonly perDay: number;
  readonly distanceWeeks: number;
}

/** Days of the window that are tested together. */
export interface Span {
  readonly days: readonly number[];
  readonly all: Weights;
  readonly near: Weights;
}

/** The part of the current date that is over, as a share of its visits. */
export interface Today {
  readonly day: number;
  readonly share: number;
}

export interface History {
  readonly total: Series;
  /** False before the first day with data, and in tracking gaps. */
  readonly isKnown: readonly boolean[];
  /** Known, and not unusual. */
  readonly isUsable: readonly boolean[];
  readonly weeks: number;
  /** Growth in a week, as a logarithm. */
  readonly slope: number;
  readonly slopeError: number;
  readonly today: Today | null;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Median of pairwise slopes (Theil 1950, Sen 1968) of weekly totals, drawn towards 0 by its own error. */
function trendOf(totals: readonly number[]): { readonly slope: number; readonly slopeError: number } {
  const logs = totals.map((total) => Math.log(Math.max(total, 1 / 2)));
  if (logs.length < REFERENCE_DAYS_MIN) return { slope: 0, slopeError: 0 };
  const slopes = logs.flatMap((later, i) => logs.slice(0, i).map((earlier, j) => (later - earlier) / (i - j)));
  const slope = medianOf(slopes);
  const levels = logs.map((log, i) => log - slope * i);
  const level = medianOf(levels);
  const center = (logs.length - 1) / 2;
  const error = madDeviation(levels.map((value) => value - level)) / Math.sqrt(sumOf(logs.map((_, i) => (i - center) ** 2)));
  const slopeError = Math.min(error, TREND_ERROR_MAX);
  const t = Math.abs(slope) / error;
  if (!(t > TREND_T_MIN)) return { slope: 0, slopeError };
  const kept = slope * (1 - (TREND_T_MIN / t) ** 2);
  return { slope: Math.max(Math.log(1 - TREND_MAX), Math.min(Math.log(1 + TREND_MAX), kept)), slopeError };
}

const sameWeekday = (day: number): number[] =>
  Array.from({ length: HISTORY_DAYS / WEEK_DAYS }, (_, week) => (day % WEEK_DAYS) + week * WEEK_DAYS);

/** Replaces days that do not count by the median of their weekday, and adds up weeks, oldest first. */
function weeklyTotals(total: Series, isUsable: readonly boolean[], weeks: number): number[] {
  const medians = Array.from({ length: WEEK_DAYS }, (_, weekday) => {
    const days = sameWeekday(weekday).filter((day) => isUsable[day]);
    return medianOf(days.map((day) => total[day] ?? 0));
  });
  return Array.from({ length: weeks }, (_, week) => {
    const first = HISTORY_DAYS - (weeks - week) * WEEK_DAYS;
    return sumOf(
      Array.from({ length: WEEK_DAYS }, (__, i) => {
        const day = first + i;
        return isUsable[day] ? (total[day] ?? 0) : (medians[day % WEEK_DAYS] ?? 0);
      }),
    );
  });
}

function unusualDays(total: Series, isKnown: readonly boolean[], slope: number): ReadonlySet<number> {
  const level = (day: number): number => (total[day] ?? 0) * Math.exp((slope * (HISTORY_DAYS - day)) / WEEK_DAYS);
  const known = [...isKnown.keys()].filter((day) => day < HISTORY_DAYS && isKnown[day]);
  const medians = Array.from({ length: WEEK_DAYS }, (_, weekday) =>
    medianOf(known.filter((day) => day % WEEK_DAYS === weekday).map(level)),
  );
  const medianOfDay = (day: number): number => medians[day % WEEK_DAYS] ?? 0;
  const deviations = known.map((day) => rootOf(level(day)) - rootOf(medianOfDay(day)));
  const deviation = Math.max(1, madDeviation(deviations));
  return new Set(known.filter((day, i) => isUnusual((deviations[i] ?? 0) / deviation, level(day), medianOfDay(day))));
}

/** `isKnown` covers the history and the window. */
export function historyOf(total: Series, isKnown: readonly boolean[], weeks: number, today: Today | null): History {
  const first = trendOf(weeklyTotals(total, isKnown, weeks));
  const unusual = unusualDays(total, isKnown, first.slope);
  const isUsable = isKnown.map((known, day) => known && !unusual.has(day));
  return { total, isKnown, isUsable, weeks, ...trendOf(weeklyTotals(total, isUsable, weeks)), today };
}

/** Nearest first. */
function referencesOf({ isKnown, isUsable, weeks }: History, day: number): number[] {
  const within = sameWeekday(day)
    .filter((other) => other >= HISTORY_DAYS - weeks * WEEK_DAYS)
    .reverse();
  const usable = within.filter((other) => isUsable[other]);
  if (usable.length >= REFERENCE_DAYS_MIN) return usable;
  const known = within.filter((other) => isKnown[other]);
  return known.length > 0 ? known : within;
}

function weightsOf(history: History, days: readonly number[], referencesMax: number): Weights {
  const weights = new Map<number, number>();
  let distance = 0;
  for (const day of days) {
    const references = referencesOf(history, HISTORY_DAYS + day).slice(0, referencesMax);
    const share = history.today?.day === day ? history.today.share : 1;
    for (const reference of references) {
      const weeksAway = (HISTORY_DAYS + day - reference) / WEEK_DAYS;
      distance += weeksAway / references.length;
      const weight = (share * Math.exp(history.slope * weeksAway)) / references.length;
      weights.set(reference, (weights.get(reference) ?? 0) + weight);
    }
  }
  return {
    at: [...weights.keys()],
    weights: [...weights.values()],
    perDay: weights.size / Math.max(1, days.length),
    distanceWeeks: distance / Math.max(1, days.length),
  };
}

export const spanOf = (history: History, days: readonly number[]): Span => ({
  days,
  all: weightsOf(history, days, Number.POSITIVE_INFINITY),
  near: weightsOf(history, days, NEAR_DAYS),
});

export function expectedOf(series: Series, { at, weights }: Weights): number {
  let sum = 0;
  for (let i = 0; i < at.length; i++) sum += (series[at[i] ?? 0] ?? 0) * (weights[i] ?? 0);
  return sum;
}

export function countedIn(series: Series, days: readonly number[]): number {
  let sum = 0;
  for (const day of days) sum += series[HISTORY_DAYS + day] ?? 0;
  return sum;
}

/** A history day, and the other days of its weekday, which let expect it. */
interface Others {
  readonly day: number;
  readonly references: readonly number[];
}

/** Days that noise is measured on. Without unusual ones: a holiday of five days would make two months look restless. */
export function othersOf(history: History): Others[] {
  return history.isUsable
    .map((isUsable, day) => ({ isUsable, day }))
    .slice(HISTORY_DAYS - history.weeks * WEEK_DAYS, HISTORY_DAYS)
    .filter(({ isUsable }) => isUsable)
    .map(({ day }) => ({ day, references: referencesOf(history, day).filter((other) => other !== day) }))
    .filter(({ references }) => references.length > 0);
}

const meanOf = (series: Series, { day, references }: Others, slope: number): number =>
  sumOf(references.map((other) => (series[other] ?? 0) * Math.exp((slope * (day - other)) / WEEK_DAYS))) / references.length;

/** `expected` gives what is expected of a day with others. */
function noiseOf(series: Series, others: readonly Others[], expected: (of: Others) => number, prior: number): Noise {
  const byDay = Array.from<unknown, number | null>({ length: HISTORY_DAYS }, () => null);
  for (const of of others) {
    const deviation = rootOf(series[of.day] ?? 0) - rootOf(expected(of));
    byDay[of.day] = deviation / Math.sqrt(1 + 1 / of.references.length);
  }
  const dispersion = dispersionOf(byDay.filter((residual) => residual !== null));
  return { dispersion, persistence: persistenceOf(byDay, dispersion, prior) };
}

export const ownNoise = (series: Series, history: History, others: readonly Others[], prior: number): Noise =>
  noiseOf(series, others, (of) => meanOf(series, of, history.slope), prior);

/** Noise of a value relative to all others, which cancels what moves everything. */
export const contrastNoise = (series: Series, { total, slope }: History, others: readonly Others[], prior: number): Noise => {
  const rest = total.map((count, day) => Math.max(0, count - (series[day] ?? 0)));
  return noiseOf(
    series,
    others,
    (of) => {
      const expectedRest = meanOf(rest, of, slope);
      return expectedRest === 0 ? 0 : (meanOf(series, of, slope) * (rest[of.day] ?? 0)) / expectedRest;
    },
    prior,
  );
};

/** Variance of the difference between a span's count and what is expected, on the root scale. */
export const varianceOf = (noise: Noise, days: number, { perDay, distanceWeeks }: Weights, slopeError: number, expected: number): number =>
  noise.dispersion * persistenceFactor(days, noise.persistence) * (1 + 1 / Math.max(1, perDay)) +
  (slopeError * distanceWeeks) ** 2 * expected;
