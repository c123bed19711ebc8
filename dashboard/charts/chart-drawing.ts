/** Draws a line chart on a canvas. Owner of uPlot; `styles/charts.css` has what it needs of a stylesheet. */
import uPlot from "uplot";
import { axisSteps, tickFormat, tickIndices } from "./axis.ts";
import { barsOf, linesOf, type ChartPoint } from "./points.ts";

/** Minimum width per tick label. */
const TICK_PX_MIN = 74;

export type Chart = uPlot;

export const cssColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A line through more than a thousand small numbers is a wall of spikes. */
const isByMinute = (points: readonly ChartPoint[]): boolean => /:(?!00)\d\d$/.test(points[1]?.label ?? "");

/** Columns: index, compared period, whole buckets, the others, and the bounds of the usual band. */
function columnsOf(points: readonly ChartPoint[]): uPlot.AlignedData {
  const { solid, dotted } = isByMinute(points) ? barsOf(points) : linesOf(points);
  return [
    points.map((_, i) => i),
    points.map(({ before }) => before?.value ?? null),
    solid,
    dotted,
    points.map(({ usual }) => usual?.low ?? null),
    points.map(({ usual }) => usual?.high ?? null),
  ];
}

const [LOW, HIGH] = [4, 5];

function areaFill(chart: uPlot, name: string): CanvasGradient {
  const gradient = chart.ctx.createLinearGradient(0, chart.bbox.top, 0, chart.bbox.top + chart.bbox.height);
  gradient.addColorStop(0, cssColor(name));
  gradient.addColorStop(1, cssColor("--area-end"));
  return gradient;
}

/** Keeps labels from overlapping. */
function ticks(points: readonly ChartPoint[], widthPx: number, tickPx: number): number[] {
  const least = Math.max(Math.ceil((points.length * tickPx) / Math.max(widthPx, 1)), 1);
  return tickIndices(
    points.map(({ label }) => label),
    least,
  );
}

interface Drawing {
  readonly points: readonly ChartPoint[];
  readonly format: (value: number) => string;
  readonly width: number;
  readonly height: number;
  /** Scales text and lines. */
  readonly scale: number;
}

function axesOf({ points, format, width, scale }: Drawing): uPlot.Axis[] {
  const axis = {
    stroke: cssColor("--text-dim"),
    font: `${12 * scale}px system-ui, sans-serif`,
    ticks: { show: false },
    gap: 5 * scale,
  } as const;
  return [
    {
      ...axis,
      // Below the lowest value of the other axis.
      gap: 9 * scale,
      size: 34 * scale,
      grid: { show: false },
      splits: () => ticks(points, width, TICK_PX_MIN * scale),
      values: (_chart, splits) => splits.map((index) => points[index]?.tick ?? ""),
    },
    {
      ...axis,
      size: 54 * scale,
      space: 30 * scale,
      incrs: axisSteps(format),
      grid: { stroke: cssColor("--line"), width: scale },
      values: (_chart, splits) => splits.map((value) => (Number.isFinite(value) ? tickFormat(format)(value) : "")),
    },
  ];
}

const bars = (paths: uPlot.Series.PathBuilder, fill: string): uPlot.Series => ({ paths, fill, width: 0, points: { show: false } });

function seriesOf({ points, scale }: Drawing): uPlot.Series[] {
  // A line needs two points.
  const isSingle = points.filter(({ value }) => value !== null).length === 1;
  const line: uPlot.Series = {
    width: 2 * scale,
    stroke: cssColor("--accent"),
    points: { show: isSingle, size: 7 * scale, fill: cssColor("--accent") },
    fill: (chart) => areaFill(chart, "--area"),
  };
  const compared = {
    stroke: cssColor("--compare"),
    width: 2 * scale,
    dash: [3 * scale, 4 * scale],
    points: { show: points.length === 1, size: 7 * scale },
  };
  const paths = isByMinute(points) ? uPlot.paths.bars?.({ size: [1, Infinity], gap: 0 }) : undefined;
  const bound: uPlot.Series = { width: 0, points: { show: false } };
  if (paths) return [{}, ...["--compare", "--accent", "--area"].map((color) => bars(paths, cssColor(color))), bound, bound];
  return [{}, compared, line, { ...line, dash: [5 * scale, 5 * scale] }, bound, bound];
}

/** Uses the colors of the current theme. uPlot draws the canvas in a microtask. */
export function drawChart(element: HTMLElement, drawing: Drawing, cursor: uPlot.Cursor): Chart {
  const { points, width, height, scale } = drawing;
  const options: uPlot.Options = {
    width,
    height,
    cursor,
    // On the right, half of the longest tick, e.g. "Nov 2026".
    padding: [12 * scale, 30 * scale, 0, 0],
    legend: { show: false },
    scales: { x: { time: false }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: axesOf(drawing),
    series: seriesOf(drawing),
    bands: [{ series: [HIGH, LOW], fill: cssColor("--band") }],
  };
  return new uPlot(options, columnsOf(points), element);
}
