/** The window that the dashboard compares a range with (docs/reports.md, "Comparison"). */
import { describe, expect, it } from "vitest";
import { comparedRangeOf, customRange, rangeOf, type ComparisonChoice, type Range } from "../../../../dashboard/state/range.ts";

/** A Sunday. */
const TODAY = "2026-03-15";

const weekdayOf = (day: string): number => new Date(day).getUTCDay();

const dates = (start: string, end: string): Range => customRange(start, end, TODAY);

const choice = (comparison: ComparisonChoice["comparison"], matchWeekdays: boolean, custom: Range | null = null): ComparisonChoice => ({
  comparison,
  matchWeekdays,
  custom,
});

const byWeekday = choice("previous_period", true);
const directlyBefore = choice("previous_period", false);
const yearByWeekday = choice("year_over_year", true);
const yearByCalendar = choice("year_over_year", false);

const windowOf = (range: Range, chosen: ComparisonChoice, today = TODAY): readonly [string, string] | null => {
  const compared = comparedRangeOf(range, chosen, today);
  return compared && [compared.start, compared.end];
};

describe("the compared range of the dashboard", () => {
  it.each([
    ["day", "2026-03-08", "2026-03-08"],
    ["7d", "2026-03-02", "2026-03-08"],
    ["30d", "2026-01-10", "2026-02-08"],
    ["90d", "2025-09-16", "2025-12-14"],
    ["12mo", "2024-03-10", "2025-03-09"],
  ] as const)("the previous period of %s on the same weekdays is from %s to %s", (period, start, end) => {
    expect(windowOf(rangeOf(period, TODAY), byWeekday)).toEqual([start, end]);
  });

  it.each([
    ["day", "2026-03-14", "2026-03-14"],
    ["7d", "2026-03-02", "2026-03-08"],
    ["30d", "2026-01-15", "2026-02-13"],
    ["12mo", "2024-03-16", "2025-03-15"],
  ] as const)("the previous period of %s without matching weekdays is directly before: %s to %s", (period, start, end) => {
    expect(windowOf(rangeOf(period, TODAY), directlyBefore)).toEqual([start, end]);
  });

  it("weekdays match by the least whole number of weeks that leaves no overlap", () => {
    for (let days = 1; days <= 366; days++) {
      const range = dates(rangeOf("12mo", TODAY).start, TODAY);
      const asked = { ...range, days, start: new Date(Date.parse(TODAY) - (days - 1) * 86_400_000).toISOString().slice(0, 10) };
      const compared = comparedRangeOf(asked, byWeekday, TODAY);
      const back = (Date.parse(asked.start) - Date.parse(compared?.start ?? "")) / 86_400_000;
      expect({ days, back }).toEqual({ days, back: 7 * Math.ceil(days / 7) });
      expect(compared?.days).toBe(days);
      expect(weekdayOf(compared?.start ?? "")).toBe(weekdayOf(asked.start));
    }
  });

  it.each([
    ["a week", dates("2026-03-09", "2026-03-15"), ["2025-03-10", "2025-03-16"], ["2025-03-09", "2025-03-15"]],
    ["a leap day", dates("2024-02-29", "2024-02-29"), ["2023-03-02", "2023-03-02"], ["2023-02-28", "2023-02-28"]],
    ["a month with a leap day", dates("2024-02-01", "2024-02-29"), ["2023-02-02", "2023-03-02"], ["2023-02-01", "2023-02-28"]],
    ["a month after a leap year", dates("2025-02-01", "2025-03-31"), ["2024-02-03", "2024-04-01"], ["2024-02-01", "2024-03-31"]],
    [
      "two days over a leap day a year earlier",
      dates("2025-02-28", "2025-03-01"),
      ["2024-03-01", "2024-03-02"],
      ["2024-02-28", "2024-02-29"],
    ],
    ["three days over a leap day", dates("2024-02-28", "2024-03-01"), ["2023-03-01", "2023-03-03"], ["2023-02-28", "2023-03-02"]],
  ] as const)("year over year, %s is 364 days earlier on the same weekdays, or the same dates", (_name, range, weekdays, calendar) => {
    expect(windowOf(range, yearByWeekday)).toEqual(weekdays);
    expect(windowOf(range, yearByCalendar)).toEqual(calendar);
  });

  it("a range longer than 52 weeks is compared with the same dates a year earlier, of which there are at most 366", () => {
    const year = rangeOf("12mo", TODAY);
    expect(windowOf(year, yearByWeekday)).toEqual(["2024-03-16", "2025-03-15"]);
    expect(windowOf(year, yearByWeekday)).toEqual(windowOf(year, yearByCalendar));
    expect(comparedRangeOf(dates("2024-03-01", "2025-03-01"), yearByCalendar, TODAY)).toMatchObject({
      start: "2023-03-02",
      end: "2024-03-01",
      days: 366,
    });
  });

  it("a range that includes today has a day that corresponds to today, up to now", () => {
    const today = (range: Range, chosen: ComparisonChoice, now = TODAY) => comparedRangeOf(range, chosen, now)?.today;
    expect(today(rangeOf("day", TODAY), byWeekday)).toBe("2026-03-08");
    expect(today(rangeOf("30d", TODAY), byWeekday)).toBe("2026-02-08");
    expect(today(dates("2026-03-09", "2026-03-14"), byWeekday)).toBeNull();
    expect(today(dates("2026-03-16", "2026-03-20"), byWeekday)).toBeNull();
    // The rest of the week is still to come, so the rest of the week before does not count.
    expect(today(dates("2026-03-13", "2026-03-19"), byWeekday)).toBe("2026-03-08");
    expect(today(dates("2024-02-01", "2024-03-31"), yearByCalendar, "2024-03-10")).toBe("2023-03-10");
  });

  it("a custom window is as chosen, and its last day corresponds to today", () => {
    const custom = choice("custom", true, dates("2025-12-01", "2025-12-24"));
    expect(comparedRangeOf(rangeOf("7d", TODAY), custom, TODAY)).toEqual({ ...dates("2025-12-01", "2025-12-24"), today: "2025-12-24" });
    expect(comparedRangeOf(dates("2026-01-01", "2026-01-24"), custom, TODAY)?.today).toBeNull();
  });

  it("there is no comparison without a choice, and none with a time before 1970", () => {
    expect(comparedRangeOf(rangeOf("7d", TODAY), choice("none", true), TODAY)).toBeNull();
    expect(comparedRangeOf(dates("1970-01-03", "1970-01-08"), byWeekday, TODAY)).toBeNull();
    expect(comparedRangeOf(dates("1970-06-01", "1970-06-08"), yearByCalendar, TODAY)).toBeNull();
  });
});
