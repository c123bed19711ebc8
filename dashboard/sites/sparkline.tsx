/** Line and area of a site's visitors. The metrics stand beside it, so it is hidden from screen readers. */
import { useMemo } from "preact/hooks";
import { hoursBegun } from "../state/time-zone.ts";
import type { SiteRow } from "./site-order.ts";

const WIDTH = 240;
const HEIGHT = 48;

/** Without the hours of today that have not begun. */
function begunValues({ series, start_date: start, end_date: end, time_zone: timeZone }: SiteRow, nowMs: number): readonly number[] {
  const values = series ?? [];
  return start === end ? values.slice(0, Math.max(1, hoursBegun(end, timeZone, nowMs))) : values;
}

/** From the left edge to the right, which is the end of the period. */
export function Sparkline({ row }: { readonly row: SiteRow }) {
  const values = useMemo(() => begunValues(row, Date.now()), [row.series]);
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, (row.series?.length ?? 0) - 1);
  const xAt = (i: number) => (i * step).toFixed(1);
  const points = values.map((value, i) => `${xAt(i)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 4)).toFixed(1)}`);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${HEIGHT} ${points.join(" ")} ${xAt(values.length - 1)},${HEIGHT}`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}
