/** The metrics of one site in an overview: which numbers they are computed from, and how (docs/reports.md, "Overview"). */
import type { Calendar } from "../../../storage/calendar.ts";
import type { EpochMs, SiteId } from "../../../storage/event.ts";
import type { NumbersPlan } from "../../results/unchanged-results.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { numberIn } from "../../query/row-values.ts";
import type { SqlRow } from "../../query/sql.ts";
import { MINUTE_MS } from "../measures/recent-activity.ts";
import { previousWindow, type CutWindow } from "./overview-windows.ts";
import { visitsByFirstMinute, visitsByLastInstant } from "./visit-queries.ts";
import { metricsByDay, metricsByWindow, type MetricsPlan } from "./window-metrics.ts";

export interface SiteMetrics {
  readonly current_visitors: number;
  readonly visitors: number;
  readonly previous_visitors: number;
  readonly series: readonly number[];
}

export interface MetricsRequest {
  readonly siteId: SiteId;
  readonly range: DateRange;
  readonly nowMs: EpochMs;
  readonly calendar: Calendar;
}

export interface MetricsSettings {
  /** Days of a salt period. */
  readonly rotationDays: number;
  readonly realtimeWindowMinutes: number;
}

/** Pairs of a bucket and its visitors. */
const pairs = (rows: readonly SqlRow[] = []): Float64Array =>
  Float64Array.from(rows.flatMap((row) => [numberIn(row, "bucket"), numberIn(row, "visitors")]));

/** The visitors of the buckets that count. */
function visitorsOf(numbers: Float64Array = new Float64Array(), counts: (bucket: number) => boolean): number {
  let visitors = 0;
  for (let i = 0; i < numbers.length; i += 2) if (counts(numbers[i] ?? 0)) visitors += numbers[i + 1] ?? 0;
  return visitors;
}

function visitorsBeforeCut(siteId: SiteId, cut: CutWindow | null): MetricsPlan<number> {
  if (!cut) return { plans: [], toMetrics: () => 0 };
  return {
    plans: [{ siteId, range: cut.range, name: "first visits", queries: [visitsByFirstMinute], toNumbers: pairs }],
    toMetrics: ([firstVisits]) => visitorsOf(firstVisits, (minute) => minute < cut.endMinute),
  };
}

function currentVisitors({ siteId, nowMs, calendar }: MetricsRequest, realtimeWindowMinutes: number): MetricsPlan<number> {
  const startMs = nowMs - realtimeWindowMinutes * MINUTE_MS;
  const range = rangeOfDays(calendar.dateOf(startMs), calendar.dateOf(nowMs));
  // Later, fewer of these visits are recent, and without further events none is added.
  const plan: NumbersPlan = { siteId, range, name: "last visits", queries: [visitsByLastInstant(startMs)], toNumbers: pairs };
  return { plans: [plan], toMetrics: ([lastVisits]) => visitorsOf(lastVisits, (lastMs) => lastMs >= startMs) };
}

export function sitePlan(request: MetricsRequest, { rotationDays, realtimeWindowMinutes }: MetricsSettings): MetricsPlan<SiteMetrics> {
  const { siteId, range, nowMs, calendar } = request;
  const compared = previousWindow(range, nowMs, calendar, rotationDays);
  const windowsRequest = { siteId, range, previous: compared, calendar };
  const doDaysAddUp = rotationDays === 1 && range.dayCount > 1;
  const windows = doDaysAddUp ? metricsByDay(windowsRequest, calendar.dateOf(nowMs)) : metricsByWindow(windowsRequest);
  const beforeCut = visitorsBeforeCut(siteId, compared.cut);
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
