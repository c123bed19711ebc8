import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparedRange, comparedWindow, scopesOf } from "../../../../src/runtime/query/comparison.ts";
import { type DateRange, rangeOfDays } from "../../../../src/runtime/query/date-range.ts";
import { addDays, daysBetween, utcCalendar, ZonedCalendar, type Calendar } from "../../../../src/storage/calendar.ts";
import { DAY_MS, type LocalDate, type SiteId, utcDateOf } from "../../../../src/storage/event.ts";
import { zoneNamed } from "../../../support/time-zones.ts";

const rangeOf = (first: string, last: string): DateRange => rangeOfDays(first as LocalDate, last as LocalDate);

/** Any range that may be asked for. */
const range = fc
  .record({
    firstMs: fc.date({ min: new Date("0001-01-01"), max: new Date("9998-12-30"), noInvalidDate: true }).map((date) => date.getTime()),
    dayCount: fc.integer({ min: 1, max: 366 }),
  })
  .map(({ firstMs, dayCount }) => rangeOfDays(utcDateOf(firstMs), utcDateOf(firstMs + (dayCount - 1) * DAY_MS)));

describe("comparedRange", () => {
  it.each<[first: string, last: string, previous: string]>([
    ["2026-03-01", "2026-03-07", "2026-02-22 2026-02-28"],
    ["2024-03-01", "2024-03-01", "2024-02-29 2024-02-29"],
    ["2024-01-01", "2024-12-31", "2022-12-31 2023-12-31"],
  ])("maps %s to %s to the previous period %s", (first, last, previous) => {
    const { firstDay, lastDay } = comparedRange(rangeOf(first, last), "previous_period");
    expect(`${firstDay} ${lastDay}`).toBe(previous);
  });

  it.each<[first: string, last: string, yearAgo: string]>([
    ["2026-03-01", "2026-03-07", "2025-03-01 2025-03-07"],
    ["2024-02-29", "2024-02-29", "2023-03-01 2023-03-01"],
    ["2025-02-28", "2025-03-01", "2024-02-29 2024-03-01"],
    ["2024-01-01", "2024-12-31", "2023-01-01 2024-01-01"],
  ])("maps %s to %s to 365 days earlier: %s", (first, last, yearAgo) => {
    const { firstDay, lastDay } = comparedRange(rangeOf(first, last), "year_over_year");
    expect(`${firstDay} ${lastDay}`).toBe(yearAgo);
  });

  it("returns a previous period of the same length that ends the day before", () => {
    fc.assert(
      fc.property(range, (asked) => {
        const compared = comparedRange(asked, "previous_period");
        expect(compared.dayCount).toBe(asked.dayCount);
        expect(addDays(compared.lastDay, 1)).toBe(asked.firstDay);
      }),
    );
  });

  it("returns a window of the same length 365 days earlier for year_over_year", () => {
    fc.assert(
      fc.property(range, (asked) => {
        const compared = comparedRange(asked, "year_over_year");
        expect(compared.dayCount).toBe(asked.dayCount);
        expect(daysBetween(compared.firstDay, asked.firstDay)).toBe(365);
      }),
    );
  });

  it("returns valid dates for every valid range", () => {
    fc.assert(
      fc.property(range, fc.constantFrom("previous_period" as const, "year_over_year" as const), (asked, comparison) => {
        const { firstDay, lastDay, dayCount } = comparedRange(asked, comparison);
        expect(firstDay).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expect(lastDay).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expect(Number.isInteger(dayCount)).toBe(true);
      }),
      {
        examples: [
          [rangeOf("0001-01-01", "0001-01-01"), "year_over_year"],
          [rangeOf("0001-01-01", "0002-01-01"), "previous_period"],
        ],
      },
    );
  });
});

const NOON_MS = Date.parse("2026-03-15T12:00:00.000Z");

const custom = (first: string, last: string, compare_same_time: "true" | "false" | null = "true") => ({
  compare: "custom" as const,
  compare_start_date: first,
  compare_end_date: last,
  compare_same_time,
});

describe("comparedWindow", () => {
  it.each<[name: string, first: string, last: string, endsAt: string | null]>([
    ["today", "2026-03-15", "2026-03-15", "2026-03-08T12:00:00.000Z"],
    ["a range that ends today", "2026-03-01", "2026-03-15", "2026-03-08T12:00:00.000Z"],
    ["a range that goes on after today", "2026-03-01", "2026-03-31", "2026-03-08T12:00:00.000Z"],
    ["a range before today", "2026-03-01", "2026-03-14", null],
    ["a range after today", "2026-03-16", "2026-03-17", null],
  ])("for %s ends at the current time of day only if the range includes today", (_name, first, last, endsAt) => {
    const window = comparedWindow(custom("2026-03-02", "2026-03-08"), rangeOf(first, last), NOON_MS, utcCalendar);
    expect(window?.endsAtMs).toBe(endsAt === null ? null : Date.parse(endsAt));
  });

  it.each(["false", null] as const)("is whole with compare_same_time=%s", (isSameTime) => {
    const window = comparedWindow(
      custom("2026-03-08", "2026-03-08", isSameTime),
      rangeOf("2026-03-15", "2026-03-15"),
      NOON_MS,
      utcCalendar,
    );
    expect(window).toEqual({ range: rangeOf("2026-03-08", "2026-03-08"), endsAtMs: null });
  });
});

