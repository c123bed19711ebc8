/** The window that an overview compares a range with (docs/reports.md, "Overview"). */
import { expect, it } from "vitest";
import { rangeOfDays } from "../../../../../src/runtime/query/date-range.ts";
import { previousWindow } from "../../../../../src/runtime/reports/overview/site-metrics.ts";
import { calendarFrom } from "../../../../../src/runtime/sites/site-calendar.ts";
import { addDays } from "../../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../../src/storage/event.ts";

const MINUTE_MS = 60_000;

/** The end of the window before the days up to today, of which only the last is cut. */
function endOf(timeZone: string, now: string, dayCount: number, rotationDays = 1) {
  const calendar = calendarFrom({ timeZone, changes: [] });
  const nowMs = Date.parse(now);
  const today = calendar.dateOf(nowMs);
  const { cut, ...window } = previousWindow(rangeOfDays(addDays(today, 1 - dayCount), today), nowMs, calendar, rotationDays);
  return { ...window, cut: cut && { range: cut.range, end: new Date(cut.endMinute * MINUTE_MS).toISOString() } };
}

const dates = (first: string, last: string) => rangeOfDays(first as LocalDate, last as LocalDate);

it("the previous window ends at the current time of day, across a change of the clock", () => {
  // 2026-03-29 has 23 hours in Berlin, 2026-10-25 has 25.
  expect(endOf("Europe/Berlin", "2026-04-05T10:30:30Z", 1).cut?.end).toBe("2026-03-29T10:30:00.000Z");
  expect(endOf("Europe/Berlin", "2026-03-29T10:30:30Z", 1).cut?.end).toBe("2026-03-22T11:30:00.000Z");
  expect(endOf("Europe/Berlin", "2026-11-01T11:30:00Z", 1).cut?.end).toBe("2026-10-25T11:30:00.000Z");
  expect(endOf("Europe/Berlin", "2026-10-25T11:30:00Z", 1).cut?.end).toBe("2026-10-18T10:30:00.000Z");
});

it.each([
  [1, "2026-03-08", "2026-03-08"],
  [2, "2026-03-07", "2026-03-08"],
  [7, "2026-03-02", "2026-03-08"],
  [8, "2026-02-22", "2026-03-01"],
  [30, "2026-01-10", "2026-02-08"],
  [90, "2025-09-16", "2025-12-14"],
  [365, "2024-03-10", "2025-03-09"],
])("the previous window begins the fewest whole weeks earlier that avoid an overlap: %i days up to Sunday", (dayCount, first, last) => {
  expect(endOf("UTC", "2026-03-15T12:00:00Z", dayCount)).toMatchObject({ firstDay: first, cut: { range: { lastDay: last } } });
});

it("the previous window is whole if the range does not include today", () => {
  const nowMs = Date.parse("2026-03-15T12:00:00Z");
  const range = dates("2026-03-01", "2026-03-10");
  expect(previousWindow(range, nowMs, calendarFrom({ timeZone: "UTC", changes: [] }), 1)).toEqual({
    firstDay: "2026-02-15",
    whole: dates("2026-02-15", "2026-02-24"),
    cut: null,
  });
});

it("the previous window cuts only the salt period of the day that corresponds to today", () => {
  expect(endOf("UTC", "2026-03-15T12:00:00Z", 7)).toEqual({
    firstDay: "2026-03-02",
    whole: dates("2026-03-02", "2026-03-07"),
    cut: { range: dates("2026-03-08", "2026-03-08"), end: "2026-03-08T12:00:00.000Z" },
  });
  // The period of three days begins on 2026-03-08.
  expect(endOf("UTC", "2026-03-16T12:00:00Z", 6, 3)).toEqual({
    firstDay: "2026-03-04",
    whole: dates("2026-03-04", "2026-03-07"),
    cut: { range: dates("2026-03-08", "2026-03-09"), end: "2026-03-09T12:00:00.000Z" },
  });
  expect(endOf("UTC", "2026-03-15T12:00:00Z", 6, 3650).whole).toBeNull();
});
