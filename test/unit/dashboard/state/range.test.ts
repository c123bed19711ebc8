/** The dashboard's date ranges: periods, custom ranges, and the periods before and after. */
import { describe, expect, it } from "vitest";
import { customRange, rangeOf, rangeProblem, shifted } from "../../../../dashboard/state/range.ts";

const TODAY = "2026-03-15";

describe("date ranges of the dashboard", () => {
  it.each([
    ["day", "2026-03-15", 1],
    ["7d", "2026-03-09", 7],
    ["30d", "2026-02-14", 30],
    ["12mo", "2025-03-16", 365],
  ] as const)("%s begins on %s and ends today", (period, start, days) => {
    expect(rangeOf(period, TODAY)).toEqual({ start, end: TODAY, days });
  });

  it("a custom range has both of its days", () => {
    expect(customRange("2026-02-27", "2026-03-01", TODAY)).toEqual({ start: "2026-02-27", end: "2026-03-01", days: 3 });
    expect(rangeProblem("2026-02-27", "2026-03-01")).toBeNull();
  });

  it.each([
    ["2026-03-01", "2026-02-27", "end"],
    ["yesterday", "2026-03-01", "start"],
    ["2026-02-27", "2026-13-01", "end"],
    ["2026-02-31", "2026-03-01", "start"],
    ["2025-02-29", "2025-03-01", "start"],
    ["12026-02-27", "12026-03-01", "start"],
    ["1969-12-31", "1970-01-31", "start"],
    ["", "2026-03-01", "start"],
    ["2026-03-01", "", "end"],
  ])("a custom range from %j to %j names its %s date, and is the last 30 days instead", (start, end, date) => {
    expect(rangeProblem(start, end)).toMatchObject({ date });
    expect(customRange(start, end, TODAY)).toEqual(rangeOf("30d", TODAY));
  });

  it("a range has at most 366 days: of a longer one, the last 366 are left", () => {
    expect(rangeProblem("2024-01-01", "2024-12-31")).toBeNull();
    expect(rangeProblem("2024-01-01", "2025-01-01")).toEqual({ date: "start", text: "Choose up to 366 days: this range has 367." });
    expect(customRange("2019-06-01", "2024-12-31", TODAY)).toEqual({ start: "2024-01-01", end: "2024-12-31", days: 366 });
  });

  it("the previous period is a custom range, the next one named again where it ends today", () => {
    const range = rangeOf("7d", TODAY);
    const previous = { period: null, start: "2026-03-02", end: "2026-03-08" };
    expect(shifted(range, -1, TODAY)).toEqual(previous);
    expect(shifted({ ...previous, days: 7 }, 1, TODAY)).toEqual({ period: "7d", start: null, end: null });
  });

  it("there is no next period in the future, and no previous one before 1970 or after 9999", () => {
    expect(shifted(rangeOf("7d", TODAY), 1, TODAY)).toBeNull();
    expect(shifted(customRange("1970-01-02", "1970-01-03", TODAY), -1, TODAY)).toBeNull();
    expect(shifted(customRange("9999-12-01", "9999-12-31", TODAY), 1, TODAY)).toBeNull();
  });
});
