/** The main chart's data as a table, for screen readers and for exact values. */
import type { Interval } from "../../src/shared/periods.ts";
import { LinkButton } from "../kit/inline.tsx";
import { timeZone } from "../state/known-sites.ts";
import { annotationText, useAnnotations } from "./annotations.ts";
import type { Bucket } from "./buckets.ts";
import { canOpen } from "./chart-view.tsx";
import { marksOf } from "./marks.ts";
import type { ChartPoint } from "./points.ts";
import type { ShownMetric } from "./shown-metrics.ts";

interface ChartTableProps {
  readonly metric: ShownMetric;
  readonly points: readonly ChartPoint[];
  readonly interval: Interval;
  /** null without a comparison. */
  readonly beforeTitle: string | null;
  readonly onOpen: (bucket: Bucket) => void;
}

export function ChartTable({ metric, points, interval, beforeTitle, onOpen }: ChartTableProps) {
  const marks = new Map(marksOf(points, useAnnotations(), interval).map(({ index, annotations }) => [index, annotations]));
  const { title, format } = metric;
  const cell = (value: number | null | undefined) => <td>{value == null ? "–" : format(value)}</td>;
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time ({timeZone.value})</th>
            <th scope="col">{title}</th>
            {beforeTitle !== null && (
              <>
                <th scope="col">Compared with</th>
                <th scope="col">{beforeTitle}</th>
              </>
            )}
            {marks.size > 0 && <th scope="col">Annotations</th>}
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
