/** The dashboard's date ranges: periods, the compared range, and the periods before and after. */
import { describe, expect, it } from "vitest";
import { comparedRange, rangeOf, shifted } from "../../../../dashboard/state/range.ts";

const TODAY = "2026-03-15";

describe("date ranges of the dashboard", () => {
  it.each([
    ["day", "2026-03-15", 1],
    ["7d", "2026-03-09", 7],
    ["30d", "2026-02-14", 30],
    ["12mo", "2025-03-16", 365],
  ] as const)("%s begins on %s and ends today", (period, start, days) => {
    expect(rangeOf(period, null, null, TODAY)).toEqual({ start, end: TODAY, days });
  });

  it("a custom range has both of its days", () => {
    expect(rangeOf("custom", "2026-02-27", "2026-03-01", TODAY)).toEqual({ start: "2026-02-27", end: "2026-03-01", days: 3 });
  });

  it.each([
    ["2026-03-01", "2026-02-27"],
    ["yesterday", "2026-03-01"],
    ["2026-02-27", "2026-13-01"],
  ])("a custom range from %s to %s is the last 30 days instead", (start, end) => {
    expect(rangeOf("custom", start, end, TODAY)).toEqual(rangeOf("30d", null, null, TODAY));
  });

  it("the compared range is as long, and directly before or 365 days earlier", () => {
    const range = rangeOf("7d", null, null, TODAY);
    expect(comparedRange(range, "previous_period")).toEqual({ start: "2026-03-02", end: "2026-03-08", days: 7 });
    expect(comparedRange(range, "year_over_year")).toEqual({ start: "2025-03-09", end: "2025-03-15", days: 7 });
  });

  it("the previous period is a custom range, the next one named again where it ends today", () => {
    const range = rangeOf("7d", null, null, TODAY);
    const previous = { period: null, start: "2026-03-02", end: "2026-03-08" };
    expect(shifted(range, -1, TODAY)).toEqual(previous);
    expect(shifted({ ...previous, days: 7 }, 1, TODAY)).toEqual({ period: "7d", start: null, end: null });
  });

  it("there is no next period in the future", () => {
    expect(shifted(rangeOf("7d", null, null, TODAY), 1, TODAY)).toBeNull();
  });
});