describe("a compared window that ends at the current time of day", () => {
  const cutAt = (calendar: Calendar, now: string, last: string) => {
    const nowMs = Date.parse(now);
    const today = calendar.dateOf(nowMs);
    const window = comparedWindow(custom(last, last), rangeOf(today, today), nowMs, calendar);
    return window?.endsAtMs == null ? null : new Date(window.endsAtMs).toISOString();
  };

  it.each([
    ["is the same on two days of 24 hours", "2026-03-16T13:30:00Z", "2026-03-09", "2026-03-09T13:30:00.000Z"],
    ["is an hour earlier in UTC after the clock went forward", "2026-03-30T13:30:00Z", "2026-03-23", "2026-03-23T14:30:00.000Z"],
    ["is 14:30 on the day of 23 hours and on one of 24", "2026-03-29T12:30:00Z", "2026-03-22", "2026-03-22T13:30:00.000Z"],
    ["is 14:30 on the day of 25 hours and on one of 24", "2026-10-25T13:30:00Z", "2026-10-18", "2026-10-18T12:30:00.000Z"],
    ["is where the hour that a day skips would have been", "2026-04-05T00:30:00Z", "2026-03-29", "2026-03-29T01:00:00.000Z"],
    ["is the first time of an hour that comes twice", "2026-11-01T01:30:00Z", "2026-10-25", "2026-10-25T00:30:00.000Z"],
    ["is 02:30 also when that hour comes again", "2026-10-25T01:30:00Z", "2026-10-18", "2026-10-18T00:30:00.000Z"],
  ])("ends at the current time of day, by the clock of a site, %s", (_case, now, last, endsAt) => {
    expect(cutAt(new ZonedCalendar(zoneNamed("Europe/Berlin")), now, last)).toBe(endsAt);
  });

  it("ends a whole date early if that date is shorter, or today is longer, because the time zone changes", () => {
    const shorter = new ZonedCalendar(zoneNamed("America/New_York"), [
      { firstDate: "2026-03-05" as LocalDate, zone: zoneNamed("Europe/Berlin") },
    ]);
    expect(cutAt(shorter, "2026-03-11T21:00:00Z", "2026-03-04")).toBe("2026-03-04T23:00:00.000Z");
    const longer = new ZonedCalendar(zoneNamed("Pacific/Kiritimati"), [
      { firstDate: "2026-03-10" as LocalDate, zone: zoneNamed("Pacific/Pago_Pago") },
    ]);
    expect(cutAt(longer, "2026-03-10T00:00:00Z", "2026-03-02")).toBe("2026-03-02T10:00:00.000Z");
  });
});

describe("scopesOf", () => {
  const scope = { siteId: "a.test" as SiteId, range: rangeOf("2026-03-01", "2026-03-15"), conditions: [] };
  const endsAtMs = Date.parse("2026-03-08T12:00:00.000Z");
  const partsOf = (first: string, last: string, rotationDays: number, cutMs: number | null) =>
    scopesOf(scope, { range: rangeOf(first, last), endsAtMs: cutMs }, rotationDays).map(({ range: part, ...rest }) => [
      `${part.firstDay} ${part.lastDay}`,
      "endsAtMs" in rest ? rest.endsAtMs : null,
    ]);

  it("leaves a whole window to rollups", () => {
    expect(partsOf("2026-03-01", "2026-03-08", 1, null)).toEqual([["2026-03-01 2026-03-08", null]]);
  });

  it.each<[rotationDays: number, whole: string | null, cut: string]>([
    [1, "2026-02-20 2026-03-07", "2026-03-08 2026-03-08"],
    // Periods of seven days begin on Thursdays, as the epoch.
    [7, "2026-02-20 2026-03-04", "2026-03-05 2026-03-08"],
    [100_000, null, "2026-02-20 2026-03-08"],
  ])("cuts only the last salt period of %d days, and leaves the others to rollups", (rotationDays, whole, cut) => {
    expect(partsOf("2026-02-20", "2026-03-08", rotationDays, endsAtMs)).toEqual([
      ...(whole === null ? [] : [[whole, null]]),
      [cut, endsAtMs],
    ]);
  });

  it("cuts a window within one salt period as one", () => {
    expect(partsOf("2026-03-08", "2026-03-08", 1, endsAtMs)).toEqual([["2026-03-08 2026-03-08", endsAtMs]]);
  });
});
