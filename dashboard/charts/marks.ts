/** Places annotations on points of the chart, and joins marks that would overlap. */
import { isOfClock, type Interval } from "../../src/shared/periods.ts";
import type { Annotation } from "../api/saved.ts";
import type { ChartPoint } from "./points.ts";

export interface Mark {
  /** The point's index. */
  readonly index: number;
  readonly annotations: readonly Annotation[];
}

/** The service's label of the hour. An annotation without an hour belongs to the first of its date. */
const timeOf = ({ date, hour }: Annotation): string => `${date} ${String(hour ?? 0).padStart(2, "0")}:00`;

/** The first point at or after the time on the same date: the clock may have skipped the hour. */
function indexOfTime(points: readonly ChartPoint[], annotation: Annotation): number {
  const time = timeOf(annotation);
  return points.findIndex(({ label, bucket }) => bucket.start === annotation.date && label >= time);
}

const indexOfDate = (points: readonly ChartPoint[], { date }: Annotation): number =>
  points.findIndex(({ bucket }) => bucket.start <= date && date <= bucket.end);

/** Ordered by point. */
export function marksOf(points: readonly ChartPoint[], annotations: readonly Annotation[], interval: Interval): Mark[] {
  const indexOf = isOfClock(interval) ? indexOfTime : indexOfDate;
  const byIndex = new Map<number, Annotation[]>();
  for (const annotation of annotations) {
    const index = indexOf(points, annotation);
    if (index !== -1) byIndex.set(index, [...(byIndex.get(index) ?? []), annotation]);
  }
  return [...byIndex].map(([index, found]) => ({ index, annotations: found })).sort((a, b) => a.index - b.index);
}

/** Joins marks less than `leastPx` apart at the first of them. */
export function joinedMarks(marks: readonly Mark[], leftOf: (index: number) => number, leastPx: number): Mark[] {
  const joined: Mark[] = [];
  for (const mark of marks) {
    const last = joined.at(-1);
    if (last && leftOf(mark.index) - leftOf(last.index) < leastPx)
      joined[joined.length - 1] = { index: last.index, annotations: [...last.annotations, ...mark.annotations] };
    else joined.push(mark);
  }
  return joined;
}
