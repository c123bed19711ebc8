/** Which dates of a share link a viewer gets to see. */
import { describe, expect, it } from "vitest";
import {
  customRange,
  rangeOf,
  isWithin,
  rangeWithin,
  sharedPeriod,
  sharedRange,
  sharedRangeProblem,
} from "../../../../dashboard/state/range.ts";
import { parseDateRange, SHORT_PERIOD_NAMES } from "../../../../src/runtime/query/date-range.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";

const TODAY = "2026-11-18";

const dates = (start: string, end: string) => customRange(start, end, TODAY);

const NOVEMBER = dates("2026-11-01", "2026-11-30");

describe("shared dates", () => {
  it("shared dates are a period that ends today, fixed dates, or all", () => {
    const link = { period: null, start_date: null, end_date: null };
    expect(sharedRange({ ...link, period: "7d" }, TODAY)).toEqual(rangeOf("7d", TODAY));
    expect(sharedRange({ ...link, start_date: "2026-11-01", end_date: "2026-11-30" }, TODAY)).toEqual(NOVEMBER);
    expect(sharedRange(link, TODAY)).toBeNull();
    expect(sharedRange({ ...link, period: "all" }, TODAY)).toBeNull();
    expect(sharedPeriod({ ...link, period: "7d" })).toBe("7d");
    expect(sharedPeriod(link)).toBeNull();
  });

  it.each(SHORT_PERIOD_NAMES)("shared dates of the period %s are those of the service", (period) => {
    const { firstDay, lastDay } = parseDateRange({ period, startDate: null, endDate: null }, { today: TODAY as LocalDate });
    expect(sharedRange({ period, start_date: null, end_date: null }, TODAY)).toMatchObject({ start: firstDay, end: lastDay });
  });

  it("shared dates contain only whole ranges; all dates contain every range", () => {
    expect(isWithin(dates("2026-11-01", "2026-11-30"), NOVEMBER)).toBe(true);
    expect(isWithin(dates("2026-10-31", "2026-11-02"), NOVEMBER)).toBe(false);
    expect(isWithin(dates("2026-11-30", "2026-12-01"), NOVEMBER)).toBe(false);
    expect(isWithin(dates("1999-01-01", "1999-01-02"), null)).toBe(true);
  });

  it("shared dates cut a range that leaves them, and replace one outside", () => {
    expect(rangeWithin(dates("2026-11-05", "2026-11-06"), NOVEMBER, TODAY)).toEqual(dates("2026-11-05", "2026-11-06"));
    expect(rangeWithin(dates("2026-10-20", "2026-11-02"), NOVEMBER, TODAY)).toEqual(dates("2026-11-01", "2026-11-02"));
    expect(rangeWithin(dates("2026-01-01", "2026-01-02"), NOVEMBER, TODAY)).toEqual(NOVEMBER);
    expect(rangeWithin(dates("2026-01-01", "2026-01-02"), null, TODAY)).toEqual(dates("2026-01-01", "2026-01-02"));
  });

  it("the problem names the date outside the shared dates", () => {
    expect(sharedRangeProblem("2026-11-05", "2026-11-06", NOVEMBER)).toBeNull();
    expect(sharedRangeProblem("2026-10-05", "2026-11-06", NOVEMBER)?.date).toBe("start");
    expect(sharedRangeProblem("2026-11-05", "2026-12-06", NOVEMBER)?.date).toBe("end");
    expect(sharedRangeProblem("2026-12-05", "2026-12-06", NOVEMBER)?.text).toBe("This page shows 2026-11-01 to 2026-11-30.");
  });
});
