/** A month as the rows of a calendar. */
import { dayAfter } from "./range.ts";

export type WeekStart = "monday" | "sunday" | "saturday";

/** As `getUTCDay` counts. */
const FIRST_WEEKDAY: Readonly<Record<WeekStart, number>> = { monday: 1, sunday: 0, saturday: 6 };

const WEEK_DAYS = 7;

const weekdayOf = (day: string): number => new Date(day).getUTCDay();

/** The first day of the month that is `months` after the day's. */
export function monthAfter(day: string, months: number): string {
  const index = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months;
  return `${String(Math.floor(index / 12)).padStart(4, "0")}-${String((index % 12) + 1).padStart(2, "0")}-01`;
}

/** The days of the week that a day lies in. */
export function weekOf(day: string, weekStart: WeekStart): string[] {
  const first = dayAfter(day, -((weekdayOf(day) - FIRST_WEEKDAY[weekStart] + WEEK_DAYS) % WEEK_DAYS));
  return Array.from({ length: WEEK_DAYS }, (_, i) => dayAfter(first, i));
}

/** The weeks that have days of the month of `day`, with their days of other months. */
export function weeksOfMonth(day: string, weekStart: WeekStart): string[][] {
  const next = monthAfter(day, 1);
  const weeks: string[][] = [];
  for (let week = weekOf(monthAfter(day, 0), weekStart); (week[0] ?? next) < next; week = weekOf(dayAfter(week[6] ?? next, 1), weekStart))
    weeks.push(week);
  return weeks;
}
