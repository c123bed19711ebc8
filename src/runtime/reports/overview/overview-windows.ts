/** The window that an overview compares a range with: whole weeks earlier, and of the day that today is compared with as much as has passed of today. */
import { addDays, firstDateOfPeriod, periodOf, type Calendar } from "../../../storage/calendar.ts";
import { startOfDayMs, type EpochMs, type LocalDate } from "../../../storage/event.ts";
import { rangeOfDays, type DateRange } from "../../query/date-range.ts";
import { localTimeOf, whenClockShows } from "../../query/local-time.ts";
import { MINUTE_MS } from "../measures/recent-activity.ts";

export interface CutWindow {
  /** Days of one salt period. */
  readonly range: DateRange;
  /** Visitors count whose first event is before this minute since the epoch. */
  readonly endMinute: number;
}

export interface PreviousWindow {
  readonly firstDay: LocalDate;
  /** The visitors of `whole` and `cut` add up: they share no salt period. */
  readonly whole: DateRange | null;
  /** Null if the range does not include today. */
  readonly cut: CutWindow | null;
}

const WEEK_DAYS = 7;

/**
 * The window as long as the range, the fewest whole weeks earlier that avoid an overlap, as the dashboard compares by default
 * (docs/reports.md, "Comparison"). If the range includes today, it ends at the minute of the day that it is now.
 */
export function previousWindow(range: DateRange, nowMs: EpochMs, calendar: Calendar, rotationDays: number): PreviousWindow {
  const today = calendar.dateOf(nowMs);
  const offsetDays = Math.ceil(range.dayCount / WEEK_DAYS) * WEEK_DAYS;
  const firstDay = addDays(range.firstDay, -offsetDays);
  if (today < range.firstDay || range.lastDay < today)
    return { firstDay, whole: rangeOfDays(firstDay, addDays(range.lastDay, -offsetDays)), cut: null };
  const cutDay = addDays(today, -offsetDays);
  const periodStart = firstDateOfPeriod(periodOf(cutDay, rotationDays), rotationDays);
  const cutStart = periodStart > firstDay ? periodStart : firstDay;
  const endMs = whenClockShows(cutDay, localTimeOf(nowMs, calendar) - startOfDayMs(today), calendar);
  return {
    firstDay,
    whole: cutStart > firstDay ? rangeOfDays(firstDay, addDays(cutStart, -1)) : null,
    cut: { range: rangeOfDays(cutStart, cutDay), endMinute: Math.floor(endMs / MINUTE_MS) },
  };
}
