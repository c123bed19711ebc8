/** Which date an instant belongs to. An event's date is assigned once, on acceptance, and decides its partition from then on. */
import { DAY_MS, startOfDayMs, utcDayOf, type EpochMs, type UtcDay } from "./event.ts";

export interface Calendar {
  /** The date that an instant falls on. */
  dateOf(timestampMs: EpochMs): UtcDay;
  /** The first instant of a date. */
  startOf(date: UtcDay): EpochMs;
}

/** The calendar of every site, and of journaled events without a date (version 0.1.0). */
export const utcCalendar: Calendar = { dateOf: utcDayOf, startOf: startOfDayMs };

/** Dates in order: the number of days since 1970-01-01, negative before it. */
export const dayNumberOf = (date: UtcDay): number => startOfDayMs(date) / DAY_MS;

const dateOfDayNumber = (dayNumber: number): UtcDay => utcDayOf(dayNumber * DAY_MS);

/** The date `days` later; earlier if negative. */
export const addDays = (date: UtcDay, days: number): UtcDay => dateOfDayNumber(dayNumberOf(date) + days);

/** How many days pass from the first date to the last. */
export const daysBetween = (first: UtcDay, last: UtcDay): number => dayNumberOf(last) - dayNumberOf(first);

/** The salt period of a date: periods are runs of `periodDays` dates, counted from 1970-01-01 on. */
export const periodOf = (date: UtcDay, periodDays: number): number => Math.floor(dayNumberOf(date) / periodDays);

/** The first date of a salt period. */
export const firstDateOfPeriod = (period: number, periodDays: number): UtcDay => dateOfDayNumber(period * periodDays);
