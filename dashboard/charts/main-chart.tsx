/** The chosen metric over time against the compared period: as a line chart or as a table, with a sentence about it and a menu. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { calloutsOf, sentenceOf, useUsual, type Changes } from "../changes/changes.ts";
import { formatShortRange } from "../format/locale.ts";
import { fileNameOf, saveFile } from "../kit/download.ts";
import { lazy } from "../kit/lazy.tsx";
import { Menu } from "../kit/menu.tsx";
import { ReportView } from "../kit/states.tsx";
import { timeZone } from "../state/known-sites.ts";
import { comparedRange, range, today } from "../state/period.ts";
import type { Range } from "../state/range.ts";
import type { Report } from "../state/requests.ts";
import { scope } from "../state/scope.ts";
import type { Statistics } from "../state/statistics.ts";
import { localTime, UTC } from "../state/time-zone.ts";
import { navigate, param } from "../state/url.ts";
import { fill, words } from "../words/words.ts";
import { annotatePointed, hasAnnotations } from "./annotations.ts";
import type { ChartTableProps } from "./chart-table.tsx";
import { ChartView } from "./chart-view.tsx";
import {
  defaultInterval,
  hasInterval,
  intervalFor,
  offeredIntervals,
  pointsOf,
  serviceInterval,
  type Bucket,
  type ChartPoint,
} from "./points.ts";
import { chosenMetric, totalsOf, useMetricSeries, type MetricTotals, type ShownMetric } from "./shown-metrics.ts";

const ChartTable = lazy<ChartTableProps>(async () => (await import("./chart-table.tsx")).ChartTable);

function IntervalMenu({ interval }: { readonly interval: Interval }) {
  const offered = offeredIntervals(range.value);
  if (offered.length < 2) return null;
  const byDefault = defaultInterval(range.value);
  return (
    <Menu
      label={fill(words.charts.intervalMenu, { interval: words.charts.byInterval[interval] })}
      buttonClass="link"
      button={words.charts.byInterval[interval]}
      hasCaret
      items={offered.map((id) => ({
        label: words.charts.byInterval[id],
        isChosen: id === interval,
        onChoose: () => navigate({ interval: id === byDefault ? null : id }),
      }))}
    />
  );
}

const CONFIRMATION_MS = 4000;

interface ChartMenuProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[] | undefined;
  readonly totals: MetricTotals | undefined;
  readonly sentence: string | null;
}

/** Passes a promise to the clipboard: some browsers reject a copy that does not start within the click. */
async function copyOrSave(image: Promise<Blob>, name: string): Promise<string> {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
    return words.charts.copied;
  } catch {
    saveFile(name, await image);
    return words.charts.imageSaved;
  }
}

function ChartMenu({ metric, points, totals, sentence }: ChartMenuProps) {
  const [message, setMessage] = useState("");
  if (points === undefined || totals === undefined) return null;

  async function copy(shown: readonly ChartPoint[], of: MetricTotals) {
    const image = import("./chart-image.ts").then(({ drawImage }) => drawImage({ metric, points: shown, totals: of, sentence }));
    setMessage(await copyOrSave(image, fileNameOf(metric.id, "png")).catch(() => words.charts.noImage));
    setTimeout(() => setMessage(""), CONFIRMATION_MS);
  }

  return (
    <>
      <Menu
        label={words.charts.actions}
        buttonClass="link chart-menu"
        button={<span class="dots" aria-hidden="true" />}
        items={[
          { label: words.charts.copyImage, onChoose: () => void copy(points, totals) },
          ...(hasAnnotations() ? [{ label: words.charts.annotate, hint: "N", onChoose: annotatePointed }] : []),
        ]}
      />
      <span class="chart-message" role="status">
        {message}
      </span>
    </>
  );
}

/** The shorter range starts with its own default interval. */
const openDates = ({ start, end }: Pick<Bucket, "start" | "end">): void => navigate({ start, end, period: null, interval: null });

/** null if the service would choose the interval itself. */
const intervalParameter = (interval: Interval, of: Range) => (interval === serviceInterval(of) ? null : interval);

/** No data until the metric's series has loaded. */
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

interface MainChartProps extends Statistics {
  readonly changes: Report<Changes>;
}

export function MainChart({ main, everybody, conversions, changes }: MainChartProps) {
  const metric = chosenMetric();
  const compared = comparedRange.value;
  const interval = intervalFor(range.value, param("interval"));
  const series = useSeries(metric, interval);
  const usual = useUsual(metric.id, interval, main.data !== undefined);
  const points = useMemo(() => series.data?.map((point) => ({ ...point, usual: usual.get(point.label) })), [series.data, usual]);
  const report = { ...series, data: points };
  const callouts = useMemo(
    () => (interval === "day" && changes.data && !changes.isStale ? calloutsOf(changes.data) : []),
    [interval, changes.data, changes.isStale],
  );
  useEffect(() => {
    // Of another period.
    if (param("interval") !== null && param("interval") !== interval) navigate({ interval: null }, true);
  });
  const totals = main.data && totalsOf(metric, main.data, everybody.data, conversions);
  // While the series loads, so that nothing moves when it is there.
  const hasBefore = report.data?.some(({ before }) => before) !== false;
  const comparedDates = compared && hasBefore ? formatShortRange(compared.start, compared.end, today.value) : null;
  const isTable = param("chart") === "table";
  return (
    <div class="chart-place">
      <div class="chart-foot">
        {comparedDates !== null && (
          <span class="legend">
            <i class="swatch now" /> {formatShortRange(range.value.start, range.value.end, today.value)}
            <i class="swatch before" /> {comparedDates}
          </span>
        )}
        {isOfClock(interval) && timeZone.value !== UTC && (
          <span class="legend">{fill(words.charts.timesIn, { zone: timeZone.value })}</span>
        )}
        <div class="chart-tools">
          <IntervalMenu interval={interval} />
          <button type="button" class="link" aria-pressed={isTable} onClick={() => navigate({ chart: isTable ? null : "table" })}>
            {isTable ? words.charts.showChart : words.charts.showTable}
          </button>
          <ChartMenu metric={metric} points={report.data} totals={totals} sentence={changes.data ? sentenceOf(changes.data) : null} />
        </div>
      </div>
      <ReportView report={{ ...report, reading: report.reading ?? main.reading }} rows={1}>
        {(shown) =>
          isTable ? (
            <ChartTable metric={metric} points={shown} interval={interval} beforeTitle={comparedDates} onOpen={openDates} />
          ) : (
            <ChartView metric={metric} points={shown} interval={interval} onOpen={openDates} callouts={callouts} />
          )
        }
      </ReportView>
    </div>
  );
}
