/** The visitors of a site's range and of the window that it is compared with, as far as that counts whole. */
import { addDays, dayNumberOf, daysBetween, firstDateOfPeriod, periodOf, type Calendar } from "../../../storage/calendar.ts";
import type { LocalDate, SiteId } from "../../../storage/event.ts";
import { ROLLUP_DAY_WEIGHT_BYTES, ROLLUP_WEIGHT_BYTES_MIN } from "../../base/config/report-limits.ts";
import type { NumbersPlan } from "../../results/unchanged-results.ts";
import { bucketsOf } from "../../query/buckets.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { numberIn } from "../../query/row-values.ts";
import type { Scope } from "../../query/scope.ts";
import { seriesOf } from "../measures/series.ts";
import type { PreviousWindow } from "./overview-windows.ts";
import { visitCounts, visitsByDay, visitsByHour } from "./visit-queries.ts";

export interface WindowMetrics {
  readonly visitors: number;
  readonly previous: number;
  readonly series: readonly number[];
}

/** Plans, and the metrics that their results give. */
export interface MetricsPlan<Metrics> {
  readonly plans: readonly NumbersPlan[];
  readonly toMetrics: (numbers: readonly Float64Array[]) => Metrics;
}

export interface WindowsRequest {
  readonly siteId: SiteId;
  readonly range: DateRange;
  readonly previous: PreviousWindow;
  readonly calendar: Calendar;
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, number) => sum + number, 0);

/** Faster than spreading it, which matters for hundreds of sites. */
const listOf = (numbers: Float64Array): readonly number[] => Array.from({ length: numbers.length }, (_, i) => numbers[i] ?? 0);

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((length, part) => length + part.length, 0));
  let length = 0;
  for (const part of parts) {
    all.set(part, length);
    length += part.length;
  }
  return all;
}

function planOfVisitors(name: string, scope: Scope): NumbersPlan {
  return { ...scope, name, queries: [visitCounts(scope)], toNumbers: ([row] = []) => Float64Array.of(numberIn(row, "visitors")) };
}

/** A number for each day of the range. It needs no labels, which take more than a millisecond for two years of a site. */
function planOfDays(name: string, scope: Scope): NumbersPlan {
  const { firstDay, dayCount } = scope.range;
  const first = dayNumberOf(firstDay);
  const toNumbers: NumbersPlan["toNumbers"] = (rows = []) => {
    const visitors = new Float64Array(dayCount);
    for (const row of rows) visitors[numberIn(row, "bucket") - first] = numberIn(row, "visitors");
    return visitors;
  };
  return { ...scope, name, queries: [visitsByDay(scope)], toNumbers };
}

/** A change of time zone leaves today fewer hours, or more, without a new event: the result is another one then. */
function planOfHours(scope: Scope, calendar: Calendar): NumbersPlan {
  const query = visitsByHour(scope);
  const series = seriesOf(scope.range, calendar, "hour", false);
  const toNumbers: NumbersPlan["toNumbers"] = (rows = []) =>
    Float64Array.from(
      series.points(rows, query.counts, (row) => ({ visitors: numberIn(row, "visitors") })),
      ({ visitors }) => visitors,
    );
  const name = `series of ${bucketsOf(scope.range, "hour", calendar).length}`;
  return { ...scope, name, queries: [query], toNumbers };
}

/** So many days with events always have a rollup: where they begin at a multiple of their number, one has them all. */
const RUN_DAYS = ROLLUP_WEIGHT_BYTES_MIN / ROLLUP_DAY_WEIGHT_BYTES;

/** The first date of the run of days that a date lies in. */
const runStartOf = (date: LocalDate): LocalDate => firstDateOfPeriod(periodOf(date, RUN_DAYS), RUN_DAYS);

/** The parts of a range that begin with it, or with one of these dates in it, which ascend. */
function cutAt({ firstDay, lastDay }: DateRange, dates: readonly LocalDate[]): readonly DateRange[] {
  const starts = [firstDay, ...dates.filter((date) => firstDay < date && date <= lastDay)];
  return starts.map((start, i) => {
    const next = starts[i + 1];
    return rangeOfDays(start, next ? addDays(next, -1) : lastDay);
  });
}

/**
 * From the visitors of each day of both windows, and between them: they add up if no visitor id outlives its day. Days in whole runs
 * come from rollups; those of the unfinished run are the same for every period, and stay the same whatever happens today.
 */
export function metricsByDay({ siteId, range, previous }: WindowsRequest, today: LocalDate): MetricsPlan<WindowMetrics> {
  const { firstDay, whole } = previous;
  const rolledFrom = runStartOf(firstDay);
  const runStart = runStartOf(today);
  const nameOf = (part: DateRange) => (part.firstDay >= today ? "today" : part.firstDay >= runStart ? "days of the run" : "days before");
  const parts = cutAt(rangeOfDays(rolledFrom, range.lastDay), runStart === today ? [today] : [runStart, today]);
  return {
    plans: parts.map((part) => planOfDays(nameOf(part), { siteId, range: part, conditions: [] })),
    toMetrics(numbers) {
      const days = joined(numbers).subarray(daysBetween(rolledFrom, firstDay));
      const series = days.subarray(daysBetween(firstDay, range.firstDay));
      return { visitors: sumOf(series), previous: sumOf(days.subarray(0, whole?.dayCount ?? 0)), series: listOf(series) };
    },
  };
}

/** From the visitors of each window. */
export function metricsByWindow({ siteId, range, previous: { whole }, calendar }: WindowsRequest): MetricsPlan<WindowMetrics> {
  const scopeOf = (ofRange: DateRange): Scope => ({ siteId, range: ofRange, conditions: [] });
  const plans = [
    range.dayCount > 1 ? planOfDays("series", scopeOf(range)) : planOfHours(scopeOf(range), calendar),
    planOfVisitors("visitors", scopeOf(range)),
    ...(whole ? [planOfVisitors("previous visitors", scopeOf(whole))] : []),
  ];
  return {
    plans,
    toMetrics([series = new Float64Array(), visitors, previous]) {
      return { visitors: visitors?.[0] ?? 0, previous: previous?.[0] ?? 0, series: listOf(series) };
    },
  };
}
