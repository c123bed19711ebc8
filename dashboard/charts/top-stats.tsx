/** The stats on top: six totals, each a button that selects the metric of the chart. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Failure } from "../components/states.tsx";
import { formatCount, formatRange } from "../format/locale.ts";
import type { Report } from "../state/use-report.ts";
import { comparison, isFiltered, navigate, param } from "../state/view.ts";
import { Change } from "./change.tsx";
import { METRIC_IDS, METRICS, type MainReport, type Metric } from "./metrics.ts";

/** The total that shares in the cards are of; null until loaded. */
export const totalVisitors = signal<number | null>(null);

export const chosenMetric = (): Metric => METRIC_IDS.find((metric) => metric === param("metric")) ?? "visitors";

function StatChange({ metric, data }: { readonly metric: Metric; readonly data: MainReport }) {
  const { now: nowOf, before: beforeOf, format, isLessBetter } = METRICS[metric];
  const compared = comparison.value === "none" ? undefined : data.comparison;
  const now = nowOf(data);
  const before = compared ? beforeOf(compared, isFiltered.value) : null;
  if (!compared || now === null || before === null) return null;
  const title = `${format(before)} in ${formatRange(compared.start_date, compared.end_date)}`;
  return <Change now={now} before={before} isLessBetter={isLessBetter} title={title} />;
}

function TopStat({ metric, data }: { readonly metric: Metric; readonly data: MainReport | undefined }) {
  const { title, definition, format, now: nowOf } = METRICS[metric];
  const now = data ? nowOf(data) : null;
  const isChosen = chosenMetric() === metric;
  return (
    <button
      type="button"
      class={isChosen ? "top-stat chosen" : "top-stat"}
      aria-pressed={isChosen}
      data-metric={metric}
      title={definition}
      disabled={data !== undefined && now === null}
      onClick={() => navigate({ metric: metric === "visitors" ? null : metric })}
    >
      <span class="top-stat-title">{title}</span>
      <span class="top-stat-value" title={now !== null && Number.isInteger(now) ? formatCount(now) : undefined}>
        {now === null ? "–" : format(now)}
      </span>
      <span class="top-stat-change">{data && <StatChange metric={metric} data={data} />}</span>
    </button>
  );
}

export function TopStats({ report }: { readonly report: Report<MainReport> }) {
  const { data, error, isStale } = report;
  useEffect(() => {
    totalVisitors.value = data?.unique_visitors ?? null;
  }, [data]);
  if (error) return <Failure report={report} />;
  return (
    <div
      class={isStale ? "top-stats stale" : "top-stats"}
      aria-busy={isStale || data === undefined}
      role="group"
      aria-label="Stats of the period"
    >
      {METRIC_IDS.map((metric) => (
        <TopStat key={metric} metric={metric} data={data} />
      ))}
    </div>
  );
}
