/** How ranges of days are cut for charts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type BucketLength,
  bucketOfDay,
  bucketsOf,
  checkInterval,
  type DateRange,
  daysOf,
  lengthOf,
  rangeOfDays,
} from "../../../../src/runtime/query/date-range.ts";
import { WEEK_STARTS } from "../../../../src/shared/site-choices.ts";
import { dayNumberOf, utcCalendar, ZonedCalendar, type Calendar } from "../../../../src/storage/calendar.ts";
import { DAY_MS, isLocalDate, type LocalDate, utcDateOf } from "../../../../src/storage/event.ts";
import { zoneNamed } from "../../../support/time-zones.ts";

const HOUR_MS = 3_600_000;

const byDefault = (range: DateRange) => bucketsOf(range, lengthOf(range, null, "monday"), utcCalendar);

const rangeOf = (first: string, last: string): DateRange => rangeOfDays(first as LocalDate, last as LocalDate);

const anyDay = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9998-12-30"), noInvalidDate: true })
  .map((date) => utcDateOf(date.getTime()));

const isHourly = ({ dayCount }: DateRange): boolean => dayCount <= 2;

describe("bucketsOf", () => {
  it("returns hourly buckets for one and two days", () => {
    const one = byDefault(rangeOf("2026-03-15", "2026-03-15"));
    expect([one.length, one[0], one[9]?.label, one[23]?.label]).toEqual([
      24,
      { key: Date.parse("2026-03-15") / HOUR_MS, label: "2026-03-15 00:00" },
      "2026-03-15 09:00",
      "2026-03-15 23:00",
    ]);
    const two = byDefault(rangeOf("2026-02-28", "2026-03-01"));
    expect([two.length, two[24]?.label, two[47]?.label]).toEqual([48, "2026-03-01 00:00", "2026-03-01 23:00"]);
  });

  it("returns daily buckets for three and more days", () => {
    const three = byDefault(rangeOf("2026-02-27", "2026-03-01"));
    expect(three.map(({ label }) => label)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
    expect(three[0]?.key).toBe(Date.parse("2026-02-27") / DAY_MS);
    expect(byDefault(rangeOf("2024-01-01", "2024-12-31"))).toHaveLength(366);
  });

  it("covers the range without gaps or overlaps, with unique labels", () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 1, max: 366 }), (first, days) => {
        const last = utcDateOf(Date.parse(first) + (days - 1) * DAY_MS);
        fc.pre(isLocalDate(last));
        const range = rangeOfDays(first, last);
        const buckets = byDefault(range);
        const sizeMs = isHourly(range) ? HOUR_MS : DAY_MS;
        expect(buckets.length * sizeMs).toBe(days * DAY_MS);
        expect(buckets.map(({ key }) => key * sizeMs)).toEqual(buckets.map((_, i) => Date.parse(first) + i * sizeMs));
        const labels = buckets.map(({ label }) => label);
        expect(new Set(labels).size).toBe(labels.length);
        expect([...labels].sort()).toEqual(labels);
      }),
    );
  });

  it("returns daily buckets in daysOf, however short the range", () => {
    expect(daysOf(rangeOf("2026-02-28", "2026-03-01")).map(({ label }) => label)).toEqual(["2026-02-28", "2026-03-01"]);
  });

  const labels = (first: string, last: string, length: BucketLength, calendar: Calendar = utcCalendar) =>
    bucketsOf(rangeOf(first, last), length, calendar).map(({ label }) => label);

  it("begins weeks on the site's day, and labels a week that the range cuts by its first day in the range", () => {
    expect(labels("2026-03-15", "2026-03-30", "monday")).toEqual(["2026-03-15", "2026-03-16", "2026-03-23", "2026-03-30"]);
    expect(labels("2026-03-15", "2026-03-30", "sunday")).toEqual(["2026-03-15", "2026-03-22", "2026-03-29"]);
    expect(labels("2026-03-15", "2026-03-30", "saturday")).toEqual(["2026-03-15", "2026-03-21", "2026-03-28"]);
    expect(labels("2024-12-30", "2025-01-05", "monday")).toEqual(["2024-12-30"]);
    expect(labels("1969-12-28", "1970-01-05", "monday")).toEqual(["1969-12-28", "1969-12-29", "1970-01-05"]);
  });

  it.each(WEEK_STARTS)("returns weeks from %s on request, and otherwise the same buckets as for every site", (weekStart) => {
    const range = rangeOf("2026-03-01", "2026-03-31");
    expect(lengthOf(range, "week", weekStart)).toBe(weekStart);
    for (const interval of ["hour", "day", "month"] as const) expect(lengthOf(range, interval, weekStart)).toBe(interval);
    expect(lengthOf(range, null, weekStart)).toBe("day");
    expect(lengthOf(rangeOf("2026-03-01", "2026-03-02"), null, weekStart)).toBe("hour");
  });

  it("begins months on their first day, and labels a month that the range cuts by its first day in the range", () => {
    expect(labels("2024-02-29", "2024-03-02", "month")).toEqual(["2024-02-29", "2024-03-01"]);
    expect(labels("2025-11-15", "2026-01-01", "month")).toEqual(["2025-11-15", "2025-12-01", "2026-01-01"]);
  });

  it("places each day in the bucket of its week or month", () => {
    fc.assert(
      fc.property(anyDay, fc.constantFrom("day" as const, "month" as const, ...WEEK_STARTS), (day, length) => {
        const next = utcDateOf(Date.parse(day) + DAY_MS);
        const weekday = new Date(next).getUTCDay();
        const begins = {
          day: true,
          month: next.endsWith("-01"),
          monday: weekday === 1,
          sunday: weekday === 0,
          saturday: weekday === 6,
        }[length];
        const [bucket, following] = [bucketOfDay(dayNumberOf(day), length), bucketOfDay(dayNumberOf(next), length)];
        expect(following - bucket).toBe(begins ? 1 : 0);
      }),
    );
  });

  const inZone = (name: string, ...changes: readonly (readonly [firstDate: string, zone: string])[]): Calendar =>
    new ZonedCalendar(
      zoneNamed(name),
      changes.map(([firstDate, zone]) => ({ firstDate: firstDate as LocalDate, zone: zoneNamed(zone) })),
    );
  const hoursOf = (day: string, calendar: Calendar): number[] =>
    labels(day, day, "hour", calendar).map((label) => Number(label.slice(11, 13)));
  const without = (...hours: readonly number[]) => Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => !hours.includes(hour));

  it.each([
    ["Europe/Berlin", "2026-03-28", without(), "no change of the clock"],
    ["Europe/Berlin", "2026-03-29", without(2), "02:00 is skipped"],
    ["Europe/Berlin", "2026-10-25", without(), "02:00 comes twice"],
    ["America/Sao_Paulo", "2017-10-15", without(0), "midnight is skipped"],
    ["America/Sao_Paulo", "2018-02-17", without(), "23:00 comes twice"],
    ["Australia/Lord_Howe", "2026-10-04", without(), "02:00 to 02:30 is skipped"],
    ["Australia/Lord_Howe", "2026-04-05", without(), "01:30 to 02:00 comes twice"],
    ["Asia/Kathmandu", "2026-03-29", without(), "45 minutes off the hours of UTC"],
    ["Pacific/Apia", "2011-12-30", without(), "the whole date is skipped"],
  ])("returns the hours that the clock of %s showed on %s, once each: %j (%s)", (zone, day, hours) => {
    expect(hoursOf(day, inZone(zone))).toEqual(hours);
  });

  it("returns the hours of a day that a change of the time zone makes shorter or longer", () => {
    const westward = inZone("Pacific/Kiritimati", ["2026-03-10", "Pacific/Pago_Pago"]);
    expect(hoursOf("2026-03-09", westward)).toEqual(without());
    const eastward = inZone("America/New_York", ["2026-03-05", "Europe/Berlin"]);
    expect(hoursOf("2026-03-04", eastward)).toEqual(without(18, 19, 20, 21, 22, 23));
    expect(labels("2026-03-04", "2026-03-05", "hour", eastward)).toHaveLength(18 + 24);
  });

  it("returns the minutes that the clock of the day showed, once each", () => {
    const minutesOf = (day: string, zone: string) => labels(day, day, "minute", inZone(zone));
    const spring = minutesOf("2026-03-29", "Europe/Berlin");
    expect([spring.length, spring[0], spring[119], spring[120]]).toEqual([
      1380,
      "2026-03-29 00:00",
      "2026-03-29 01:59",
      "2026-03-29 03:00",
    ]);
    expect(minutesOf("2026-10-25", "Europe/Berlin")).toHaveLength(1440);
    // Half an hour is skipped.
    const lordHowe = minutesOf("2026-10-04", "Australia/Lord_Howe");
    expect([lordHowe.length, lordHowe[120]]).toEqual([1410, "2026-10-04 02:30"]);
    expect(minutesOf("2011-12-30", "Pacific/Apia")).toHaveLength(1440);
    const [first] = bucketsOf(rangeOf("2026-03-15", "2026-03-15"), "minute", utcCalendar);
    expect(first).toEqual({ key: Date.parse("2026-03-15") / 60_000, label: "2026-03-15 00:00" });
  });

  it("allows at most a day of minutes", () => {
    expect(() => checkInterval({ interval: "minute" }, rangeOf("2026-01-01", "2026-01-01"))).not.toThrow();
    const twoDays = rangeOf("2026-01-01", "2026-01-02");
    expect(() => checkInterval({ interval: "minute" }, twoDays)).toThrow(
      /must be hour, day, week or month for a range of more than 1 day$/,
    );
  });

  it("returns monthly buckets by default for more than 366 days", () => {
    expect(lengthOf(rangeOf("2025-01-01", "2026-01-01"), null, "monday")).toBe("day");
    expect(lengthOf(rangeOf("2025-01-01", "2026-01-02"), null, "monday")).toBe("month");
    expect(lengthOf(rangeOf("2020-01-01", "2026-01-02"), "day", "monday")).toBe("day");
  });

  it("allows at most 31 days of hours", () => {
    expect(() => checkInterval({ interval: "hour" }, rangeOf("2026-01-01", "2026-01-31"))).not.toThrow();
    expect(labels("2026-01-01", "2026-01-31", "hour")).toHaveLength(744);
    expect(() => checkInterval({ interval: "hour" }, rangeOf("2026-01-01", "2026-02-01"))).toThrow(/"interval" must be day, week or month/);
    expect(() => checkInterval({ interval: "week" }, rangeOf("2026-01-01", "2026-12-31"))).not.toThrow();
  });
});
