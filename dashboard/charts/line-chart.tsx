/**
 * A line chart on a canvas. Mouse, arrow keys and touch move through its points (WAI-ARIA slider pattern). A click, Enter or a second tap
 * chooses a point; a right click marks it. A drag, or arrow keys with Shift and then Enter, choose the points from one to another.
 */
import { useEffect, useRef } from "preact/hooks";
import { hasModifier, indexAfterKey, TapChoice } from "../kit/pointing.ts";
import { paletteVersion } from "../kit/theme.ts";
import { cssColor, drawChart, type Chart } from "./chart-drawing.ts";
import { morph, shapeOf, type Shape } from "./morph.ts";
import type { ChartPoint } from "./points.ts";

/** The point under the pointer or the arrow keys. */
export interface Cursor {
  readonly index: number;
  /** CSS pixels from the left edge of the plot. */
  readonly left: number;
  readonly isTouch: boolean;
}

/** Positions of drawn points, in CSS pixels relative to the chart. */
export interface Layout {
  readonly leftOf: (index: number) => number;
  readonly topOf: (value: number) => number;
  readonly top: number;
  /** The lower edge of the plot, above the axis labels. */
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
}

/** Parts of the chart's size: paper has another. */
export const percent = (length: number, of: number): string => `${(length / of) * 100}%`;

/** Two points and all between them, the one that was chosen first before the other. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

interface LineChartProps {
  readonly heightPx?: number;
  readonly points: readonly ChartPoint[];
  readonly format: (value: number) => string;
  readonly label: string;
  readonly cursor: Cursor | null;
  /** A point's text for screen readers. */
  readonly textOf: (index: number) => string;
  readonly onCursor: (cursor: Cursor | null) => void;
  /** null if points cannot be chosen. */
  readonly onChoose: ((index: number) => void) | null;
  /** null if points cannot be marked. */
  readonly onMark: ((index: number) => void) | null;
  /** The part that is being chosen; null for none. */
  readonly part: Part | null;
  readonly onPart: (part: Part | null) => void;
  /** null if parts cannot be chosen. */
  readonly onChoosePart: ((part: Part) => void) | null;
  /** Called after each drawing. */
  readonly onDrawn: (layout: Layout) => void;
}

const HEIGHT_PX = 300;

/** A place outside the plot. */
const AWAY = { left: -10, top: -10 };

/** Shorter moves of a pressed pointer are a click or a tap. */
const DRAG_PX_MIN = 8;

function showPart(chart: Chart, part: Part | null): void {
  const [left, right] = part ? [part.from, part.to].map((index) => chart.valToPos(index, "x")).sort((a, b) => a - b) : [0, 0];
  chart.setSelect({ left: left ?? 0, top: 0, width: (right ?? 0) - (left ?? 0), height: part ? chart.over.clientHeight : 0 }, false);
}

/** Returns whether the click that follows ends a drag. */
function listenToDrags(chart: Chart, { onPart, onChoosePart }: Pick<LineChartProps, "onPart" | "onChoosePart">): () => boolean {
  const { over } = chart;
  let start: { readonly x: number; readonly index: number } | null = null;
  let part: Part | null = null;
  let isDrag = false;
  if (onChoosePart === null) return () => false;
  // Fingers scroll up and down only.
  over.style.touchAction = "pan-y";
  const xOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = over.getBoundingClientRect();
    return Math.min(Math.max(clientX - left, 0), width);
  };
  function end(): void {
    start = part = null;
    onPart(null);
  }
  over.addEventListener("pointerdown", (event) => {
    isDrag = false;
    if (event.button === 0) start = { x: xOf(event), index: chart.posToIdx(xOf(event)) };
  });
  over.addEventListener("pointermove", (event) => {
    // It was released outside of the chart.
    if (event.buttons === 0) start = null;
    if (start === null || (part === null && Math.abs(xOf(event) - start.x) < DRAG_PX_MIN)) return;
    if (part === null) over.setPointerCapture(event.pointerId);
    isDrag = true;
    part = { from: start.index, to: chart.posToIdx(xOf(event)) };
    onPart(part);
    // The chart itself follows mice only.
    if (event.pointerType === "touch") chart.setCursor({ left: chart.valToPos(part.to, "x"), top: 0 });
  });
  over.addEventListener("pointerup", (event) => {
    const chosen = part;
    end();
    if (chosen && event.pointerType === "touch") chart.setCursor(AWAY);
    if (chosen && chosen.from !== chosen.to) onChoosePart(chosen);
  });
  over.addEventListener("pointercancel", end);
  return () => isDrag;
}

