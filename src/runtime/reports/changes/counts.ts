/** The verdict about a count: is the period unusual, are days of it, and which values stand apart (docs/internals/changes.md). */
import { countedIn, expectedOf, type Span, spanOf } from "./history.ts";
import { type Judge, type Named, namedValues, shiftedValues, triedIn, type ValueSeries } from "./naming.ts";
import { countOfRoot, rootOf } from "./statistics.ts";

export const FLOOR_VISITS = 20;
export const FLOOR_SHARE = 0.05;
const DAY_FLOOR_SHARE = 0.2;

const PERIOD_Z_MIN = 3.1;
/** Added if no value is named. */
const PERIOD_Z_UNNAMED = 0.7;
const DAY_Z_UNNAMED = 0.5;
const DAY_Z_MIN = 3.7;
const DAY_Z_PER_LOG = 0.25;

const LONG_DAYS = 10;
const LONG_Z = 0.8;

export const FINDINGS_MAX = 3;
const DAYS_MAX = 3;

export const BAND_DEVIATIONS = 2;

export interface Range {
  readonly expected: number;
  readonly low: number;
  readonly high: number;
}

export interface Story {
  readonly named: Named;
  /** Days of the window, from 0. */
  readonly days: readonly number[];
  readonly span: Span;
}

export interface StandingOut extends Range {
  readonly day: number;
  readonly value: number;
  readonly z: number;
  readonly story: Story | null;
}

export interface CountVerdict {
  readonly verdict: "explained" | "broad" | "shifted" | "ordinary";
  /** The period alone passes its test, whether or not a value is named. */
  readonly isPeriodUnusual: boolean;
  readonly z: number;
  readonly range: Range;
  readonly counted: number;
  readonly stories: readonly Story[];
  readonly days: readonly StandingOut[];
  readonly tried: number;
}

/** Two standard deviations around what is expected. */
export function rangeOf(judge: Judge, span: Span): Range {
  const expected = expectedOf(judge.history.total, span.all);
  const deviation = BAND_DEVIATIONS * Math.sqrt(judge.variance(span, span.all, expected));
  return { expected, low: countOfRoot(rootOf(expected) - deviation), high: countOfRoot(rootOf(expected) + deviation) };
}

const isSameValue = (a: ValueSeries, b: ValueSeries): boolean => a.dimension === b.dimension && a.value === b.value;

const tells = (story: Story, day: number, named: Named): boolean =>
  story.days.includes(day) &&
  [story.named, ...story.named.also].some((told) => [named, ...named.also].some((face) => isSameValue(told, face)));

/** A day that stands out although no value is named. */
export const dayIsNoted = (z: number, value: number, expected: number, days: number): boolean =>
  Math.abs(z) >= DAY_Z_MIN + DAY_Z_PER_LOG * Math.log(Math.max(1, days)) + DAY_Z_UNNAMED &&
  Math.abs(value - expected) >= Math.max(FLOOR_VISITS, DAY_FLOOR_SHARE * expected);

function daysThatStandOut(judge: Judge, values: readonly ValueSeries[], days: readonly number[], caution: number): StandingOut[] {
  if (days.length < 2) return [];
  const zMin = DAY_Z_MIN + DAY_Z_PER_LOG * Math.log(days.length) + caution;
  return days
    .flatMap((day): StandingOut[] => {
      const span = spanOf(judge.history, [day]);
      const range = rangeOf(judge, span);
      const value = countedIn(judge.history.total, [day]);
      const z = judge.deviation(judge.history.total, span);
      if (Math.abs(z) < zMin || Math.abs(value - range.expected) < Math.max(FLOOR_VISITS, DAY_FLOOR_SHARE * range.expected)) return [];
      const [named] = namedValues(judge, values, span, caution);
      if (!named && Math.abs(z) < zMin + DAY_Z_UNNAMED) return [];
      return [{ day, value, z, ...range, story: named ? { named, days: [day], span } : null }];
    })
    .toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z))
    .slice(0, DAYS_MAX);
}

