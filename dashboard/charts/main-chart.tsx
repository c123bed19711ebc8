/** The chosen figure over time, beside the time it is compared with; a tooltip, a way into each day, and a table behind it. */
import { useMemo, useState } from "preact/hooks";
import { FigureView } from "../components/states.tsx";
import { comparedRange, isHourly } from "../state/range.ts";
import { comparison, go, param, range, scope, today } from "../state/view.ts";
import { useFigure } from "../state/use-report.ts";
import { hourText, labelText, shortDay } from "../format/dates.ts";
import { ChangeArrow } from "./change-arrow.tsx";
import { LineChart, type ChartPoint } from "./line-chart.tsx";
import { changeOf, METRIC_WORDS, type Metric } from "./metrics.ts";
import { chosenMetric } from "./top-figures.tsx";

type Bucket = Readonly<Record<string, string | number>> & { readonly date: string };

/** The bucket that the present moment lies in. */
const presentLabel = (hourly: boolean): string => {
  const now = new Date().toISOString();
  return hourly ? `${now.slice(0, 10)} ${now.slice(11, 13)}:00` : now.slice(0, 10);
};

/** Buckets of the future have no value. */
function pointsOf(now: readonly Bucket[], before: readonly Bucket[], field: string, hourly: boolean): ChartPoint[] {
  const present = presentLabel(hourly);
  return now.map((bucket, i) => {
    const earlier = before[i]?.[field];
    return {
      label: bucket.date,
      tick: hourly ? hourText(bucket.date) : shortDay(bucket.date),
      value: bucket.date > present ? null : Number(bucket[field]),
      before: earlier === undefined ? null : Number(earlier),
    };
  });
}

interface Shown {
  readonly metric: Metric;
  readonly points: readonly ChartPoint[];
  readonly before: readonly Bucket[];
}

function ChartTooltip({
  metric,
  point,
  beforeLabel,
}: {
  readonly metric: Metric;
  readonly point: ChartPoint;
  readonly beforeLabel: string | undefined;
}) {
  const { title, text, isLessBetter } = METRIC_WORDS[metric];
  return (
    <>
      <span class="tooltip-title">{title}</span>
      <span class="tooltip-line">
        <i class="swatch now" /> {labelText(point.label)} <strong>{point.value === null ? "–" : text(point.value)}</strong>
      </span>
      {point.before !== null && beforeLabel !== undefined && (
        <span class="tooltip-line">
          <i class="swatch before" /> {labelText(beforeLabel)} <strong>{text(point.before)}</strong>
        </span>
      )}
      {point.before !== null && point.value !== null && <ChangeArrow change={changeOf(point.value, point.before, isLessBetter)} />}
    </>
  );
}

const drillInto = (label: string): void => go({ start: label, end: label, period: null });

function ChartTable({ metric, points, before }: Shown) {
  const { title, text } = METRIC_WORDS[metric];
  const isDaily = points[0]?.label.length === 10 && points.length > 1;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col">{title}</th>
            {before.length > 0 && <th scope="col">Compared with</th>}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.label}>
              <th scope="row">
                {isDaily ? (
                  <button type="button" class="link" onClick={() => drillInto(point.label)}>
                    {labelText(point.label)}
                  </button>
                ) : (
                  labelText(point.label)
                )}
              </th>
              <td>{point.value === null ? "–" : text(point.value)}</td>
              {before.length > 0 && <td>{point.before === null ? "–" : text(point.before)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ChartView({ metric, points, before }: Shown) {
  const [pointed, setPointed] = useState<{ readonly index: number; readonly left: number } | null>(null);
  const hourly = (points[0]?.label.length ?? 0) > 10;
  const { title, text } = METRIC_WORDS[metric];
  const point = pointed === null ? undefined : points[pointed.index];
  const isUnfinished = points.some(({ label }) => label === presentLabel(hourly));
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const summary = `${title} over time: highest ${text(Math.max(...values, 0))}, lowest ${text(Math.min(...values, Number.MAX_SAFE_INTEGER))}.`;
  return (
    <figure class="main-chart" aria-label={summary}>
      <LineChart
        points={points}
        isUnfinished={isUnfinished}
        text={text}
        onPoint={(index, left) => setPointed(index === null || left < 0 ? null : { index, left })}
        onChoose={hourly || points.length < 2 ? null : (index) => drillInto(points[index]?.label ?? today.value)}
      />
      {point && pointed && (
        <div
          class="tooltip chart-tooltip"
          style={{ left: `${pointed.left}px` }}
          data-side={pointed.index > points.length / 2 ? "left" : "right"}
        >
          <ChartTooltip metric={metric} point={point} beforeLabel={before[pointed.index]?.date} />
        </div>
      )}
    </figure>
  );
}

export function MainChart() {
  const metric = chosenMetric();
  const { series, field } = METRIC_WORDS[metric];
  const figure = useFigure(series, scope.value);
  const compared = comparison.value === "none" ? null : comparedRange(range.value, comparison.value);
  const before = useFigure(
    series,
    compared && { site_id: scope.value.site_id, start_date: compared.start, end_date: compared.end, filters: scope.value.filters },
  );
  const now = figure.data as readonly Bucket[] | undefined;
  const earlier = (compared && (before.data as readonly Bucket[] | undefined)) || undefined;
  const hourly = isHourly(range.value);
  // Of another figure's series, until this one's has come.
  const isOther = now?.[0] !== undefined && !(field in now[0]);
  const points = useMemo(
    () => (now ? pointsOf(now, earlier ?? [], field, (now[0]?.date.length ?? 0) > 10) : []),
    [now, earlier, field, hourly],
  );
  const asTable = param("chart") === "table";
  return (
    <div class="chart-place">
      <div class="chart-foot">
        {compared && (
          <span class="legend">
            <i class="swatch now" /> This period <i class="swatch before" />{" "}
            {comparison.value === "year_over_year" ? "A year ago" : "Previous period"}
          </span>
        )}
        <button type="button" class="link" aria-pressed={asTable} onClick={() => go({ chart: asTable ? null : "table" })}>
          {asTable ? "Show as chart" : "Show as table"}
        </button>
      </div>
      <FigureView figure={isOther ? { ...figure, data: undefined } : figure} rows={1}>
        {() =>
          asTable ? (
            <ChartTable metric={metric} points={points} before={earlier ?? []} />
          ) : (
            <ChartView metric={metric} points={points} before={earlier ?? []} />
          )
        }
      </FigureView>
    </div>
  );
}
