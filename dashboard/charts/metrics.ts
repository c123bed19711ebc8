/** Metrics: their formula over the totals of a period, their format, and the report with their values by bucket. */
import type { Values } from "../format/change.ts";
import { compactCount, compactMoney, formatAverage, formatDuration, formatMoney, formatRate } from "../format/locale.ts";
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
  | "conversion_rate"
  | "revenue";

/** Totals of a report or of its comparison. */
type Totals = Omit<NonNullable<MainReport["comparison"]>, "start_date" | "end_date" | "ends_at">;

export interface MetricInfo {
  readonly format: (value: number) => string;
  /** Where `format` leaves digits out. */
  readonly exact?: (value: number) => string;
  /**
   * null if unknown. `everybody` has the totals without filters on events; it is null until loaded, and unless a conversion rate is shown.
   */
  readonly value: (totals: Totals, everybody: { unique_visitors: number } | null) => number | null;
  readonly isLessBetter?: boolean;
  /** Changes in points. */
  readonly isRate?: boolean;
  /** The report with the values by bucket, its parameters, and the field. */
  readonly series: "timeseries" | "session-timeseries";
  readonly parameters?: { readonly include: "events" } | { readonly include: "revenue"; readonly currency: string };
  readonly field: string;
}

export const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** Metrics of the report `timeseries`. */
const byTime = (field: string, format: MetricInfo["format"], value: MetricInfo["value"]): MetricInfo => ({
  series: "timeseries",
  field,
  format,
  value,
});

const bySession = (field: string, format: MetricInfo["format"], value: MetricInfo["value"]): MetricInfo => ({
  ...byTime(field, format, value),
  series: "session-timeseries",
});

export const METRICS: Readonly<Record<Exclude<Metric, "revenue">, MetricInfo>> = {
  visitors: byTime("visitors", compactCount, (totals) => totals.unique_visitors),
  visits: bySession("sessions", compactCount, (totals) => totals.total_sessions),
  pageviews: byTime("pageviews", compactCount, (totals) => totals.total_pageviews),
  views_per_visit: bySession("views_per_visit", formatAverage, ({ views_per_visit = null }) => views_per_visit),
  bounce_rate: { ...bySession("bounce_rate", formatRate, (totals) => totals.bounce_rate), isLessBetter: true, isRate: true },
  visit_duration: bySession("avg_visit_duration_secs", formatDuration, (totals) => totals.avg_visit_duration_secs),
  unique_conversions: byTime("visitors", compactCount, (totals) => totals.unique_visitors),
  total_conversions: { ...byTime("events", compactCount, (totals) => totals.total_events), parameters: { include: "events" } },
  // `useMetricSeries` computes the field.
  conversion_rate: {
    ...byTime("conversion_rate", formatRate, (totals, everybody) => everybody && ratio(totals.unique_visitors, everybody.unique_visitors)),
    isRate: true,
  },
};

/** `totalsOf` takes its totals from a report of their own. */
export const revenueIn = (currency: string): MetricInfo => ({
  ...byTime(
    "revenue",
    (amount) => compactMoney(amount, currency),
    () => null,
  ),
  exact: (amount) => formatMoney(amount, currency),
  parameters: { include: "revenue", currency },
});

/** How the values of a metric are compared. Compact counts hide changes that are worth showing. */
export const comparedAs = ({ format, exact, isLessBetter, isRate }: MetricInfo): Pick<Values, "isLessBetter" | "isRate" | "written"> => ({
  isLessBetter,
  isRate,
  written: format === compactCount || exact ? undefined : format,
});
