/** Tracking gaps: hours in a row without any event, though visits were to be expected (docs/internals/changes.md). */
import { HISTORY_DAYS, type HourTally } from "./input.ts";
import { medianOf } from "./statistics.ts";

const DAY_HOURS = 24;
const WEEK_DAYS = 7;
const GAP_HOURS_MIN = 2;

/** Visits that a gap misses at least, times the dispersion, which counts up to its maximum. */
const GAP_VISITS_MIN = 14;
const GAP_DISPERSION_MAX = 2;

/** Hours since the first day of the history; `to` is excluded. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export const hourAt = (hour: number): { readonly day: number; readonly hour: number } => ({
  day: Math.floor(hour / DAY_HOURS),
  hour: hour % DAY_HOURS,
});

/** One count of each hour of the history and the window. */
export function hourSeries(hours: readonly HourTally[], firstDay: number, days: number, of: "count" | "visits" | "events"): Float64Array {
  const series = new Float64Array(days * DAY_HOURS);
  for (const tally of hours) {
    const at = (tally.day - firstDay) * DAY_HOURS + tally.hour;
    if (at >= 0 && at < series.length) series[at] = (series[at] ?? 0) + tally[of];
  }
  return series;
}

/** Counts of one hour of the week in the history, after `firstHour`. */
function sameHours(visits: Float64Array, hour: number, firstHour: number): number[] {
  const weekHours = WEEK_DAYS * DAY_HOURS;
  const found: number[] = [];
  for (let other = hour % weekHours; other < HISTORY_DAYS * DAY_HOURS; other += weekHours) {
    if (other !== hour && other >= firstHour) found.push(visits[other] ?? 0);
  }
  return found;
}

/** Looks from `firstHour` to `endHour`, excluded: hours with data that are over. */
export function gapsOf(visits: Float64Array, events: Float64Array, firstHour: number, endHour: number, dispersion: number): Gap[] {
  const visitsMin = GAP_VISITS_MIN * Math.min(GAP_DISPERSION_MAX, dispersion);
  const gaps: Gap[] = [];
  let from = firstHour;
  let expected = 0;
  for (let hour = firstHour; hour <= endHour; hour++) {
    if (hour < endHour && events[hour] === 0) {
      expected += medianOf(sameHours(visits, hour, firstHour));
      continue;
    }
    if (hour - from >= GAP_HOURS_MIN && expected >= visitsMin) gaps.push({ from, to: hour });
    from = hour + 1;
    expected = 0;
  }
  return gaps;
}

/** Days, counted from the first of the history, that a gap touches. */
export const daysOfGaps = (gaps: readonly Gap[]): ReadonlySet<number> =>
  new Set(
    gaps.flatMap(({ from, to }) => {
      const [first, last] = [hourAt(from).day, hourAt(to - 1).day];
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    }),
  );
