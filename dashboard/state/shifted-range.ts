/** The range before or after another: by months where it is a calendar month or year, else by its own length. */
import { monthAfter } from "./month.ts";
import { dayAfter, PERIOD_DAYS, rangeProblem, SHORT_PERIODS, type Period, type Range } from "./range.ts";
import { isWithin } from "./shared-range.ts";

/** What a range is a part of. */
interface Surroundings {
  /** What the range is called, `custom` for two dates. */
  readonly period: Period | "custom";
  readonly today: string;
  /** The dates that can be shown; null for all. */
  readonly bounds: Range | null;
}

/** The periods that a range of whole months may be, by their months. */
const PERIOD_MONTHS: Readonly<Partial<Record<Period, number>>> = { month: 1, year: 12 };

/** How many months of the calendar the range is; undefined for one of days. */
function monthsOf({ start, end }: Range, period: Surroundings["period"]): number | undefined {
  if (period !== "custom") return PERIOD_MONTHS[period];
  const after = dayAfter(end, 1);
  if (start.endsWith("-01-01") && after === monthAfter(start, 12)) return 12;
  return start.endsWith("-01") && after === monthAfter(start, 1) ? 1 : undefined;
}

function datesAfter({ start, end, days }: Range, lengths: number, months: number | undefined): Pick<Range, "start" | "end"> {
  if (months === undefined) return { start: dayAfter(start, lengths * days), end: dayAfter(end, lengths * days) };
  const first = monthAfter(start, lengths * months);
  return { start: first, end: dayAfter(monthAfter(first, months), -1) };
}

/** URL parameters of the range moved by its length, `lengths` times: a named period if it has today, null if it cannot be shown. */
export function shifted(range: Range, lengths: number, surroundings: Surroundings): Readonly<Record<string, string | null>> | null {
  const { period, today, bounds } = surroundings;
  if (period === "all") return null;
  const months = monthsOf(range, period);
  const moved = datesAfter(range, lengths, months);
  const isCurrent = months === undefined ? moved.end === today : moved.end >= today;
  if (moved.start > today || rangeProblem(moved.start, moved.end)) return null;
  const end = isCurrent ? today : moved.end;
  if (!isWithin({ start: moved.start, end }, bounds)) return null;
  const lengthOf = (each: Period) => (months === undefined ? PERIOD_DAYS[each] === range.days : PERIOD_MONTHS[each] === months);
  const named = isCurrent ? SHORT_PERIODS.find(lengthOf) : undefined;
  return named ? { period: named, start: null, end: null } : { period: null, start: moved.start, end };
}