/** Values that shifted over the period, then those that did on one of its days. */
function shiftsOf(
  judge: Judge,
  values: readonly ValueSeries[],
  span: Span,
  days: readonly number[],
  tried: number,
  caution: number,
): Story[] {
  const rules = { tried, visitsMin: FLOOR_VISITS, caution };
  const stories = shiftedValues(judge, values, span, rules).map((named): Story => ({ named, days: named.days, span }));
  if (span.days.length === 1) return stories;
  const ofDays = days
    .flatMap((day) => {
      const oneDay = spanOf(judge.history, [day]);
      return shiftedValues(judge, values, oneDay, rules).map((named): Story => ({ named, days: [day], span: oneDay }));
    })
    .toSorted((a, b) => b.named.rank - a.named.rank);
  for (const story of ofDays) {
    const isTold = stories.some((told) =>
      [told.named, ...told.named.also].some((face) => [story.named, ...story.named.also].some((other) => isSameValue(face, other))),
    );
    if (!isTold) stories.push(story);
  }
  return stories;
}

/** `days` are those without a tracking gap; `completeDays` of them are over. */
export function judgeCount(
  judge: Judge,
  values: readonly ValueSeries[],
  days: readonly number[],
  completeDays: readonly number[],
  caution: number,
): CountVerdict {
  const { total } = judge.history;
  const span = spanOf(judge.history, days);
  const range = rangeOf(judge, span);
  const counted = countedIn(total, days);
  const z = judge.deviation(total, span);
  const tried = triedIn(values, span);

  const zMin = PERIOD_Z_MIN + (days.length > LONG_DAYS ? LONG_Z : 0) + caution;
  const isLarge = Math.abs(counted - range.expected) >= Math.max(FLOOR_VISITS, FLOOR_SHARE * range.expected);
  const ofPeriod = isLarge && Math.abs(z) >= zMin ? namedValues(judge, values, span, caution) : [];
  const isPeriodUnusual = isLarge && (ofPeriod.length > 0 || Math.abs(z) >= zMin + PERIOD_Z_UNNAMED);
  const stories = ofPeriod.slice(0, FINDINGS_MAX).map((named): Story => ({ named, days: named.days, span }));

  const standing = daysThatStandOut(judge, values, completeDays, caution).map((day) => {
    if (day.story === null) return day;
    const { named } = day.story;
    const told = stories.find((story) => tells(story, day.day, named));
    if (told) return { ...day, story: told };
    if (stories.length >= FINDINGS_MAX) return { ...day, story: null };
    stories.push(day.story);
    return day;
  });

  const common = { isPeriodUnusual, z, range, counted, days: standing, tried };
  if (stories.length > 0) return { verdict: "explained", stories, ...common };
  if (isPeriodUnusual || standing.length > 0) return { verdict: "broad", stories, ...common };
  const shifts = shiftsOf(judge, values, span, completeDays, tried, caution).slice(0, FINDINGS_MAX);
  return { verdict: shifts.length > 0 ? "shifted" : "ordinary", stories: shifts, ...common };
}

/** All but one value, on the days of its finding. */
export function restIsOrdinary(judge: Judge, { series }: ValueSeries, span: Span, daysOfPeriod: number, caution: number): boolean {
  const rest = judge.history.total.map((count, day) => Math.max(0, count - (series[day] ?? 0)));
  const expected = expectedOf(rest, span.all);
  const isOneOfSeveral = span.days.length < daysOfPeriod;
  const floor = (isOneOfSeveral ? DAY_FLOOR_SHARE : FLOOR_SHARE) * expected;
  if (Math.abs(countedIn(rest, span.days) - expected) < Math.max(FLOOR_VISITS, floor)) return true;
  const zMin = isOneOfSeveral
    ? DAY_Z_MIN + DAY_Z_PER_LOG * Math.log(daysOfPeriod) + DAY_Z_UNNAMED
    : PERIOD_Z_MIN + PERIOD_Z_UNNAMED + (daysOfPeriod > LONG_DAYS ? LONG_Z : 0);
  return Math.abs(judge.deviation(rest, span, judge.noiseOf(rest))) < zMin + caution;
}
