/** A line chart on a canvas. Owner of uPlot; `styles/main.css` imports its stylesheet. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { paletteVersion } from "../state/theme.ts";

export interface ChartPoint {
  readonly label: string;
  /** Its text on the axis. */
  readonly tick: string;
  readonly value: number | null;
  /** The bucket it is compared with. */
  readonly before: { readonly label: string; readonly value: number } | null;
}

interface LineChartProps {
  readonly points: readonly ChartPoint[];
  /** Whether the last point with a value is the current hour or day, whose value still grows. */
  readonly isUnfinished: boolean;
  readonly format: (value: number) => string;
  /** `left` is in CSS pixels from the chart's left edge. */
  readonly onHover: (index: number | null, left: number) => void;
  readonly onChoose: ((index: number) => void) | null;
}

const HEIGHT_PX = 300;

/** Least width of a tick's text. */
const TICK_PX_MIN = 74;

const cssColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Columns: index, compared period, finished part, unfinished part. */
function columnsOf(points: readonly ChartPoint[], isUnfinished: boolean): uPlot.AlignedData {
  const last = points.findLastIndex(({ value }) => value !== null);
  const solidTo = isUnfinished && last > 0 ? last - 1 : last;
  return [
    points.map((_, i) => i),
    points.map(({ before }) => before?.value ?? null),
    points.map(({ value }, i) => (i <= solidTo ? value : null)),
    points.map(({ value }, i) => (isUnfinished && i >= solidTo && i <= last ? value : null)),
  ];
}

function areaFill(chart: uPlot, name: string): CanvasGradient {
  const gradient = chart.ctx.createLinearGradient(0, chart.bbox.top, 0, chart.bbox.top + chart.bbox.height);
  gradient.addColorStop(0, cssColor(name));
  gradient.addColorStop(1, cssColor("--area-end"));
  return gradient;
}

/** The index of every n-th point, so that the texts do not overlap. */
function ticks(count: number, widthPx: number): number[] {
  const every = Math.max(Math.ceil((count * TICK_PX_MIN) / Math.max(widthPx, 1)), 1);
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => i * every);
}

function optionsOf({ points, format, onHover, onChoose }: LineChartProps, width: number): uPlot.Options {
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: cssColor("--text-dim"), font, ticks: { show: false } } as const;
  const line = {
    width: 2,
    stroke: cssColor("--accent"),
    points: { show: points.length === 1, size: 7, fill: cssColor("--accent") },
  } as const;
  return {
    width,
    height: HEIGHT_PX,
    padding: [12, 22, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 9, fill: cssColor("--accent"), width: 2, stroke: () => cssColor("--card") },
    },
    scales: { x: { time: false }, y: { range: (_chart, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        splits: () => ticks(points.length, width),
        values: (_chart, splits) => splits.map((index) => points[index]?.tick ?? ""),
      },
      {
        ...axis,
        size: 54,
        splits: undefined,
        grid: { stroke: cssColor("--line"), width: 1 },
        values: (_chart, splits) => splits.map((value) => (Number.isFinite(value) ? format(value) : "")),
      },
    ],
    series: [
      {},
      { stroke: cssColor("--compare"), width: 2, points: { show: false } },
      { ...line, fill: (chart) => areaFill(chart, "--area") },
      { ...line, dash: [5, 5], points: { show: false }, fill: (chart) => areaFill(chart, "--area") },
    ],
    hooks: {
      setCursor: [(chart) => onHover(chart.cursor.idx ?? null, chart.cursor.left ?? 0)],
      ready: [
        (chart) => {
          chart.over.addEventListener("click", () => {
            const { idx } = chart.cursor;
            if (idx != null) onChoose?.(idx);
          });
          chart.over.style.cursor = onChoose ? "pointer" : "default";
        },
      ],
    },
  };
}

export function LineChart(props: LineChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { points, isUnfinished } = props;
  const palette = paletteVersion.value;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let chart: uPlot | null = null;
    const draw = () => {
      const width = element.clientWidth;
      if (width === 0 || chart?.width === width) return;
      chart?.destroy();
      chart = new uPlot(optionsOf(props, width), columnsOf(points, isUnfinished), element);
      // Paper is light: what was drawn in dark colors is inverted for it.
      element.dataset["palette"] = getComputedStyle(document.documentElement).colorScheme;
    };
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    draw();
    return () => {
      observer.disconnect();
      chart?.destroy();
    };
  }, [points, isUnfinished, palette]);
  return <div class="line-chart" ref={place} aria-hidden="true" />;
}
