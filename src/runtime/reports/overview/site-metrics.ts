/**
 * The metrics of one site in an overview: the compared windows, the plans that read their numbers, and the metrics that these give
 * (docs/reports.md, "Overview").
 */
import { addDays, dayNumberOf, daysBetween, firstDateOfPeriod, periodOf, type Calendar } from "../../../storage/calendar.ts";
import { type EpochMs, type LocalDate, MINUTE_MS, startOfDayMs } from "../../../storage/event.ts";
import { ROLLUP_DAY_WEIGHT_BYTES, ROLLUP_WEIGHT_BYTES_MIN } from "../../base/config/report-limits.ts";
import type { NumbersPlan } from "../../results/unchanged-results.ts";
import { bucketsOf, type DateRange, localTimeOf, rangeOfDays, whenClockShows } from "../../query/date-range.ts";
import { numberIn, type SqlRow } from "../../query/sql.ts";
import { type Scope, within } from "../../query/scope.ts";
import { seriesOf } from "../measures/series.ts";
import { visitCounts, visitsByDay, visitsByHour, visitsByFirstMinute, visitsByLastInstant } from "./visit-queries.ts";
import { daysOfWholeWeeks } from "../../../shared/periods.ts";

interface WindowMetrics {
  readonly visitors: number;
  readonly previous: number;
  readonly series: readonly number[];
}

interface MetricsPlan<Metrics> {
  readonly plans: readonly NumbersPlan[];
  readonly toMetrics: (numbers: readonly Float64Array[]) => Metrics;
}

interface WindowsRequest extends Omit<MetricsRequest, "nowMs"> {
  readonly previous: PreviousWindow;
}

const sumOf = (numbers: Float64Array): number => numbers.reduce((sum, number) => sum + number, 0);

/** Faster than spreading, which matters for hundreds of sites. */
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

/** A number for each day of the range, without labels: those of two years take more than a millisecond per site. */
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

/** The number of hours is part of the name: a change of time zone changes it without a new event. */
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

/** Runs of this many days with events, aligned to multiples of it, always have a rollup. */
const RUN_DAYS = ROLLUP_WEIGHT_BYTES_MIN / ROLLUP_DAY_WEIGHT_BYTES;

const runStartOf = (date: LocalDate): LocalDate => firstDateOfPeriod(periodOf(date, RUN_DAYS), RUN_DAYS);

/** Splits a range before each of these dates, which ascend. */
function cutAt({ firstDay, lastDay }: DateRange, dates: readonly LocalDate[]): readonly DateRange[] {
  const starts = [firstDay, ...dates.filter((date) => firstDay < date && date <= lastDay)];
  return starts.map((start, i) => {
    const next = starts[i + 1];
    return rangeOfDays(start, next ? addDays(next, -1) : lastDay);
  });
}

/**
 * Adds up the visitors of days from the start of the previous window to the end of the range: correct if no visitor id outlives its day.
 * Whole runs of days come from rollups. The unfinished run is one plan and today another: the first is the same for every period and
 * does not change during the day.
 */
function metricsByDay({ scope, previous }: WindowsRequest, today: LocalDate): MetricsPlan<WindowMetrics> {
  const { range } = scope;
  const { firstDay, whole } = previous;
  const rolledFrom = runStartOf(firstDay);
  const runStart = runStartOf(today);
  const nameOf = (part: DateRange) => (part.firstDay >= today ? "today" : part.firstDay >= runStart ? "days of the run" : "days before");
  const parts = cutAt(rangeOfDays(rolledFrom, range.lastDay), runStart === today ? [today] : [runStart, today]);
  return {
    plans: parts.map((part) => planOfDays(nameOf(part), within(scope, part))),
    toMetrics(numbers) {
      const days = joined(numbers).subarray(daysBetween(rolledFrom, firstDay));
      const series = days.subarray(daysBetween(firstDay, range.firstDay));
      return { visitors: sumOf(series), previous: sumOf(days.subarray(0, whole?.dayCount ?? 0)), series: listOf(series) };
    },
  };
}

function metricsByWindow({ scope, previous: { whole }, calendar }: WindowsRequest): MetricsPlan<WindowMetrics> {
  const plans = [
    scope.range.dayCount > 1 ? planOfDays("series", scope) : planOfHours(scope, calendar),
    planOfVisitors("visitors", scope),
    ...(whole ? [planOfVisitors("previous visitors", within(scope, whole))] : []),
  ];
  return {
    plans,
    toMetrics([series = new Float64Array(), visitors, previous]) {
      return { visitors: visitors?.[0] ?? 0, previous: previous?.[0] ?? 0, series: listOf(series) };
    },
  };
}

interface CutWindow {
  /** Days of one salt period. */
  readonly range: DateRange;
  /** A visitor counts if the first event is before this minute since the epoch. */
  readonly endMinute: number;
}

