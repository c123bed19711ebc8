/** The chosen metric over time against the compared period: as a line chart or as a table, with a sentence about it and a menu. */
import { useEffect, useMemo } from "preact/hooks";
import { ReportView } from "../kit/states.tsx";
import { formatRange } from "../format/locale.ts";
import { COMPARISON_LABELS } from "../page/comparison-picker.tsx";
import { timeZone } from "../state/known-sites.ts";
import type { Range } from "../state/range.ts";
import { localTime, UTC } from "../state/time-zone.ts";
import type { Report } from "../state/use-report.ts";
import { comparedRange, comparison, range } from "../state/period.ts";
import { scope } from "../state/scope.ts";
import { navigate, param } from "../state/url.ts";
import { hasInterval, intervalFor, isOfClock, serviceInterval, type Bucket, type Interval } from "./buckets.ts";
import { ChartMenu } from "./chart-menu.tsx";
import { ChartTable } from "./chart-table.tsx";
import { ChartView } from "./chart-view.tsx";
import { IntervalMenu } from "./interval-menu.tsx";
import { totalsOf } from "./metric-totals.ts";
import type { MainReport } from "./metrics.ts";
import { pointsOf, type ChartPoint } from "./points.ts";
import { chosenMetric, type ShownMetric } from "./shown-metrics.ts";
import { isCounted, SummaryLine } from "./summary-line.tsx";
import { useMetricSeries } from "./use-metric-series.ts";

/** A shorter range has its own default interval. */
const openBucket = ({ start, end }: Bucket): void => navigate({ start, end, period: null, interval: null });

/** As a parameter, which the service needs for another interval than its own. */
const intervalParameter = (interval: Interval, of: Range) => (interval === serviceInterval(of) ? null : interval);

/** The metric's series as points; no data until it has loaded. */
function useSeries(metric: ShownMetric, interval: Interval): Report<readonly ChartPoint[]> {
  const current = range.value;
  const compared = comparedRange.value && hasInterval(comparedRange.value, interval) ? comparedRange.value : null;
  const { site_id, segment, filters } = scope.value;
  const report = useMetricSeries(metric, { ...scope.value, interval: intervalParameter(interval, current) });
  const comparedReport = useMetricSeries(
    metric,
    compared && {
      site_id,
      segment,
      filters,
      start_date: compared.start,
      end_date: compared.end,
      interval: intervalParameter(interval, compared),
    },
  );
  const rows = report.data;
  const comparedRows = compared ? comparedReport.data : undefined;
  // The range and the interval are those of the rows: points stay as they are until others have loaded.
  const points = useMemo(() => {
    const before = compared && comparedRows ? { rows: comparedRows, range: compared } : null;
    const clock = { time: localTime(timeZone.value, Date.now()), timeZone: timeZone.value };
    return rows && pointsOf({ rows, range: current }, before, metric.field, interval, clock);
  }, [rows, comparedRows, metric.field]);
  return { ...report, data: points };
}

const Legend = ({ comparedTitle }: { readonly comparedTitle: string }) => (
  <span class="legend">
    <i class="swatch now" /> This period <i class="swatch before" /> {comparedTitle}
  </span>
);

interface MainChartProps {
  readonly main: Report<MainReport>;
  /** The same report without the filters on events; fetched only for a conversion rate. */
  readonly everybody: Report<MainReport>;
}

export function MainChart({ main, everybody }: MainChartProps) {
  const metric = chosenMetric();
  const compared = comparedRange.value;
  const interval = intervalFor(range.value, param("interval"));
  const report = useSeries(metric, interval);
  useEffect(() => {
    // Of another period.
    if (param("interval") !== null && param("interval") !== interval) navigate({ interval: null }, true);
  });
  const totals = main.data && totalsOf(metric, main.data, everybody.data);
  const comparedTitle = report.data?.some(({ before }) => before) ? COMPARISON_LABELS[comparison.value] : null;
  const beforeTitle = compared && comparedTitle && `${comparedTitle} (${formatRange(compared.start, compared.end)})`;
  const isTable = param("chart") === "table";
  const isCurrent = !report.isStale && !main.isStale;
  return (
    <div class="chart-place">
      <div class="chart-foot">
        {isCurrent && report.data && totals && isCounted(metric.field) && (
          <SummaryLine field={metric.field} points={report.data} interval={interval} totals={totals} onOpen={openBucket} />
        )}
        {comparedTitle !== null && <Legend comparedTitle={comparedTitle} />}
        {isOfClock(interval) && timeZone.value !== UTC && <span class="legend">Times in {timeZone.value}</span>}
        <div class="chart-tools">
          <IntervalMenu interval={interval} />
          <button type="button" class="link" aria-pressed={isTable} onClick={() => navigate({ chart: isTable ? null : "table" })}>
            {isTable ? "Show as chart" : "Show as table"}
          </button>
          <ChartMenu metric={metric} points={report.data} totals={totals} />
        </div>
      </div>
      <ReportView report={report} rows={1}>
        {(points) =>
          isTable ? (
            <ChartTable metric={metric} points={points} interval={interval} beforeTitle={beforeTitle} onOpen={openBucket} />
          ) : (
            <ChartView metric={metric} points={points} interval={interval} onOpen={openBucket} />
          )
        }
      </ReportView>
    </div>
  );
}
