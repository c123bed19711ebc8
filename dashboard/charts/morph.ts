/** Lets the line of a period become that of the next one, which has as many points or other ones. */
import { inFrames, isStill } from "../kit/motion.ts";
import type { Chart } from "./chart-drawing.ts";

/** The height of each point of the line as a share of the plot's; null where there is none. */
export type Shape = readonly (number | null)[];

/** The columns of the line (`chart-drawing.ts`): whole buckets, and the others. */
const LINE = [2, 3] as const;

export function shapeOf({ data, scales }: Chart): Shape {
  const max = scales["y"]?.max ?? 1;
  const [whole, others] = LINE.map((column) => data[column] ?? []);
  return Array.from(data[0], (_, i) => {
    const value = whole?.[i] ?? others?.[i];
    return value == null ? null : value / max;
  });
}

/** Returns how to stop it. */
export function morph(chart: Chart, from: Shape): () => void {
  const [{ data }, { max = 1 }] = [chart, chart.scales["y"] ?? {}];
  const last = data[0].length - 1;
  if (isStill() || from.length < 2 || last < 1) return () => {};
  const before = (i: number): number => (from[Math.round((i / last) * (from.length - 1))] ?? 0) * max;
  return inFrames((share) => {
    const drawn = data.map((column, c) =>
      LINE.some((line) => line === c)
        ? Array.from(column, (value, i) => (value == null ? null : before(i) + (value - before(i)) * share))
        : column,
    );
    chart.setData(share === 1 ? data : (drawn as typeof data), false);
  });
}
