/** The line chart with its tooltip. Choosing a point opens its day, week or month. */
import { useState } from "preact/hooks";
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import { Change } from "../kit/inline.tsx";
import { range } from "../state/period.ts";
import { canAnnotate, openAnnotations, placeOf, placeText, pointedPlace } from "./annotations.ts";
import type { Bucket } from "./buckets.ts";
import { ChartMarks } from "./chart-marks.tsx";
import { LineChart, type Cursor, type Layout } from "./line-chart.tsx";
import { isComparable, type ChartPoint } from "./points.ts";
import type { ShownMetric } from "./shown-metrics.ts";

interface ChartProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
}

const written = (value: number | null, format: (value: number) => string): string => (value === null ? "–" : format(value));

interface TooltipLineProps {
  readonly kind: "now" | "before";
  readonly title: string;
  readonly part: string | null;
  readonly value: string;
}

const TooltipLine = ({ kind, title, part, value }: TooltipLineProps) => (
  <span class="tooltip-line">
    <i class={`swatch ${kind}`} /> {title}
    {part !== null && <em>{part}</em>} <strong>{value}</strong>
  </span>
);

function ChartTooltip({ metric, point }: { readonly metric: ShownMetric; readonly point: ChartPoint }) {
  const { title, format, isLessBetter } = metric;
  const { value, before } = point;
  return (
    <>
      <span class="tooltip-title">{title}</span>
      <TooltipLine kind="now" title={point.title} part={point.part} value={written(value, format)} />
      {before && <TooltipLine kind="before" title={before.title} part={before.part} value={format(before.value)} />}
      {before && value !== null && isComparable(point) && <Change now={value} before={before.value} isLessBetter={isLessBetter} />}
    </>
  );
}

function summaryOf({ metric, points }: Pick<ChartProps, "metric" | "points">): string {
  const { title, format } = metric;
  const values = points.flatMap(({ value }) => value ?? []);
  return values.length === 0 ? title : `${title}: highest ${format(Math.max(...values))}, lowest ${format(Math.min(...values))}`;
}

/** The text of a point for screen readers. */
function textOf({ title, part, value, before }: ChartPoint, format: (value: number) => string): string {
  const compared = before ? `; before, ${before.title}: ${format(before.value)}` : "";
  return `${title}${part === null ? "" : `, ${part}`}: ${written(value, format)}${compared}`;
}

/** A bucket can be opened if it is shorter than the range. */
export const canOpen = ({ start, end, state }: Bucket): boolean =>
  state !== "ahead" && (start !== range.value.start || end !== range.value.end);

export function ChartView({ metric, points, interval, onOpen }: ChartProps & { readonly onOpen: (bucket: Bucket) => void }) {
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const [layout, setLayout] = useState<Layout | null>(null);
  const point = cursor === null ? undefined : points[cursor.index];
  const isOpenable = points.some(({ bucket }) => canOpen(bucket));
  const open = (index: number) => {
    const bucket = points[index]?.bucket;
    if (bucket && canOpen(bucket)) onOpen(bucket);
  };
  const annotate = (index: number) => {
    const marked = points[index];
    if (marked) openAnnotations(placeText(placeOf(marked.label, marked.bucket, interval)));
  };
  const moveTo = (next: Cursor | null) => {
    const pointed = next && points[next.index];
    pointedPlace.value = pointed ? placeOf(pointed.label, pointed.bucket, interval) : null;
    setCursor(next);
  };
  return (
    <figure class="main-chart" aria-label={summaryOf({ metric, points })}>
      <LineChart
        points={points}
        format={metric.format}
        label={`${metric.title} over time`}
        cursor={cursor}
        textOf={(index) => (points[index] ? textOf(points[index], metric.format) : "")}
        onCursor={moveTo}
        onChoose={isOpenable ? open : null}
        onMark={canAnnotate() ? annotate : null}
        onDrawn={setLayout}
      />
      {layout && <ChartMarks points={points} interval={interval} layout={layout} />}
      {point && cursor && (
        <div
          class="tooltip chart-tooltip"
          style={{ left: `${cursor.left}px` }}
          data-side={cursor.index > points.length / 2 ? "left" : "right"}
        >
          <ChartTooltip metric={metric} point={point} />
          {cursor.isTouch && canOpen(point.bucket) && (
            <span class="tooltip-title">Tap again to view this {isOfClock(interval) ? "day" : interval}</span>
          )}
        </div>
      )}
    </figure>
  );
}
