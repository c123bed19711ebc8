/** The UTC calendar, date arithmetic and salt periods. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dayNumberOf, daysBetween, firstDateOfPeriod, periodOf, utcCalendar } from "../../../src/storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../../src/storage/event.ts";

const DAY_MS = 86_400_000;

const anyInstant = fc.integer({ min: Date.parse("0001-01-01"), max: Date.parse("9990-12-31") });
const anyDate = anyInstant.map((ms) => new Date(ms).toISOString().slice(0, 10)).filter(isLocalDate);

describe("the UTC calendar", () => {
  it("gives every instant of a day the same date, and the first instant after it the next date", () => {
    fc.assert(
      fc.property(anyInstant, (ms) => {
        const date = utcCalendar.dateOf(ms);
        const startMs = utcCalendar.startOf(date);
        expect(ms - startMs).toBeGreaterThanOrEqual(0);
        expect(ms - startMs).toBeLessThan(DAY_MS);
        expect(utcCalendar.dateOf(startMs + DAY_MS - 1)).toBe(date);
        expect(utcCalendar.dateOf(startMs + DAY_MS)).toBe(addDays(date, 1));
      }),
    );
  });
});

describe("date arithmetic", () => {
  it.each<[string, number, string]>([
    ["2026-02-28", 1, "2026-03-01"],
    ["2028-02-28", 1, "2028-02-29"],
    ["2026-01-01", -1, "2025-12-31"],
    ["2026-03-15", 0, "2026-03-15"],
    ["1970-01-01", -366, "1968-12-31"],
  ])("%s plus %i days is %s", (date, days, expected) => {
    expect(addDays(date as LocalDate, days)).toBe(expected);
    expect(daysBetween(date as LocalDate, expected as LocalDate)).toBe(days);
  });

  it("assigns each date to one salt period of consecutive dates, counted from 1970-01-01", () => {
    expect(periodOf("1970-01-01" as LocalDate, 7)).toBe(0);
    expect(periodOf("1969-12-31" as LocalDate, 7)).toBe(-1);
    fc.assert(
      fc.property(anyDate, fc.integer({ min: 1, max: 400 }), (date, days) => {
        const first = firstDateOfPeriod(periodOf(date, days), days);
        expect(daysBetween(first, date)).toBeGreaterThanOrEqual(0);
        expect(daysBetween(first, date)).toBeLessThan(days);
        expect(dayNumberOf(first) - periodOf(date, days) * days).toBe(0);
      }),
    );
  });
});
