/** The metrics shown under the filters: their names, totals and values by bucket (docs/reports.md, "Metrics under filters"). */
import { useMemo, useRef } from "preact/hooks";
import type { Parameters } from "../api/http.ts";
import type { FilterKind } from "../state/filters.ts";
import { useReport, type Report } from "../state/requests.ts";
import { everybodyScope } from "../state/scope.ts";
import { isWindowWhole, type MainReport } from "../state/statistics.ts";
import { param } from "../state/url.ts";
import { filterKind, hasConversionRates } from "../state/view-filters.ts";
import { words } from "../words/words.ts";
import { METRICS, ratio, type Metric, type MetricInfo } from "./metrics.ts";

export interface ShownMetric extends MetricInfo {
  readonly id: Metric;
  readonly title: string;
  readonly definition: string;
}

const metric = (id: Metric, title: string, definition: string): ShownMetric => ({ ...METRICS[id], id, title, definition });

const SHOWN: Readonly<Record<FilterKind, readonly [ShownMetric, ...ShownMetric[]]>> = {
  visitors: [
    metric("visitors", words.metrics.visitors, words.metrics.aboutVisitors),
    metric("visits", words.metrics.visits, words.metrics.aboutVisits),
    metric("pageviews", words.metrics.pageviews, words.metrics.aboutPageviews),
    metric("views_per_visit", words.metrics.viewsPerVisit, words.metrics.aboutViewsPerVisit),
    metric("bounce_rate", words.metrics.bounceRate, words.metrics.aboutBounceRate),
    metric("visit_duration", words.metrics.duration, words.metrics.aboutDuration),
  ],
  events: [
    metric("visitors", words.metrics.visitors, words.metrics.aboutMatchingVisitors),
    metric("visits", words.metrics.visits, words.metrics.aboutMatchingVisits),
    metric("pageviews", words.metrics.matchingPageviews, words.metrics.aboutMatchingPageviews),
    metric("views_per_visit", words.metrics.pagesPerVisit, words.metrics.aboutPagesOfVisits),
    metric("bounce_rate", words.metrics.bounceRate, words.metrics.aboutTheseBounces),
    metric("visit_duration", words.metrics.duration, words.metrics.aboutTheseDurations),
  ],
  goal: [
    metric("unique_conversions", words.metrics.converted, words.metrics.aboutConverted),
    metric("total_conversions", words.metrics.totalConversions, words.metrics.aboutTotalConversions),
    metric("conversion_rate", words.metrics.conversionRate, words.metrics.aboutEventRate),
  ],
  converting: [
    metric("unique_conversions", words.metrics.converted, words.metrics.aboutGoalVisitors),
    metric("conversion_rate", words.metrics.conversionRate, words.metrics.aboutGoalRate),
    metric("visits", words.metrics.convertingVisits, words.metrics.aboutGoalVisits),
    metric("views_per_visit", words.metrics.pagesPerVisit, words.metrics.aboutGoalPages),
    metric("visit_duration", words.metrics.duration, words.metrics.aboutTheseDurations),
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
