/** The main chart: a line chart with annotation marks and a tooltip. Choosing a point opens its day, week or month. */
import { useState } from "preact/hooks";
import type { Interval } from "../../src/shared/periods.ts";
import type { Callout } from "../changes/changes.ts";
import { formatRange } from "../format/locale.ts";
import { Change } from "../kit/inline.tsx";
import { range } from "../state/period.ts";
import { canAnnotate, hasAnnotations, openAnnotations, placeOf, placeText, pointedPlace, useAnnotations } from "./annotations.ts";
import { fill, words } from "../words/words.ts";
import { comparedAs } from "./metrics.ts";
import { lazy } from "../kit/lazy.tsx";
import { LineChart, percent, type Cursor, type Layout, type Part } from "./line-chart.tsx";
import type { ChartMarksProps } from "./chart-marks.tsx";
import { isComparable, type Bucket, type ChartPoint } from "./points.ts";
import type { ShownMetric } from "./shown-metrics.ts";

const Marks = lazy<ChartMarksProps>(async () => (await import("./chart-marks.tsx")).ChartMarks);

function ChartMarks(props: Omit<ChartMarksProps, "annotations">) {
  const annotations = useAnnotations();
  return hasAnnotations() && annotations.length > 0 ? <Marks {...props} annotations={annotations} /> : null;
}

interface CalloutsProps {
  readonly callouts: readonly Callout[];
  readonly points: readonly ChartPoint[];
  readonly layout: Layout;
}

function Callouts({ callouts, points, layout: { leftOf, topOf, width, height } }: CalloutsProps) {
  return callouts.map(({ at, text, onChoose }) => {
    const index = points.findIndex(({ label }) => label === at);
    const value = points[index]?.value ?? null;
    if (value === null) return null;
    const left = leftOf(index);
    const place = { left: percent(left, width), top: percent(topOf(value), height) };
    return (
      <button key={at} type="button" class="chart-callout" style={place} data-side={left > width / 2 ? "left" : "right"} onClick={onChoose}>
        {text}
      </button>
    );
  });
}

/** The dates from one point to another, as far as they have begun. */
function datesIn(points: readonly ChartPoint[], { from, to }: Part): Pick<Bucket, "start" | "end"> | null {
  const within = points.slice(Math.min(from, to), Math.max(from, to) + 1).filter(({ bucket }) => bucket.state !== "ahead");
  const [first, last] = [within[0]?.bucket, within.at(-1)?.bucket];
  return first && last ? { start: first.start, end: last.end } : null;
}

export interface ChartProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  readonly onOpen: (dates: Pick<Bucket, "start" | "end">) => void;
}

interface ChartViewProps extends ChartProps {
  readonly callouts: readonly Callout[];
}

const written = (value: number | null, format: (value: number) => string): string => (value === null ? "–" : format(value));

function ChartTooltip({ metric, point }: { readonly metric: ShownMetric; readonly point: ChartPoint }) {
  const { title, format } = metric;
  const { value, before } = point;
  const line = (kind: "now" | "before", of: Pick<ChartPoint, "title" | "part">, text: string) => (
    <span class="tooltip-line">
      <i class={`swatch ${kind}`} /> {of.title}
      {of.part !== null && <em>{of.part}</em>} <strong>{text}</strong>
    </span>
  );
  return (
    <>
      <span class="tooltip-title">{title}</span>
      {line("now", point, written(value, format))}
      {before && line("before", before, format(before.value))}
      {point.usual && (
        <span class="tooltip-line">
          <i class="swatch band" /> {fill(words.changesCard.usual, { low: format(point.usual.low), high: format(point.usual.high) })}
        </span>
      )}
      {before && value !== null && isComparable(point) && <Change now={value} before={before.value} {...comparedAs(metric)} />}
    </>
  );
}

function summaryOf({ title, format }: ShownMetric, points: readonly ChartPoint[]): string {
  const values = points.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return title;
  return fill(words.charts.extremes, { metric: title, highest: format(Math.max(...values)), lowest: format(Math.min(...values)) });
}

/** The text of a point for screen readers. */
function textOf({ title, part, value, before }: ChartPoint, format: (value: number) => string): string {
  const text = `${title}${part === null ? "" : `, ${part}`}: ${written(value, format)}`;
  return before ? fill(words.charts.before, { text, date: before.title, value: format(before.value) }) : text;
}

/** A bucket can be opened if it is shorter than the range. */
const isShorter = ({ start, end }: Pick<Bucket, "start" | "end">): boolean => start !== range.value.start || end !== range.value.end;
export const canOpen = (bucket: Bucket): boolean => bucket.state !== "ahead" && isShorter(bucket);

export function ChartView({ metric, points, interval, onOpen, callouts }: ChartViewProps) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [part, setPart] = useState<Part | null>(null);
  const [layout, setLayout] = useState<Layout | null>(null);
  const dates = part && datesIn(points, part);
  const point = cursor === null ? undefined : points[cursor.index];
  const isOpenable = points.some(({ bucket }) => canOpen(bucket));
  const placeAt = (index: number) => points[index] && placeOf(points[index].label, points[index].bucket, interval);
  const open = (index: number) => {
    const bucket = points[index]?.bucket;
    if (bucket && canOpen(bucket)) onOpen(bucket);
  };
  const openPart = (chosen: Part) => {
    const of = datesIn(points, chosen);
    if (of && isShorter(of)) onOpen(of);
  };
  const annotate = (index: number) => {
    const place = placeAt(index);
    if (place) openAnnotations(placeText(place));
  };
  const moveTo = (next: Cursor | null) => {
    pointedPlace.value = (next && placeAt(next.index)) ?? null;
    setCursor(next);
  };
  return (
    <figure class="main-chart" aria-label={summaryOf(metric, points)}>
      <LineChart
        points={points}
        format={metric.format}
        label={fill(words.charts.overTime, { metric: metric.title })}
        cursor={cursor}
        textOf={(index) => (points[index] ? textOf(points[index], metric.format) : "")}
        onCursor={moveTo}
        onChoose={isOpenable ? open : null}
        onMark={canAnnotate() ? annotate : null}
        part={part}
        onPart={setPart}
        onChoosePart={isOpenable ? openPart : null}
        onDrawn={setLayout}
      />
      {layout && <ChartMarks points={points} interval={interval} layout={layout} />}
      {layout && <Callouts callouts={callouts} points={points} layout={layout} />}
      {point && cursor && (
        <div
          class="tooltip chart-tooltip"
          style={{ left: `${cursor.left}px` }}
          data-side={cursor.index > points.length / 2 ? "left" : "right"}
        >
          {dates ? (
            <>
              <strong>{formatRange(dates.start, dates.end)}</strong>
              <span class="tooltip-title">{words.charts.viewPart}</span>
            </>
          ) : (
            <ChartTooltip metric={metric} point={point} />
          )}
          {!dates && cursor.isTouch && canOpen(point.bucket) && <span class="tooltip-title">{words.charts.tapAgain[interval]}</span>}
        </div>
      )}
    </figure>
  );
}
