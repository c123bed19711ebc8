/** The metrics shown under the filters: their names, totals and values by bucket (docs/reports.md, "Metrics under filters"). */
import { useMemo, useRef } from "preact/hooks";
import type { Parameters } from "../api/http.ts";
import type { FilterKind } from "../state/filters.ts";
import { useReport, type Report } from "../state/requests.ts";
import { everybodyScope } from "../state/scope.ts";
import { isWindowWhole, type MainReport } from "../state/statistics.ts";
import { param } from "../state/url.ts";
import { filterKind, hasConversionRates } from "../state/view-filters.ts";
import { METRICS, ratio, type Metric, type MetricInfo } from "./metrics.ts";

export interface ShownMetric extends MetricInfo {
  readonly id: Metric;
  readonly title: string;
  readonly definition: string;
}

const metric = (id: Metric, title: string, definition: string): ShownMetric => ({ ...METRICS[id], id, title, definition });

const LAST_PAGE = "Time spent on the last page is not measured.";

const SHOWN: Readonly<Record<FilterKind, readonly [ShownMetric, ...ShownMetric[]]>> = {
  visitors: [
    metric("visitors", "Unique visitors", "People, counted once per day: nobody is recognized the next day, unless configured otherwise."),
    metric("visits", "Visits", "Sessions of a visitor, ending after 30 minutes of inactivity unless configured otherwise."),
    metric("pageviews", "Pageviews", "Total page loads and navigations, including repeated views of a page."),
    metric("views_per_visit", "Views per visit", "Pageviews divided by visits."),
    metric("bounce_rate", "Bounce rate", "Share of visits with a single pageview and no other event. Lower is better."),
    metric("visit_duration", "Visit duration", `Average time from the first to the last event of a visit. ${LAST_PAGE}`),
  ],
  events: [
    metric("visitors", "Unique visitors", "Visitors with at least one pageview or event that matches the filters."),
    metric("visits", "Visits", "Visits with at least one pageview or event that matches the filters."),
    metric(
      "pageviews",
      "Matching pageviews",
      "Pageviews that match the filters, including repeated views. Other views of these visits are not in it.",
    ),
    metric(
      "views_per_visit",
      "Pages per visit",
      "All pageviews of these visits, whether they match the filters or not, divided by visits.",
    ),
    metric("bounce_rate", "Bounce rate", "Share of these visits with a single pageview and no other event. Lower is better."),
    metric("visit_duration", "Visit duration", `Average time from the first to the last event of these visits. ${LAST_PAGE}`),
  ],
  goal: [
    metric("unique_conversions", "Unique conversions", "Visitors with at least one conversion: an event that matches the filters."),
    metric("total_conversions", "Total conversions", "All events that match the filters, including repeated ones of a visitor."),
    metric(
      "conversion_rate",
      "Conversion rate",
      "Unique conversions divided by all unique visitors. Filters other than the event's apply to both.",
    ),
  ],
  converting: [
    metric("unique_conversions", "Unique conversions", "Visitors with at least one visit that reaches the goal and matches the filters."),
    metric(
      "conversion_rate",
      "Conversion rate",
      "Unique conversions divided by all unique visitors. Filters other than the goal's apply to both.",
    ),
    metric("visits", "Converting visits", "Visits that reach the goal and match the filters."),
    metric("views_per_visit", "Pages per visit", "All pageviews of these visits divided by visits."),
    metric("visit_duration", "Visit duration", `Average time from the first to the last event of these visits. ${LAST_PAGE}`),
  ],
};

export const shownMetrics = (): readonly ShownMetric[] =>
  SHOWN[filterKind.value].filter(({ id }) => id !== "conversion_rate" || hasConversionRates.value);

/** Falls back to the first metric. */
export const chosenMetric = (): ShownMetric => shownMetrics().find(({ id }) => id === param("metric")) ?? SHOWN[filterKind.value][0];

export interface MetricTotals {
  /** null if unknown. */
  readonly now: number | null;
  /** null without a comparison, or if the compared window is incomplete or empty. */
  readonly before: number | null;
}

/** `everybody` has the totals without filters on events; only conversion rates need it. */
export function totalsOf({ value }: ShownMetric, data: MainReport, everybody: MainReport | undefined): MetricTotals {
  const compared = isWindowWhole() ? data.comparison : undefined;
  return {
    now: value(data, everybody ?? null),
    before: compared && compared.total_events > 0 ? value(compared, everybody?.comparison ?? null) : null,
  };
}

export type SeriesRow = Readonly<Record<string, string | number>> & { readonly date: string };

/** Adds `conversion_rate` to each bucket. */
const withRates = (conversions: readonly SeriesRow[], everybody: readonly SeriesRow[]): SeriesRow[] =>
  conversions.map((bucket, i) => ({
    ...bucket,
    conversion_rate: ratio(Number(bucket["visitors"]), Number(everybody[i]?.["visitors"] ?? 0)),
  }));

/** Undefined after a change of the metric, until data of the new report has loaded. */
const ofMetric = (data: unknown, field: string): readonly SeriesRow[] | undefined => {
  const buckets = data as readonly SeriesRow[] | undefined;
  return buckets?.[0] !== undefined && field in buckets[0] ? buckets : undefined;
};

/** Computes the conversion rate from two series. `parameters` select range and filters; null fetches nothing. */
export function useMetricSeries(
  { id, series, field, parameters: own }: ShownMetric,
  parameters: Parameters | null,
): Report<readonly SeriesRow[]> {
  const isRate = id === "conversion_rate";
  const report = useReport(series, parameters && { ...parameters, ...own });
  const { segment, filters } = everybodyScope.value;
  const everybody = useReport(series, isRate && parameters ? { ...parameters, segment, filters } : null);
  const buckets = ofMetric(report.data, isRate ? "visitors" : field);
  const all = ofMetric(everybody.data, "visitors");
  const isStale = report.isStale || everybody.isStale;
  // Of one view: those that were shown stay until both others are there.
  const rates = useMemo(
    () => (isRate && !isStale && buckets && all ? withRates(buckets, all) : undefined),
    [isRate, isStale, buckets, all],
  );
  const shown = useRef<readonly SeriesRow[] | undefined>(undefined);
  shown.current = isRate ? (rates ?? shown.current) : undefined;
  if (!isRate) return { ...report, data: buckets };
  return {
    data: shown.current,
    isStale,
    error: report.error ?? everybody.error,
    reading: report.reading ?? everybody.reading,
    retry: report.error ? report.retry : everybody.retry,
  };
}
