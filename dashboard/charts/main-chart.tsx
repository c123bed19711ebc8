/** The chosen metric over time against the compared period: as a line chart with a tooltip, or as a table. */
import { useMemo, useState } from "preact/hooks";
import { ReportView } from "../components/states.tsx";
import { formatBucket, formatHour, formatRange, formatShortDay, isHourBucket } from "../format/locale.ts";
import type { Range } from "../state/range.ts";
import { COMPARISON_LABELS } from "../shell/comparison-picker.tsx";
import { comparedRange, comparison, navigate, param, scope, today } from "../state/view.ts";
import { Change } from "./change.tsx";
import { ChartTable } from "./chart-table.tsx";
import { LineChart, type ChartPoint } from "./line-chart.tsx";
import { chosenMetric, type ShownMetric } from "./shown-metrics.ts";
import { useMetricSeries, type Bucket } from "./use-metric-series.ts";

function currentBucket(isHourly: boolean): string {
  const now = new Date().toISOString();
  return isHourly ? `${now.slice(0, 10)} ${now.slice(11, 13)}:00` : now.slice(0, 10);
}

/** Whether the other series has events, and buckets of the same size. */
const isComparable = (buckets: readonly Bucket[], compared: readonly Bucket[]): boolean =>
  isHourBucket(buckets[0]?.date ?? "") === isHourBucket(compared[0]?.date ?? "") &&
  compared.some(({ visitors, sessions }) => Number(visitors ?? sessions) > 0);

/** Future buckets have no value. */
function pointsOf(buckets: readonly Bucket[], comparedBuckets: readonly Bucket[], field: string): ChartPoint[] {
  const compared = isComparable(buckets, comparedBuckets) ? comparedBuckets : [];
  const isHourly = isHourBucket(buckets[0]?.date ?? "");
  const current = currentBucket(isHourly);
  return buckets.map((bucket, i) => {
    const before = compared[i];
    return {
      label: bucket.date,
      tick: isHourly ? formatHour(bucket.date) : formatShortDay(bucket.date),
      value: bucket.date > current ? null : Number(bucket[field]),
      before: before === undefined ? null : { label: before.date, value: Number(before[field]) },
    };
  });
}

interface ChartProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
}

function ChartTooltip({ metric, point: { label, value, before } }: { readonly metric: ShownMetric; readonly point: ChartPoint }) {
  const { title, format, isLessBetter } = metric;
  return (
    <>
      <span class="tooltip-title">{title}</span>
      <span class="tooltip-line">
        <i class="swatch now" /> {formatBucket(label)} <strong>{value === null ? "–" : format(value)}</strong>
      </span>
      {before && (
        <span class="tooltip-line">
          <i class="swatch before" /> {formatBucket(before.label)} <strong>{format(before.value)}</strong>
        </span>
      )}
      {before && value !== null && label !== currentBucket(isHourBucket(label)) && (
        <Change now={value} before={before.value} isLessBetter={isLessBetter} />
      )}
    </>
  );
}

const showDay = (day: string): void => navigate({ start: day, end: day, period: null });

function summaryOf({ metric, points }: ChartProps): string {
  const { title, format } = metric;
  const values = points.flatMap(({ value }) => value ?? []);
  return values.length === 0 ? title : `${title}: highest ${format(Math.max(...values))}, lowest ${format(Math.min(...values))}`;
}

function ChartView({ metric, points }: ChartProps) {
  const [hovered, setHovered] = useState<{ readonly index: number; readonly left: number } | null>(null);
  const isHourly = isHourBucket(points[0]?.label ?? "");
  const point = hovered === null ? undefined : points[hovered.index];
  return (
    <figure class="main-chart" aria-label={summaryOf({ metric, points })}>
      <LineChart
        points={points}
        isUnfinished={points.some(({ label }) => label === currentBucket(isHourly))}
        format={metric.format}
        onHover={(index, left) => setHovered(index === null || left < 0 ? null : { index, left })}
        onChoose={isHourly || points.length < 2 ? null : (index) => showDay(points[index]?.label ?? today.value)}
      />
      {point && hovered && (
        <div
          class="tooltip chart-tooltip"
          style={{ left: `${hovered.left}px` }}
          data-side={hovered.index > points.length / 2 ? "left" : "right"}
        >
          <ChartTooltip metric={metric} point={point} />
        </div>
      )}
    </figure>
  );
}

/** The metric's series as points; no data until it has loaded. */
function useSeries(metric: ShownMetric, compared: Range | null) {
  const { field } = metric;
  const report = useMetricSeries(metric, scope.value);
  const comparedReport = useMetricSeries(
    metric,
    compared && { site_id: scope.value.site_id, start_date: compared.start, end_date: compared.end, filters: scope.value.filters },
  );
  const buckets = report.data;
  const comparedBuckets = compared ? comparedReport.data : undefined;
  const points = useMemo(() => buckets && pointsOf(buckets, comparedBuckets ?? [], field), [buckets, comparedBuckets, field]);
  return { ...report, data: points };
}

export function MainChart() {
  const metric = chosenMetric();
  const compared = comparedRange.value;
  const report = useSeries(metric, compared);
  const comparedTitle = report.data?.some(({ before }) => before) ? COMPARISON_LABELS[comparison.value] : null;
  const beforeTitle = compared && comparedTitle && `${comparedTitle} (${formatRange(compared.start, compared.end)})`;
  const isTable = param("chart") === "table";
  return (
    <div class="chart-place">
      <div class="chart-foot">
        {comparedTitle !== null && (
          <span class="legend">
            <i class="swatch now" /> This period <i class="swatch before" /> {comparedTitle}
          </span>
        )}
        <button type="button" class="link" aria-pressed={isTable} onClick={() => navigate({ chart: isTable ? null : "table" })}>
          {isTable ? "Show as chart" : "Show as table"}
        </button>
      </div>
      <ReportView report={report} rows={1}>
        {(points) =>
          isTable ? (
            <ChartTable metric={metric} points={points} beforeTitle={beforeTitle} onDay={showDay} />
          ) : (
            <ChartView metric={metric} points={points} />
          )
        }
      </ReportView>
    </div>
  );
}
