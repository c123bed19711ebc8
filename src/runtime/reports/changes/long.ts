/** Long periods have no typical value: only values that stand far apart are named, by weekly sums (docs/internals/changes.md, "Rates, money, long periods"). */
import { UNRECORDED } from "../../../shared/filters.ts";
import type { DayTally, DimensionTallies, Window } from "./input.ts";
import { dispersionOf, isUnusual, madDeviation, medianOf, persistenceFactor, rootOf } from "./statistics.ts";

const WEEK_DAYS = 7;
const SHARE_MIN = 0.5;
const CONTRAST_Z_MIN = 8;
const WEEKS_AROUND = 4;
const WEEK_PERSISTENCE = 0.35;

export interface LongFinding {
  readonly dimension: string;
  readonly value: string;
  readonly share: number;
  readonly contrast: number;
}

const weeksIn = ({ firstDay, lastDay }: Window): number => Math.floor((lastDay - firstDay + 1) / WEEK_DAYS);

/** Sums of the whole weeks of a window. */
function weekly(tallies: readonly DayTally[], window: Window): Float64Array {
  const weeks = new Float64Array(weeksIn(window));
  for (const { day, count } of tallies) {
    const week = Math.floor((day - window.firstDay) / WEEK_DAYS);
    if (day >= window.firstDay && week < weeks.length) weeks[week] = (weeks[week] ?? 0) + count;
  }
  return weeks;
}

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

/** Each week of a value against its share of the window's total. */
function residuals(value: Float64Array, total: Float64Array): number[] {
  const all = sumOf(total);
  const share = all > 0 ? sumOf(value) / all : 0;
  return [...value].map((count, week) => rootOf(count) - rootOf(share * (total[week] ?? 0)));
}

interface Both {
  readonly before: Float64Array;
  readonly after: Float64Array;
}

function contrastOf(value: Both, total: Both): number {
  const [before, after] = [sumOf(value.before), sumOf(value.after)];
  const [othersBefore, othersAfter] = [sumOf(total.before) - before, sumOf(total.after) - after];
  if (othersBefore <= 0 || othersAfter < 0) return 0;
  const dispersion = dispersionOf([...residuals(value.before, total.before), ...residuals(value.after, total.after)]);
  const growth = othersAfter / othersBefore;
  const noise = dispersion * persistenceFactor(value.after.length, WEEK_PERSISTENCE) * (1 + growth) * (1 + before / othersBefore);
  return (rootOf(after) - rootOf(before * growth)) / Math.sqrt(noise);
}

/** Largest contrast first. */
export function longFindings(period: Window, compared: Window, isNamed: (dimension: string) => boolean): LongFinding[] {
  const total: Both = { before: weekly(compared.days, compared), after: weekly(period.days, period) };
  const change = sumOf(total.after) - sumOf(total.before);
  const ofCompared = new Map(compared.dimensions.map((tallies) => [tallies.dimension, tallies]));
  return period.dimensions
    .filter(({ dimension }) => isNamed(dimension))
    .flatMap((tallies) => {
      const before = byValue(ofCompared.get(tallies.dimension));
      return [...byValue(tallies)].flatMap(([value, rows]): LongFinding[] => {
        const both: Both = { before: weekly(before.get(value) ?? [], compared), after: weekly(rows, period) };
        const share = change === 0 ? 0 : (sumOf(both.after) - sumOf(both.before)) / change;
        if (share < SHARE_MIN) return [];
        const contrast = contrastOf(both, total);
        return contrast * Math.sign(change) >= CONTRAST_Z_MIN ? [{ dimension: tallies.dimension, value, share, contrast }] : [];
      });
    })
    .toSorted((a, b) => Math.abs(b.contrast) - Math.abs(a.contrast));
}

function byValue(tallies: DimensionTallies | undefined): Map<string, DayTally[]> {
  const rows = new Map<string, DayTally[]>();
  for (const row of tallies?.byDay ?? []) {
    if (row.value === UNRECORDED) continue;
    const known = rows.get(row.value);
    if (known) known.push(row);
    else rows.set(row.value, [row]);
  }
  return rows;
}

export interface LongDay {
  readonly day: number;
  readonly value: number;
  readonly expected: number;
  readonly z: number;
  readonly deviation: number;
}

/** Each day against the median of its weekday in the weeks around it. `series` has the window's days. */
export function longDays(series: Float64Array): LongDay[] {
  const days = [...series].map((value, day) => {
    const around: number[] = [];
    for (let week = -WEEKS_AROUND; week <= WEEKS_AROUND; week++) {
      const other = series[day + week * WEEK_DAYS];
      if (week !== 0 && other !== undefined) around.push(other);
    }
    const expected = medianOf(around);
    return { day, value, expected, residual: rootOf(value) - rootOf(expected) };
  });
  // Without unusual days: a holiday of five days would make a quarter look restless.
  const spread = Math.max(1, madDeviation(days.map(({ residual }) => residual)));
  const usual = days.filter(({ value, expected, residual }) => !isUnusual(residual / spread, value, expected));
  const deviation = Math.sqrt(dispersionOf(usual.map(({ residual }) => residual)));
  return days.map(({ residual, ...day }) => ({ ...day, deviation, z: residual / deviation }));
}
