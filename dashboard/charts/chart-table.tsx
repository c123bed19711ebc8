/** The main chart's data as a table, for screen readers and for exact values. */
import { formatBucket, isHourBucket } from "../format/locale.ts";
import type { ChartPoint } from "./line-chart.tsx";
import type { ShownMetric } from "./shown-metrics.ts";

interface ChartTableProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
  /** Head of the column of the compared period; null without one. */
  readonly beforeTitle: string | null;
  readonly onDay: (day: string) => void;
}

export function ChartTable({ metric, points, beforeTitle, onDay }: ChartTableProps) {
  const { title, format } = metric;
  const isDaily = points.length > 1 && !isHourBucket(points[0]?.label ?? "");
  const cell = (value: number | null | undefined) => <td>{value == null ? "–" : format(value)}</td>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time (UTC)</th>
            <th scope="col">{title}</th>
            {beforeTitle !== null && (
              <>
                <th scope="col">Compared with</th>
                <th scope="col">{beforeTitle}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {points.map(({ label, value, before }) => (
            <tr key={label}>
              <th scope="row">
                {isDaily ? (
                  <button type="button" class="link" onClick={() => onDay(label)}>
                    {formatBucket(label)}
                  </button>
                ) : (
                  formatBucket(label)
                )}
              </th>
              {cell(value)}
              {beforeTitle !== null && (
                <>
                  <td>{before ? formatBucket(before.label) : "–"}</td>
                  {cell(before?.value)}
                </>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
