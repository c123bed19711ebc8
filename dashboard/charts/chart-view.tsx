/** The main chart: a line chart with annotation marks and a tooltip, or a table. Choosing a point opens its day, week or month. */
import { useState } from "preact/hooks";
import type { Interval } from "../../src/shared/periods.ts";
import type { Callout } from "../changes/changes.ts";
import { formatRange } from "../format/locale.ts";
import { Change, LinkButton } from "../kit/inline.tsx";
import { timeZone } from "../state/known-sites.ts";
import { range } from "../state/period.ts";
import {
  annotationText,
  canAnnotate,
  hasAnnotations,
  openAnnotations,
  placeOf,
  placeText,
  pointedPlace,
  spanText,
  useAnnotations,
} from "./annotations.ts";
import { fill, pluralForm, words } from "../words/words.ts";
import { comparedAs } from "./metrics.ts";
import { LineChart, type Cursor, type Layout, type Part } from "./line-chart.tsx";
import { joinedMarks, marksOf, type Mark } from "./marks.ts";
import { isComparable, type Bucket, type ChartPoint } from "./points.ts";
import type { ShownMetric } from "./shown-metrics.ts";

/** Minimum target size for a finger. */
const MARK_PX = 24;

/** A tooltip shows at most this many texts; the dialog shows all. */
const TEXTS_MAX = 6;

interface MarkButtonProps {
  readonly mark: Mark;
  readonly interval: Interval;
  readonly layout: Layout;
}

/** Parts of the chart's size: paper has another. */
const percent = (length: number, of: number): string => `${(length / of) * 100}%`;

function MarkButton({ mark: { index, annotations }, interval, layout: { leftOf, top, bottom, width, height } }: MarkButtonProps) {
  const [isShown, setShown] = useState(false);
  const [first, ...others] = annotations;
  const left = leftOf(index);
  const texts = annotations.map(annotationText);
  const place = { left: percent(left, width), top: percent(bottom, height) };
  const line = { left: place.left, top: percent(top, height), height: percent(bottom - top, height) };
  return (
    <>
      <i class="chart-mark-line" style={line} />
      <div class="chart-mark" style={place} data-side={left > width / 2 ? "left" : "right"}>
        <button
          type="button"
          aria-label={fill(texts.length === 1 ? words.charts.annotation : pluralForm(words.charts.annotations, texts.length), {
            count: texts.length,
            texts: texts.join("; "),
          })}
          onMouseEnter={() => setShown(true)}
          onMouseLeave={() => setShown(false)}
          onFocus={() => setShown(true)}
          onBlur={() => setShown(false)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || !isShown) return;
            // It closes the tooltip, and no more.
            event.preventDefault();
            setShown(false);
          }}
          onClick={() => first && openAnnotations(others.length === 0 ? first.id : spanText(annotations, interval))}
        >
          <span class={annotations.length === 1 ? "mark-sign" : "mark-count"} aria-hidden="true">
            {annotations.length === 1 ? "" : annotations.length}
          </span>
        </button>
        {isShown && (
          <div class="tooltip mark-tooltip" aria-hidden="true">
            {texts.slice(0, TEXTS_MAX).map((text) => (
              <span key={text}>{text}</span>
            ))}
            {texts.length > TEXTS_MAX && <span class="dim">{fill(words.charts.more, { count: texts.length - TEXTS_MAX })}</span>}
          </div>
        )}
      </div>
    </>
  );
}

interface ChartMarksProps {
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  readonly layout: Layout;
}

function ChartMarks({ points, interval, layout }: ChartMarksProps) {
  const annotations = useAnnotations();
  if (!hasAnnotations() || annotations.length === 0) return null;
  const marks = marksOf(points, annotations, interval);
  return (
    <>
      <div class="chart-marks">
        {joinedMarks(marks, layout.leftOf, MARK_PX).map((mark) => (
          <MarkButton key={mark.annotations[0]?.id} mark={mark} interval={interval} layout={layout} />
        ))}
      </div>
      <ul class="on-paper" aria-hidden="true">
        {marks.flatMap((mark) => mark.annotations.map((each) => <li key={each.id}>{annotationText(each)}</li>))}
      </ul>
    </>
  );
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

interface ChartProps {
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
const canOpen = (bucket: Bucket): boolean => bucket.state !== "ahead" && isShorter(bucket);

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

/** `beforeTitle` is null without a comparison. */
export function ChartTable({ metric, points, interval, beforeTitle, onOpen }: ChartProps & { readonly beforeTitle: string | null }) {
  const marks = new Map(marksOf(points, useAnnotations(), interval).map(({ index, annotations }) => [index, annotations]));
  const { title, format } = metric;
  const cell = (value: number | null | undefined) => <td>{value == null ? "–" : format(value)}</td>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={fill(words.charts.asTable, { metric: title })}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{fill(words.charts.time, { zone: timeZone.value })}</th>
            <th scope="col">{title}</th>
            {beforeTitle !== null && (
              <>
                <th scope="col">{words.charts.comparedWith}</th>
                <th scope="col">{beforeTitle}</th>
              </>
            )}
            {marks.size > 0 && <th scope="col">{words.charts.annotationsTitle}</th>}
          </tr>
        </thead>
        <tbody>
          {points.map(({ label, title: time, part, bucket, value, before }, i) => (
            <tr key={label}>
              <th scope="row">
                {canOpen(bucket) ? <LinkButton onClick={() => onOpen(bucket)}>{time}</LinkButton> : time}
                {part !== null && <em class="part"> {part}</em>}
              </th>
              {cell(value)}
              {beforeTitle !== null && (
                <>
                  <td>{before ? before.title : "–"}</td>
                  {cell(before?.value)}
                </>
              )}
              {marks.size > 0 && <td class="annotation-texts">{(marks.get(i) ?? []).map(annotationText).join("; ")}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
