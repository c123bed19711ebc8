/** The metrics shown under the filters: their names, totals and values by bucket (docs/reports.md, "Metrics under filters"). */
import { useMemo, useRef } from "preact/hooks";
import type { Parameters } from "../api/http.ts";
import { convertedFilters, hasGoals, shownCurrency, type Conversions } from "../state/conversions.ts";
import { countsConversions, type FilterKind } from "../state/filters.ts";
import { useReport, type Report } from "../state/requests.ts";
import { everybodyScope } from "../state/scope.ts";
import { isWindowWhole, type MainReport } from "../state/statistics.ts";
import { param } from "../state/url.ts";
import { filterKind, hasConversionRates } from "../state/view-filters.ts";
import { fill, words } from "../words/words.ts";
import { METRICS, ratio, revenueIn, type Metric, type MetricInfo } from "./metrics.ts";

export interface ShownMetric extends MetricInfo {
  readonly id: Metric;
  readonly title: string;
  readonly definition: string;
}

const metric = (id: Exclude<Metric, "revenue">, title: string, definition: string): ShownMetric => ({
  ...METRICS[id],
  id,
  title,
  definition,
});

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

/** A site with goals has a conversion rate without a filter on one, a site with revenue that of one currency. */
function ofGoals(): readonly ShownMetric[] {
  const currency = shownCurrency.value;
  return [
    ...(hasGoals.value && !countsConversions(filterKind.value)
      ? [metric("conversion_rate", words.metrics.conversionRate, words.goals.rateDefinition)]
      : []),
    ...(currency === null
      ? []
      : [
          {
            ...revenueIn(currency),
            id: "revenue" as const,
            title: words.cards.revenue,
            definition: fill(words.goals.revenueDefinition, { currency }),
          },
        ]),
  ];
}

export const shownMetrics = (): readonly ShownMetric[] => [
  ...SHOWN[filterKind.value].filter(({ id }) => id !== "conversion_rate" || hasConversionRates.value),
  ...ofGoals(),
];

/** Falls back to the first metric. */
export const chosenMetric = (): ShownMetric => shownMetrics().find(({ id }) => id === param("metric")) ?? SHOWN[filterKind.value][0];

export interface MetricTotals {
  /** null if unknown. */
  readonly now: number | null;
  /** null without a comparison, or if the compared window is incomplete or empty. */
  readonly before: number | null;
}

const convertedShare = (main: { readonly unique_visitors: number }, converted: { readonly unique_visitors: number } | undefined) =>
  converted === undefined ? null : ratio(converted.unique_visitors, main.unique_visitors);

/** Values now, and in the compared window. */
type Both = readonly [now: number | null, before: number | null];

function revenueBoth({ revenue }: Conversions): Both {
  const row = revenue.data?.by_currency.find(({ currency }) => currency === shownCurrency.value);
  return revenue.data ? [row?.total ?? 0, row ? (row.comparison?.total ?? null) : 0] : [null, null];
}

function rateBoth({ rated }: Conversions): Both {
  if (rated === null) return [null, null];
  const { main, converted } = rated;
  return [convertedShare(main, converted), main.comparison ? convertedShare(main.comparison, converted.comparison) : null];
}

const isOwnRate = ({ id }: ShownMetric): boolean => id === "conversion_rate" && !countsConversions(filterKind.value);

/** `everybody` has the totals without filters on events; only conversion rates under such a filter need it. */
export function totalsOf(shown: ShownMetric, data: MainReport, everybody: MainReport | undefined, conversions: Conversions): MetricTotals {
  const window = isWindowWhole() ? data.comparison : undefined;
  const compared = window && window.total_events > 0 ? window : undefined;
  const own = shown.id === "revenue" ? revenueBoth(conversions) : isOwnRate(shown) ? rateBoth(conversions) : null;
  if (own) return { now: own[0], before: compared ? own[1] : null };
  return {
    now: shown.value(data, everybody ?? null),
    before: compared ? shown.value(compared, everybody?.comparison ?? null) : null,
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
export function useMetricSeries(shownMetric: ShownMetric, parameters: Parameters | null): Report<readonly SeriesRow[]> {
  const { id, series, field, parameters: own } = shownMetric;
  const isRate = id === "conversion_rate";
  const isOwn = isOwnRate(shownMetric);
  const converted = isOwn && { filters: convertedFilters() };
  const report = useReport(series, parameters && { ...parameters, ...own, ...converted });
  const { segment, filters } = everybodyScope.value;
  const ofEverybody = isOwn ? {} : { segment, filters };
  const everybody = useReport(series, isRate && parameters ? { ...parameters, ...ofEverybody } : null);
  const buckets = ofMetric(report.data, isRate ? "visitors" : field);
  const all = ofMetric(everybody.data, "visitors");
  const isStale = report.isStale || everybody.isStale;
  // Of one view: those that were shown stay until both others are there.
  const rates = useMemo(
    () => (isRate && !isStale && buckets && all ? withRates(buckets, all) : undefined),
    [isRate, isStale, buckets, all],
  );
  const shown = useRef<{ readonly rates: readonly SeriesRow[]; readonly isOwn: boolean } | null>(null);
  if (rates) shown.current = { rates, isOwn };
  // The rate of any goal does not stay in place of that of one.
  else if (shown.current?.isOwn !== isOwn) shown.current = null;
  if (!isRate) return { ...report, data: buckets };
  return {
    data: shown.current?.rates,
    leftOut: [...report.leftOut, ...everybody.leftOut],
    isStale,
    error: report.error ?? everybody.error,
    reading: report.reading ?? everybody.reading,
    retry: report.error ? report.retry : everybody.retry,
  };
}
