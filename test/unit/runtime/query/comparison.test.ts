import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparedRange } from "../../../../src/runtime/query/comparison.ts";
import { rangeOfDays, type DateRange } from "../../../../src/runtime/query/date-range.ts";
import { DAY_MS, utcDayOf, type UtcDay } from "../../../../src/storage/event.ts";

const rangeOf = (first: string, last: string): DateRange => rangeOfDays(first as UtcDay, last as UtcDay);

/** Any range that may be asked for. */
const range = fc
  .record({
    firstMs: fc.date({ min: new Date("0001-01-01"), max: new Date("9998-12-30"), noInvalidDate: true }).map((date) => date.getTime()),
    dayCount: fc.integer({ min: 1, max: 366 }),
  })
  .map(({ firstMs, dayCount }) => rangeOfDays(utcDayOf(firstMs), utcDayOf(firstMs + (dayCount - 1) * DAY_MS)));

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

  it("has a previous period of the same length that ends the day before", () => {
    fc.assert(
      fc.property(range, (asked) => {
        const compared = comparedRange(asked, "previous_period");
        expect(compared.dayCount).toBe(asked.dayCount);
        expect(compared.endMs).toBe(asked.startMs);
      }),
    );
  });

  it("has a window of the same length 365 days earlier for year_over_year", () => {
    fc.assert(
      fc.property(range, (asked) => {
        const compared = comparedRange(asked, "year_over_year");
        expect(compared.dayCount).toBe(asked.dayCount);
        expect(asked.startMs - compared.startMs).toBe(365 * DAY_MS);
      }),
    );
  });

  it("gives valid dates for every valid range", () => {
    fc.assert(
      fc.property(range, fc.constantFrom("previous_period" as const, "year_over_year" as const), (asked, comparison) => {
        const { firstDay, lastDay, startMs } = comparedRange(asked, comparison);
        expect(firstDay).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expect(lastDay).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expect(Number.isFinite(startMs)).toBe(true);
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
