/** A metric's values by bucket. The conversion rate is computed from two series: of the conversions and of all visitors. */
import { useMemo, useRef } from "preact/hooks";
import type { Parameters } from "../api/http.ts";
import { useReport, type Report } from "../state/use-report.ts";
import { everybodyScope } from "../state/scope.ts";
import { ratio } from "./metrics.ts";
import type { ShownMetric } from "./shown-metrics.ts";

export type SeriesRow = Readonly<Record<string, string | number>> & { readonly date: string };

/** Each bucket of conversions with `conversion_rate`. */
const withRates = (conversions: readonly SeriesRow[], everybody: readonly SeriesRow[]): SeriesRow[] =>
  conversions.map((bucket, i) => ({
    ...bucket,
    conversion_rate: ratio(Number(bucket["visitors"]), Number(everybody[i]?.["visitors"] ?? 0)),
  }));

/** After a change of the metric, the data is another report's until the new one has loaded. */
const ofMetric = (data: unknown, field: string): readonly SeriesRow[] | undefined => {
  const buckets = data as readonly SeriesRow[] | undefined;
  return buckets?.[0] !== undefined && field in buckets[0] ? buckets : undefined;
};

/** `parameters` are those of the range and the filters; null fetches nothing. */
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
    retry: report.error ? report.retry : everybody.retry,
  };
}
