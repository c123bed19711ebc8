/** The dashboard's date ranges: periods, custom ranges, and the periods before and after. */
import { describe, expect, it } from "vitest";
import { customRange, rangeOf, rangeProblem, shifted, type Range } from "../../../../dashboard/state/range.ts";

const TODAY = "2026-03-15";

const moved = (range: Range, lengths: number, period: Parameters<typeof shifted>[2]["period"] = "custom", bounds: Range | null = null) =>
  shifted(range, lengths, { period, today: TODAY, bounds });

describe("date ranges of the dashboard", () => {
  it.each([
    ["day", "2026-03-15", 1],
    ["7d", "2026-03-09", 7],
    ["30d", "2026-02-14", 30],
    ["6mo", "2025-09-15", 182],
    ["12mo", "2025-03-16", 365],
    ["month", "2026-03-01", 15],
    ["year", "2026-01-01", 74],
  ] as const)("%s begins on %s and ends today", (period, start, days) => {
    expect(rangeOf(period, TODAY)).toEqual({ start, end: TODAY, days });
  });

  it("all time is from the first event's day on, and today alone without one that is past", () => {
    expect(rangeOf("all", TODAY, "2023-11-02")).toEqual({ start: "2023-11-02", end: TODAY, days: 865 });
    expect(rangeOf("all", TODAY)).toEqual(rangeOf("day", TODAY));
    expect(rangeOf("all", TODAY, "2026-03-20")).toEqual(rangeOf("day", TODAY));
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

  it("a range has at most 10,000 days: of a longer one, the last 10,000 are left", () => {
    expect(rangeProblem("1999-07-30", "2026-12-14")).toBeNull();
    expect(rangeProblem("1999-07-29", "2026-12-14")).toEqual({ date: "start", text: "Choose up to 10,000 days: this range has 10,001." });
    expect(customRange("1980-01-01", "2026-12-14", TODAY)).toEqual({ start: "1999-07-30", end: "2026-12-14", days: 10_000 });
  });

  it("the previous period is a custom range, the next one named again where it ends today", () => {
    const range = rangeOf("7d", TODAY);
    const previous = { period: null, start: "2026-03-02", end: "2026-03-08" };
    expect(moved(range, -1, "7d")).toEqual(previous);
    expect(moved({ ...previous, days: 7 }, 1)).toEqual({ period: "7d", start: null, end: null });
  });

  it("the periods before a month and a year to date are whole, and the next is again the one to date", () => {
    expect(moved(rangeOf("month", TODAY), -1, "month")).toEqual({ period: null, start: "2026-02-01", end: "2026-02-28" });
    expect(moved(customRange("2026-02-01", "2026-02-28", TODAY), -1)).toEqual({ period: null, start: "2026-01-01", end: "2026-01-31" });
    expect(moved(customRange("2026-02-01", "2026-02-28", TODAY), 1)).toEqual({ period: "month", start: null, end: null });
    expect(moved(rangeOf("year", TODAY), -1, "year")).toEqual({ period: null, start: "2025-01-01", end: "2025-12-31" });
    expect(moved(customRange("2024-01-01", "2024-12-31", TODAY), 1)).toEqual({ period: null, start: "2025-01-01", end: "2025-12-31" });
    expect(moved(customRange("2025-01-01", "2025-12-31", TODAY), 1)).toEqual({ period: "year", start: null, end: null });
    expect(moved(rangeOf("month", TODAY), 1, "month")).toBeNull();
  });

  it("there is no period before or after all time, nor outside the dates of a share link", () => {
    const all = rangeOf("all", TODAY, "2023-11-02");
    expect(moved(all, -1, "all")).toBeNull();
    expect(moved(all, 1, "all")).toBeNull();
    expect(moved(rangeOf("7d", TODAY), -1, "7d", rangeOf("30d", TODAY))).toEqual({ period: null, start: "2026-03-02", end: "2026-03-08" });
    expect(moved(rangeOf("7d", TODAY), -4, "7d", rangeOf("30d", TODAY))).toBeNull();
  });

  it("there is no next period in the future, and no previous one before 1970 or after 9999", () => {
    expect(moved(rangeOf("7d", TODAY), 1, "7d")).toBeNull();
    expect(moved(customRange("1970-01-02", "1970-01-03", TODAY), -1)).toBeNull();
    expect(moved(customRange("9999-12-01", "9999-12-31", TODAY), 1)).toBeNull();
  });
});
