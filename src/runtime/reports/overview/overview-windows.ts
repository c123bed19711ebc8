/** The windows of a site in an overview: its range, and the one before, of which as much of the last day counts as has passed of today. */
import { addDays, firstDateOfPeriod, periodOf, type Calendar } from "../../../storage/calendar.ts";
import { startOfDayMs, type EpochMs } from "../../../storage/event.ts";
import { comparedRange } from "../../query/comparison.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { localTimeOf, whenClockShows } from "../../query/local-time.ts";
import { MINUTE_MS } from "../measures/recent-activity.ts";

export interface CutWindow {
  /** Days of one salt period. */
  readonly range: DateRange;
  /** Visitors count whose first event is before this minute since the epoch. */
  readonly endMinute: number;
}

/** Their visitors add up: they share no salt period. */
export interface PreviousWindow {
  /** Null if the cut window is all there is. */
  readonly whole: DateRange | null;
  /** Null if the range does not include today. */
  readonly cut: CutWindow | null;
}

/** The window as long as the range and directly before it, until the minute of the day that it is now if the range includes today. */
export function previousWindow(range: DateRange, nowMs: EpochMs, calendar: Calendar, rotationDays: number): PreviousWindow {
  const today = calendar.dateOf(nowMs);
  const previous = comparedRange(range, "previous_period");
  if (today < range.firstDay || range.lastDay < today) return { whole: previous, cut: null };
  const { firstDay } = previous;
  const cutDay = addDays(today, -range.dayCount);
  const periodStart = firstDateOfPeriod(periodOf(cutDay, rotationDays), rotationDays);
  const cutStart = periodStart > firstDay ? periodStart : firstDay;
  const endMs = whenClockShows(cutDay, localTimeOf(nowMs, calendar) - startOfDayMs(today), calendar);
  return {
    whole: cutStart > firstDay ? rangeOfDays(firstDay, addDays(cutStart, -1)) : null,
    cut: { range: rangeOfDays(cutStart, cutDay), endMinute: Math.floor(endMs / MINUTE_MS) },
  };
}
