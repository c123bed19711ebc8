/** The main chart as a table, with the texts of annotations. Choosing a point opens its day, week or month. */
import { LinkButton } from "../kit/inline.tsx";
import { timeZone } from "../state/known-sites.ts";
import { fill, words } from "../words/words.ts";
import { annotationText, useAnnotations } from "./annotations.ts";
import { canOpen, type ChartProps } from "./chart-view.tsx";
import { marksOf } from "./marks.ts";

export interface ChartTableProps extends ChartProps {
  /** null without a comparison. */
  readonly beforeTitle: string | null;
}

export function ChartTable({ metric, points, interval, beforeTitle, onOpen }: ChartTableProps) {
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
