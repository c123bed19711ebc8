/** The record of a calendar: when a zone takes effect, and what a damaged record is. */
import { describe, expect, it } from "vitest";
import { ZONE_CHANGES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import {
  calendarFrom,
  parseCalendarRecord,
  timeZoneOf,
  UTC_RECORD,
  withTimeZone,
  type CalendarRecord,
} from "../../../../src/runtime/sites/site-calendar.ts";
import { addDays, utcCalendar } from "../../../../src/storage/calendar.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
const DAY_MS = 86_400_000;

const change = (firstDate: string, timeZone: string) => ({ firstDate: firstDate as LocalDate, timeZone });

const BERLIN: CalendarRecord = { timeZone: "Europe/Berlin", changes: [] };

describe("a zone that is set", () => {
  it("takes effect at once where there are no events, and the history begins again", () => {
    expect(withTimeZone(UTC_RECORD, "Europe/Berlin", NOON, false)).toEqual(BERLIN);
    expect(withTimeZone({ ...UTC_RECORD, changes: [change("2026-03-05", "Asia/Tokyo")] }, "Europe/Berlin", NOON, false)).toEqual(BERLIN);
  });

  it.each([
    ["UTC", "Europe/Berlin", "2026-03-05", "the next midnight there"],
    ["UTC", "America/New_York", "2026-03-05", "the day in UTC becomes five hours longer"],
    ["UTC", "Pacific/Kiritimati", "2026-03-06", "it is already March 5 there, so that date has begun"],
    ["Pacific/Kiritimati", "Pacific/Honolulu", "2026-03-06", "it is March 5 in the old zone, and March 4 in the new one"],
  ])("after %s, %s takes effect on %s: %s", (from, to, firstDate) => {
    expect(withTimeZone({ timeZone: from, changes: [] }, to, NOON, true)).toEqual({ timeZone: from, changes: [change(firstDate, to)] });
  });

  it("replaces one whose date has not come, and setting the zone in force again takes it back", () => {
    const pending = withTimeZone(UTC_RECORD, "Europe/Berlin", NOON, true);
    expect(timeZoneOf(pending)).toBe("Europe/Berlin");
    expect(calendarFrom(pending).zoneAt(NOON)).toBe("UTC");
    expect(withTimeZone(pending, "Asia/Tokyo", NOON, true)).toEqual({ timeZone: "UTC", changes: [change("2026-03-05", "Asia/Tokyo")] });
    expect(withTimeZone(pending, "UTC", NOON, true)).toEqual(UTC_RECORD);
    expect(withTimeZone(pending, "Europe/Berlin", NOON, true)).toEqual(pending);
  });

  it("stays in the history once its date has begun", () => {
    const begun = withTimeZone(UTC_RECORD, "Europe/Berlin", NOON, true);
    const back = withTimeZone(begun, "UTC", NOON + DAY_MS, true);
    expect(back).toEqual({ timeZone: "UTC", changes: [change("2026-03-05", "Europe/Berlin"), change("2026-03-06", "UTC")] });
    const calendar = calendarFrom(back);
    expect([NOON, NOON + DAY_MS, NOON + 2 * DAY_MS].map((ms) => calendar.zoneAt(ms))).toEqual(["UTC", "Europe/Berlin", "UTC"]);
  });

  it("is refused if the host does not know it, and after too many changes", () => {
    expect(() => withTimeZone(UTC_RECORD, "Europe/Atlantis", NOON, true)).toThrow('does not know the time zone "Europe/Atlantis"');
    const changes = Array.from({ length: ZONE_CHANGES_MAX }, (_, i) =>
      change(addDays("2020-01-01" as LocalDate, i), ["Europe/Berlin", "UTC"][i % 2] as string),
    );
    expect(() => withTimeZone({ timeZone: "UTC", changes }, "Asia/Tokyo", NOON, true)).toThrow("can be changed 1000 times");
  });
});

describe("the record of a calendar", () => {
  it("of UTC is the calendar of sites without settings", () => {
    expect(calendarFrom(UTC_RECORD)).toBe(utcCalendar);
    expect(timeZoneOf(UTC_RECORD)).toBe("UTC");
  });

  it("is the same after it was written and read, and unknown fields are dropped", () => {
    const record = { timeZone: "UTC", changes: [change("2026-03-05", "Europe/Berlin"), change("2026-03-09", "Asia/Tokyo")] };
    expect(parseCalendarRecord(JSON.parse(JSON.stringify({ ...record, more: 1 })))).toEqual(record);
  });

  it.each([
    ["no object", []],
    ["null", null],
    ["no zone", { changes: [] }],
    ["an unknown zone", { timeZone: "Europe/Atlantis", changes: [] }],
    ["a zone that is no text", { timeZone: ["UTC"], changes: [] }],
    ["no changes", { timeZone: "UTC" }],
    ["a change that is no object", { timeZone: "UTC", changes: ["2026-03-05"] }],
    ["a date that does not exist", { timeZone: "UTC", changes: [change("2026-02-30", "Europe/Berlin")] }],
    ["a date twice", { timeZone: "UTC", changes: [change("2026-03-05", "Europe/Berlin"), change("2026-03-05", "UTC")] }],
    ["dates in another order", { timeZone: "UTC", changes: [change("2026-03-05", "Europe/Berlin"), change("2026-03-04", "UTC")] }],
    ["a change to an unknown zone", { timeZone: "UTC", changes: [change("2026-03-05", "__proto__")] }],
    ["too many changes", { timeZone: "UTC", changes: Array.from({ length: ZONE_CHANGES_MAX + 1 }, () => change("2026-03-05", "UTC")) }],
  ])("is damaged with %s", (_case, value) => {
    expect(parseCalendarRecord(value)).toBeNull();
  });
});