function listen(chart: Chart, props: LineChartProps): void {
  const { onCursor, onChoose, onMark } = props;
  const isAfterDrag = listenToDrags(chart, props);
  const taps = new TapChoice<number>();
  chart.over.style.cursor = onChoose ? "pointer" : "default";
  chart.over.addEventListener("pointerdown", (event) => taps.press(event));
  chart.over.addEventListener("click", () => {
    if (isAfterDrag()) return;
    const index = chart.cursor.idx ?? null;
    if (taps.click(index)) onChoose?.(index);
  });
  chart.over.addEventListener("contextmenu", (event) => {
    const index = chart.cursor.idx ?? null;
    if (onMark === null || index === null) return;
    event.preventDefault();
    onMark(index);
  });
  (chart.hooks.setCursor ??= []).push(({ cursor: { idx, left = -1 } }) => {
    const isAway = idx == null || left < 0;
    if (isAway) taps.leave();
    onCursor(isAway ? null : { index: idx, left, isTouch: taps.isTouch });
  });
}

function draw(element: HTMLElement, props: LineChartProps): Chart {
  const { heightPx: height = HEIGHT_PX } = props;
  const drawing = { points: props.points, format: props.format, width: element.clientWidth, height, scale: 1 };
  const chart = drawChart(element, drawing, {
    y: false,
    drag: { x: false, y: false },
    points: { size: 9, fill: cssColor("--accent"), width: 2, stroke: () => cssColor("--card") },
  });
  listen(chart, props);
  const { over } = chart;
  // Its parts have no size before.
  (chart.hooks.ready ??= []).push(() =>
    props.onDrawn({
      leftOf: (index) => over.offsetLeft + chart.valToPos(index, "x"),
      topOf: (value) => over.offsetTop + chart.valToPos(value, "y"),
      top: over.offsetTop,
      bottom: over.offsetTop + over.clientHeight,
      width: element.clientWidth,
      height,
    }),
  );
  return chart;
}

/** The last point with a value. */
const latestOf = (points: readonly ChartPoint[]): number =>
  Math.max(
    points.findLastIndex(({ value }) => value !== null),
    0,
  );

/** Redraws the chart when points, width or theme change. */
function useChart(props: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  const shape = useRef<Shape>([]);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const resize = () => {
      const width = element.clientWidth;
      if (width === 0 || chart.current?.width === width) return;
      chart.current?.destroy();
      chart.current = draw(element, props);
      // Paper is light: what was drawn in dark colors is inverted for it.
      element.dataset["palette"] = getComputedStyle(document.documentElement).colorScheme;
    };
    const observer = new ResizeObserver(resize);
    observer.observe(element);
    resize();
    const stopMoving = chart.current ? morph(chart.current, shape.current) : undefined;
    return () => {
      stopMoving?.();
      if (chart.current) shape.current = shapeOf(chart.current);
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [props.points, paletteVersion.value]);
  return { place, chart };
}

export function LineChart(props: LineChartProps) {
  const { points, label, cursor, textOf, onChoose, part, onPart, onChoosePart } = props;
  const { place, chart } = useChart(props);
  const index = cursor?.index ?? null;
  const latest = latestOf(points);
  const current = index ?? latest;
  useEffect(() => {
    if (chart.current) showPart(chart.current, part);
  }, [part]);

  function onKeyDown(event: KeyboardEvent) {
    const next = indexAfterKey(event, { index, initial: latest, last: points.length - 1 });
    const isHandled = next !== undefined || (index !== null && ["Enter", "Escape"].includes(event.key));
    if (!isHandled || hasModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) {
      onPart(event.shiftKey && onChoosePart ? { from: part?.from ?? current, to: next } : null);
      chart.current?.setCursor({ left: chart.current.valToPos(next, "x"), top: 0 });
    } else if (event.key === "Escape") {
      if (part) onPart(null);
      else chart.current?.setCursor(AWAY);
    } else if (part) onChoosePart?.(part);
    else if (index !== null) onChoose?.(index);
  }

  return (
    <div
      class="line-chart"
      ref={place}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={current}
      aria-valuetext={textOf(current)}
      onKeyDown={onKeyDown}
      onBlur={() => {
        onPart(null);
        chart.current?.setCursor(AWAY);
      }}
    />
  );
}
