/** Ranges of dates: what periods and dates name. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/runtime/base/errors.ts";
import { parseDateRange, rangeOfDays, type SiteDates } from "../../../../src/runtime/query/date-range.ts";
import { DAY_MS, isLocalDate, type LocalDate, utcDateOf } from "../../../../src/storage/event.ts";

const TODAY = "2026-03-15" as LocalDate;

const nothing = { period: null, startDate: null, endDate: null };

const firstAndLast = ({ firstDay, lastDay, dayCount }: ReturnType<typeof rangeOfDays>) => [firstDay, lastDay, dayCount];

const periodAt = (period: string | null, site: SiteDates) => firstAndLast(parseDateRange({ ...nothing, period }, site));

const datesAt = (startDate: string | null, endDate: string | null, daysMax?: number) =>
  parseDateRange({ period: null, startDate, endDate }, { today: TODAY }, daysMax);

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof AppError && error.failure.code === "invalid_input") return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Days of any four-digit year. */
const anyDay = fc
  .integer({ min: Date.parse("0001-01-01") / DAY_MS, max: Date.parse("9998-12-31") / DAY_MS })
  .map((day) => utcDateOf(day * DAY_MS));

describe("parseDateRange", () => {
  it.each([
    ["day", "2026-03-15", 1],
    ["today", "2026-03-15", 1],
    ["7d", "2026-03-09", 7],
    ["30d", "2026-02-14", 30],
    ["90d", "2025-12-16", 90],
    ["6mo", "2025-09-15", 182],
    ["12mo", "2025-03-16", 365],
    ["month", "2026-03-01", 15],
    ["year", "2026-01-01", 74],
    [null, "2026-02-14", 30],
  ])("parses the period %s as the dates up to today", (period, firstDay, dayCount) => {
    expect(periodAt(period, { today: TODAY })).toEqual([firstDay, "2026-03-15", dayCount]);
  });

  it.each(["", "Day", "1d", "31d", "Year", "toString", "__proto__", "7d "])("refuses the period %j and lists the known ones", (period) => {
    const message = refusal(() => parseDateRange({ ...nothing, period }, { today: TODAY, firstDay: null }));
    for (const known of ['"period"', "day", "today", "7d", "30d", "90d", "6mo", "12mo", "month", "year", "all"])
      expect(message).toContain(known);
  });

  it.each([
    ["2023-01-01", "2023-01-01", 1170],
    ["2026-03-15", "2026-03-15", 1],
    [null, "2026-03-15", 1],
    // The clock was wrong when these events came.
    ["2026-03-16", "2026-03-15", 1],
    ["1970-01-01", "1998-10-29", 10_000],
  ])("parses all dates of a site whose first event is of %s as the dates from %s on", (firstDay, from, dayCount) => {
    expect(periodAt("all", { today: TODAY, firstDay: firstDay as LocalDate | null })).toEqual([from, "2026-03-15", dayCount]);
  });

  it("refuses all dates if they are not offered", () => {
    expect(refusal(() => parseDateRange({ ...nothing, period: "all" }, { today: TODAY }))).toMatch(
      /"period" must be one of .*, year, got "all"$/,
    );
  });

  it("begins a month and a year today if today is their first date", () => {
    const at = (today: string) => ["month", "year"].map((period) => periodAt(period, { today: today as LocalDate })[2]);
    expect([at("2026-01-01"), at("2026-02-01"), at("2024-12-31")]).toEqual([
      [1, 1],
      [1, 32],
      [31, 366],
    ]);
  });

  it("accepts as many dates as the request allows", () => {
    expect(datesAt("2020-01-01", "2026-03-15", 10_000).dayCount).toBe(2266);
    expect(refusal(() => datesAt("1998-10-28", "2026-03-15", 10_000))).toContain("10000");
  });

  it("parses dates with both ends included, and ignores the period", () => {
    expect(firstAndLast(datesAt("2026-02-28", "2026-03-01"))).toEqual(["2026-02-28", "2026-03-01", 2]);
    expect(firstAndLast(parseDateRange({ period: "12mo", startDate: "2026-01-01", endDate: "2026-01-01" }, { today: TODAY }))).toEqual([
      "2026-01-01",
      "2026-01-01",
      1,
    ]);
  });

  it.each([
    ["2025-01-01", "2026-01-01", 366],
    ["2024-01-01", "2024-12-31", 366],
    ["2026-03-15", "2026-03-15", 1],
    ["9999-12-31", "9999-12-31", 1],
  ])("accepts %s to %s", (start, end, dayCount) => {
    expect(datesAt(start, end).dayCount).toBe(dayCount);
  });

  it.each([
    ["2025-01-01", "2026-01-02", "366"],
    ["2024-01-01", "2025-01-01", "366"],
    ["2026-03-15", "2026-03-14", "before"],
    ["2026-03-15", null, '"end_date" is required'],
    [null, "2026-03-15", '"start_date" is required'],
    ["2026-02-29", "2026-03-15", '"start_date"'],
    ["2026-02-28", "2026-02-29", '"end_date"'],
    ["", "2026-03-15", '"start_date"'],
    ["2026-03-15", "", '"end_date"'],
    ["nonsense", "nonsense", "YYYY-MM-DD"],
  ])("refuses %s to %s", (start, end, says) => {
    expect(refusal(() => datesAt(start, end))).toContain(says);
  });

  it("accepts exactly the spans of 1 to 366 days", () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: -400, max: 400 }), (start, days) => {
        const end = utcDateOf(Date.parse(start) + (days - 1) * DAY_MS);
        // Outside four-digit years there is nothing to write.
        fc.pre(isLocalDate(end));
        if (days >= 1 && days <= 366) expect(datesAt(start, end).dayCount).toBe(days);
        else expect(refusal(() => datesAt(start, end))).toContain("date");
      }),
      { numRuns: 500 },
    );
  });
});

describe("isLocalDate", () => {
  it.each(["2026-01-31", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("accepts %s", (text) => {
    expect(isLocalDate(text)).toBe(true);
  });

  it.each([
    "2026-02-29",
    "1900-02-29",
    "2026-04-31",
    "2026-00-01",
    "2026-13-01",
    "2026-01-00",
    "2026-01-32",
    "2026-1-1",
    "26-01-01",
    "2026-01-01T00:00:00Z",
    " 2026-01-01",
    "2026-01-01 ",
    "2026-01-01\n",
    "+2026-01-01",
    "-2026-01-01",
    "12026-01-01",
    "２０２６-01-01",
    "",
  ])("refuses %j", (text) => {
    expect(isLocalDate(text)).toBe(false);
  });
});
