/** The chart card as a PNG of 1200 × 630 pixels, the size of link previews, in the colors of the current theme. */
import { PRODUCT_NAME } from "../../src/shared/names.ts";
import { changeOf } from "../format/change.ts";
import { formatRange } from "../format/locale.ts";
import { againstText } from "../format/periods.ts";
import { LOGO } from "../kit/inline.tsx";
import { siteName } from "../state/known-sites.ts";
import { comparedRange, range, today } from "../state/period.ts";
import { isFiltered } from "../state/view-filters.ts";
import { cssColor, drawChart } from "./chart-drawing.ts";
import { comparedAs } from "./metrics.ts";
import type { ChartPoint } from "./points.ts";
import type { MetricTotals, ShownMetric } from "./shown-metrics.ts";

const [WIDTH, HEIGHT] = [1200, 630];
const MARGIN = 60;
const CHART = { top: 232, width: WIDTH - 2 * MARGIN + 24, height: 340 };
const LOGO_PX = 56;
/** Room for the name of the product. */
const PRODUCT_PX = 100;

/** Size of text and lines relative to the page. */
const SCALE = 1.75;

interface ImageContent {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
  readonly totals: MetricTotals;
  /** What changed; null if that is not known. */
  readonly sentence: string | null;
}

type Canvas = CanvasRenderingContext2D;

interface Text {
  readonly x: number;
  readonly y: number;
  readonly px: number;
  readonly color: string;
  readonly weight?: number;
  readonly widthMax?: number;
}

/** Truncates with an ellipsis. Returns the x of the text's end. */
function drawText(canvas: Canvas, text: string, { x, y, px, color, weight = 500, widthMax = Infinity }: Text): number {
  canvas.font = `${weight} ${px}px system-ui, sans-serif`;
  canvas.fillStyle = cssColor(color);
  let shown = text;
  for (let length = text.length; length > 0 && canvas.measureText(shown).width > widthMax; length--) shown = `${text.slice(0, length)}…`;
  canvas.fillText(shown, x, y);
  return x + canvas.measureText(shown).width;
}

function drawLogo(canvas: Canvas): void {
  const draw = (how: "fill" | "stroke", path: string) => canvas[how](new Path2D(path));
  canvas.save();
  canvas.translate(WIDTH - MARGIN - LOGO_PX, 44);
  canvas.scale(LOGO_PX / 64, LOGO_PX / 64);
  canvas.lineWidth = 2.6;
  canvas.lineCap = "round";
  canvas.fillStyle = canvas.strokeStyle = cssColor("--accent");
  draw("fill", LOGO.bird);
  draw("stroke", LOGO.legs);
  canvas.strokeStyle = cssColor("--compare");
  draw("stroke", LOGO.water);
  canvas.restore();
}

function drawChange(canvas: Canvas, { metric, totals: { now, before } }: ImageContent, x: number, y: number): void {
  const change = now === null || before === null ? null : changeOf({ now, before, ...comparedAs(metric) });
  if (change === null) return;
  const color = change.tone === null ? "--text-dim" : `--${change.tone}`;
  const end = drawText(canvas, `${change.mark}${change.amount}`, { x, y, px: 30, color, weight: 600 });
  const dates = comparedRange.value && againstText(comparedRange.value, today.value);
  if (dates !== null) drawText(canvas, dates, { x: end + 16, y, px: 24, color: "--text-dim" });
}

function drawHead(canvas: Canvas, content: ImageContent): void {
  const { title, format } = content.metric;
  const { now } = content.totals;
  const widthMax = WIDTH - 3 * MARGIN - LOGO_PX;
  drawText(canvas, siteName.value, { x: MARGIN, y: 84, px: 36, color: "--text", weight: 700, widthMax });
  const period = `${formatRange(range.value.start, range.value.end)}${isFiltered.value ? " · filtered" : ""}`;
  drawText(canvas, `${title} · ${period}`, { x: MARGIN, y: 126, px: 24, color: "--text-dim", widthMax });
  const end = drawText(canvas, now === null ? "–" : format(now), { x: MARGIN, y: 206, px: 60, color: "--text", weight: 700 });
  drawChange(canvas, content, end + 24, 206);
  if (content.sentence !== null) {
    drawText(canvas, content.sentence, { x: MARGIN, y: 606, px: 20, color: "--text", widthMax: WIDTH - 3 * MARGIN - PRODUCT_PX });
  }
  canvas.textAlign = "right";
  drawText(canvas, PRODUCT_NAME, { x: WIDTH - MARGIN, y: 606, px: 20, color: "--text-dim" });
  canvas.textAlign = "left";
}

async function drawLines(canvas: Canvas, { metric, points }: ImageContent): Promise<void> {
  // The chart's own canvas has as many pixels for each of CSS as the screen.
  const ratio = devicePixelRatio;
  const drawing = {
    points,
    format: metric.format,
    width: CHART.width / ratio,
    height: CHART.height / ratio,
    scale: SCALE / ratio,
  };
  const chart = drawChart(document.createElement("div"), drawing, { show: false });
  await new Promise<void>((resolve) => (chart.hooks.draw ??= []).push(() => resolve()));
  canvas.drawImage(chart.ctx.canvas, MARGIN - 24, CHART.top, CHART.width, CHART.height);
  chart.destroy();
}

export async function drawImage(content: ImageContent): Promise<Blob> {
  const element = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  const canvas = element.getContext("2d");
  if (!canvas) throw new Error("The browser has no canvas");
  canvas.fillStyle = cssColor("--card");
  canvas.fillRect(0, 0, WIDTH, HEIGHT);
  drawLogo(canvas);
  drawHead(canvas, content);
  await drawLines(canvas, content);
  return new Promise((resolve, reject) =>
    element.toBlob((image) => (image ? resolve(image) : reject(new Error("The image could not be made"))), "image/png"),
  );
}