interface PreviousWindow {
  readonly firstDay: LocalDate;
  /** Shares no salt period with `cut`, so their visitors add up. */
  readonly whole: DateRange | null;
  /** null if the range does not include today. */
  readonly cut: CutWindow | null;
}

/**
 * The window as long as the range, the fewest whole weeks earlier that avoid an overlap: the dashboard's default comparison
 * (docs/reports.md, "Comparison"). If the range includes today, the window ends at the current minute of the day.
 */
export function previousWindow(range: DateRange, nowMs: EpochMs, calendar: Calendar, rotationDays: number): PreviousWindow {
  const today = calendar.dateOf(nowMs);
  const offsetDays = daysOfWholeWeeks(range.dayCount);
  const firstDay = addDays(range.firstDay, -offsetDays);
  if (today < range.firstDay || range.lastDay < today)
    return { firstDay, whole: rangeOfDays(firstDay, addDays(range.lastDay, -offsetDays)), cut: null };
  const cutDay = addDays(today, -offsetDays);
  const periodStart = firstDateOfPeriod(periodOf(cutDay, rotationDays), rotationDays);
  const cutStart = periodStart > firstDay ? periodStart : firstDay;
  const endMs = whenClockShows(cutDay, localTimeOf(nowMs, calendar) - startOfDayMs(today), calendar);
  return {
    firstDay,
    whole: cutStart > firstDay ? rangeOfDays(firstDay, addDays(cutStart, -1)) : null,
    cut: { range: rangeOfDays(cutStart, cutDay), endMinute: Math.floor(endMs / MINUTE_MS) },
  };
}

export interface SiteMetrics {
  readonly current_visitors: number;
  readonly visitors: number;
  readonly previous_visitors: number;
  readonly series: readonly number[];
}

export interface MetricsRequest {
  /** All visits of the range that count. */
  readonly scope: Scope;
  readonly nowMs: EpochMs;
  readonly calendar: Calendar;
}

export interface MetricsSettings {
  readonly rotationDays: number;
  readonly realtimeWindowMinutes: number;
}

const pairs = (rows: readonly SqlRow[] = []): Float64Array =>
  Float64Array.from(rows.flatMap((row) => [numberIn(row, "bucket"), numberIn(row, "visitors")]));

function visitorsOf(numbers: Float64Array = new Float64Array(), counts: (bucket: number) => boolean): number {
  let visitors = 0;
  for (let i = 0; i < numbers.length; i += 2) if (counts(numbers[i] ?? 0)) visitors += numbers[i + 1] ?? 0;
  return visitors;
}

function visitorsBeforeCut(scope: Scope, cut: CutWindow | null): MetricsPlan<number> {
  if (!cut) return { plans: [], toMetrics: () => 0 };
  const ofCut = within(scope, cut.range);
  return {
    plans: [{ ...ofCut, name: "first visits", queries: [visitsByFirstMinute(ofCut)], toNumbers: pairs }],
    toMetrics: ([firstVisits]) => visitorsOf(firstVisits, (minute) => minute < cut.endMinute),
  };
}

function currentVisitors({ scope, nowMs, calendar }: MetricsRequest, realtimeWindowMinutes: number): MetricsPlan<number> {
  const startMs = nowMs - realtimeWindowMinutes * MINUTE_MS;
  const present = within(scope, rangeOfDays(calendar.dateOf(startMs), calendar.dateOf(nowMs)));
  // The numbers stay valid while time passes: without new events, visits only drop out, which `toMetrics` decides.
  const plan: NumbersPlan = { ...present, name: "last visits", queries: [visitsByLastInstant(present, startMs)], toNumbers: pairs };
  return { plans: [plan], toMetrics: ([lastVisits]) => visitorsOf(lastVisits, (lastMs) => lastMs >= startMs) };
}

export function sitePlan(request: MetricsRequest, { rotationDays, realtimeWindowMinutes }: MetricsSettings): MetricsPlan<SiteMetrics> {
  const { scope, nowMs, calendar } = request;
  const { range } = scope;
  const compared = previousWindow(range, nowMs, calendar, rotationDays);
  const windowsRequest = { scope, previous: compared, calendar };
  const doDaysAddUp = rotationDays === 1 && range.dayCount > 1;
  const windows = doDaysAddUp ? metricsByDay(windowsRequest, calendar.dateOf(nowMs)) : metricsByWindow(windowsRequest);
  const beforeCut = visitorsBeforeCut(scope, compared.cut);
  const current = currentVisitors(request, realtimeWindowMinutes);
  return {
    plans: [...windows.plans, ...beforeCut.plans, ...current.plans],
    toMetrics(numbers) {
      const rest = numbers.slice(windows.plans.length);
      const { visitors, previous, series } = windows.toMetrics(numbers.slice(0, windows.plans.length));
      return {
        current_visitors: current.toMetrics(rest.slice(beforeCut.plans.length)),
        visitors,
        previous_visitors: previous + beforeCut.toMetrics(rest.slice(0, beforeCut.plans.length)),
        series,
      };
    },
  };
}
