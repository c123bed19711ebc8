/** The dates that a share link shows, and what of a view lies within them. */
import { customRange, daysBetween, PERIODS, rangeOf, type Period, type Range, type RangeProblem } from "./range.ts";

/** As the service describes a link. */
interface SharedDates {
  readonly period: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
}

/** The period of a link that has one; null for another kind of link. One that was stored earlier may have `today` for `day`. */
export const sharedPeriod = ({ period }: Pick<SharedDates, "period">): Period | null =>
  PERIODS.find((known) => known === (period === "today" ? "day" : period)) ?? null;

/** Null for all dates. */
export function sharedRange(dates: SharedDates, today: string): Range | null {
  const period = sharedPeriod(dates);
  if (period === "all") return null;
  if (period) return rangeOf(period, today);
  const { start_date: start, end_date: end } = dates;
  return start === null || end === null ? null : { start, end, days: daysBetween(start, end) };
}

/** Bounds that are null contain everything. */
export const isWithin = ({ start, end }: Pick<Range, "start" | "end">, bounds: Range | null): boolean =>
  bounds === null || (bounds.start <= start && end <= bounds.end);

/** The part of a range that the bounds have; all of the bounds if there is none. */
export function rangeWithin(range: Range, bounds: Range | null, today: string): Range {
  if (bounds === null || isWithin(range, bounds)) return range;
  const start = range.start > bounds.start ? range.start : bounds.start;
  const end = range.end < bounds.end ? range.end : bounds.end;
  return start <= end ? { start, end, days: daysBetween(start, end) } : customRange(bounds.start, bounds.end, today);
}

/** Why a link does not show a range. */
export function sharedRangeProblem(start: string, end: string, bounds: Range | null): RangeProblem | null {
  if (bounds === null || isWithin({ start, end }, bounds)) return null;
  return { date: start < bounds.start || start > bounds.end ? "start" : "end", text: `This page shows ${bounds.start} to ${bounds.end}.` };
}
