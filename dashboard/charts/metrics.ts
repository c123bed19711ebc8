/** Metrics: their formula over the totals of a period, their format, and the report with their values by bucket. */
import { compactCount, formatAverage, formatDuration, formatRate } from "../format/locale.ts";
import type { MainReport } from "../state/statistics.ts";

export type Metric =
  | "visitors"
  | "visits"
  | "pageviews"
  | "views_per_visit"
  | "bounce_rate"
  | "visit_duration"
  | "unique_conversions"
  | "total_conversions"
  | "conversion_rate";

/** Totals of a report or of its comparison. */
type Totals = Omit<NonNullable<MainReport["comparison"]>, "start_date" | "end_date" | "ends_at">;

export interface MetricInfo {
  readonly format: (value: number) => string;
  /**
   * null if unknown. `everybody` has the totals without filters on events; it is null until loaded, and unless a conversion rate is shown.
   */
  readonly value: (totals: Totals, everybody: { unique_visitors: number } | null) => number | null;
  readonly isLessBetter?: boolean;
  /** The report with the values by bucket, its parameters, and the field. */
  readonly series: "timeseries" | "session-timeseries";
  readonly parameters?: { readonly include: "events" };
  readonly field: string;
}

export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export const METRICS: Readonly<Record<Metric, MetricInfo>> = {
  visitors: {
    format: compactCount,
    value: ({ unique_visitors }) => unique_visitors,
    series: "timeseries",
    field: "visitors",
  },
  visits: {
    format: compactCount,
    value: ({ total_sessions }) => total_sessions,
    series: "session-timeseries",
    field: "sessions",
  },
  pageviews: {
    format: compactCount,
    value: ({ total_pageviews }) => total_pageviews,
    series: "timeseries",
    field: "pageviews",
  },
  views_per_visit: {
    format: formatAverage,
    value: ({ views_per_visit = null }) => views_per_visit,
    series: "session-timeseries",
    field: "views_per_visit",
  },
  bounce_rate: {
    format: formatRate,
    value: ({ bounce_rate }) => bounce_rate,
    isLessBetter: true,
    series: "session-timeseries",
    field: "bounce_rate",
  },
  visit_duration: {
    format: formatDuration,
    value: ({ avg_visit_duration_secs }) => avg_visit_duration_secs,
    series: "session-timeseries",
    field: "avg_visit_duration_secs",
  },
  unique_conversions: {
    format: compactCount,
    value: ({ unique_visitors }) => unique_visitors,
    series: "timeseries",
    field: "visitors",
  },
  total_conversions: {
    format: compactCount,
    value: ({ total_events }) => total_events,
    series: "timeseries",
    parameters: { include: "events" },
    field: "events",
  },
  conversion_rate: {
    format: formatRate,
    value: ({ unique_visitors }, everybody) => everybody && ratio(unique_visitors, everybody.unique_visitors),
    series: "timeseries",
    // Made by `useMetricSeries`.
    field: "conversion_rate",
  },
};
