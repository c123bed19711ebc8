/** The rows of a calendar, for each first day of the week. */
import { describe, expect, it } from "vitest";
import { monthAfter, weekOf, weeksOfMonth } from "../../../../dashboard/state/range.ts";

describe("a month", () => {
  it("months follow one another, across years", () => {
    expect(monthAfter("2026-11-23", 0)).toBe("2026-11-01");
    expect(monthAfter("2026-11-30", 3)).toBe("2027-02-01");
    expect(monthAfter("2026-01-31", -1)).toBe("2025-12-01");
  });

  it.each([
    ["monday", "2026-11-16", "2026-10-26", 6],
    ["sunday", "2026-11-22", "2026-11-01", 5],
    ["saturday", "2026-11-21", "2026-10-31", 5],
  ] as const)("a month in weeks that begin on %s has weeks of seven days", (weekStart, ownWeek, first, weeks) => {
    expect(weekOf("2026-11-22", weekStart)[0]).toBe(ownWeek);
    const rows = weeksOfMonth("2026-11-22", weekStart);
    expect(rows[0]?.[0]).toBe(first);
    expect(rows.length).toBe(weeks);
    expect(rows.flat()).toContain("2026-11-30");
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([7]));
  });

  it("a month that begins and ends with its weeks contains no day of another", () => {
    expect(weeksOfMonth("2027-02-10", "monday").map((week) => week[0])).toEqual(["2027-02-01", "2027-02-08", "2027-02-15", "2027-02-22"]);
  });
});
