/** Calendars: when a zone takes effect, which records are damaged, what the option `time_zone` records, and which sites have a new date. */
import { describe, expect, it } from "vitest";
import { ZONE_CHANGES_MAX } from "../../../../src/runtime/base/config/limits.ts";
import {
  calendarFrom,
  parseCalendarRecord,
  timeZoneOf,
  withTimeZone,
  CALENDAR_RECORD,
  openDefaultCalendar,
  NewDates,
  QUARTER_MS,
} from "../../../../src/runtime/sites/site-calendar.ts";
import { addDays, utcCalendar, type Calendar, UTC_RECORD, type CalendarRecord } from "../../../../src/storage/calendar.ts";
import type { LocalDate, SiteId } from "../../../../src/storage/event.ts";
import { createMemoryRecordStore } from "../../../support/memory-record-store.ts";
import { createRecordingLog } from "../../../support/recording-log.ts";
import { siteId } from "../../../support/stored-event.ts";

const NOON = Date.parse("2026-03-04T12:00:00Z");
const DAY_MS = 86_400_000;

const change = (firstDate: string, timeZone: string) => ({ firstDate: firstDate as LocalDate, timeZone });

const BERLIN: CalendarRecord = { timeZone: "Europe/Berlin", changes: [] };

describe("a new time zone", () => {
  it("takes effect at once without events, and the history begins again", () => {
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

  it("replaces one whose date has not come, and setting the zone in force again cancels it", () => {
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

  it("is the same after it was written and read, without unknown fields", () => {
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
    expect(() => parseCalendarRecord(value)).toThrow("it is not a calendar of time zones that this host knows");
  });
});

/** One installation over several starts. */
function installation() {
  const records = createMemoryRecordStore();
  const log = createRecordingLog();
  let listings = 0;
  return {
    records,
    log,
    listings: () => listings,
    stored: async () => {
      const bytes = await records.read(CALENDAR_RECORD);
      return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
    },
    start: (timeZone: string, { nowMs = NOON, hasEvents = true } = {}) =>
      openDefaultCalendar({
        records,
        config: { timeZone },
        now: () => nowMs,
        log,
        hasEvents: async () => (listings++, hasEvents),
      }),
  };
}

describe("the calendar of the option time_zone", () => {
  it("needs no record and reads no events while the option has always been UTC", async () => {
    const { start, stored, listings, log } = installation();
    for (let i = 0; i < 3; i++) expect(await start("UTC")).toEqual({ timeZone: "UTC", changes: [] });
    expect([await stored(), listings(), log.lines]).toEqual([null, 0, []]);
  });

  it("uses the zone at once without events, even after changes of the option", async () => {
    const { start, stored } = installation();
    for (const zone of ["Europe/Berlin", "Asia/Tokyo", "UTC"]) {
      const expected = { timeZone: zone, changes: [] };
      expect(await start(zone, { hasEvents: false })).toEqual(expected);
      expect(await stored()).toEqual(expected);
    }
  });

  it("changes at the coming date with events, is recorded, and stays the same in later starts", async () => {
    const { start, stored, listings, log } = installation();
    const expected = { timeZone: "UTC", changes: [{ firstDate: "2026-03-05", timeZone: "Europe/Berlin" }] };
    expect(await start("Europe/Berlin")).toEqual(expected);
    expect(await stored()).toEqual(expected);
    expect(log.lines).toMatchObject([
      { level: "info", message: "the time zone of days has changed", fields: { timeZone: "Europe/Berlin", from: "2026-03-05" } },
    ]);
    for (const nowMs of [NOON, NOON + DAY_MS, NOON - DAY_MS]) expect(await start("Europe/Berlin", { nowMs })).toEqual(expected);
    expect(listings()).toBe(1);
    expect(await start("UTC", { nowMs: NOON + DAY_MS })).toEqual({
      timeZone: "UTC",
      changes: [...expected.changes, { firstDate: "2026-03-06", timeZone: "UTC" }],
    });
  });

  it("is unchanged if the option is set back before the date has come", async () => {
    const { start, stored } = installation();
    await start("Europe/Berlin");
    const utc = { timeZone: "UTC", changes: [] };
    expect(await start("UTC", { nowMs: NOON + 1 })).toEqual(utc);
    expect(await stored()).toEqual(utc);
  });

  it("stops the start if it cannot be recorded", async () => {
    const { records, start } = installation();
    records.write = () => Promise.reject(new Error("ENOSPC: no space left on device"));
    await expect(start("Europe/Berlin")).rejects.toThrow("ENOSPC");
  });

  it.each(["", "[]", "{}", '{"timeZone":"europe/berlin","changes":[]}', '{"timeZone":"UTC","changes":[{}]}'])(
    "stops the start if its record is damaged: %j",
    async (text) => {
      const { records, start } = installation();
      await records.write(CALENDAR_RECORD, new TextEncoder().encode(text));
      await expect(start("UTC")).rejects.toThrow("calendar.json in the data folder is damaged");
    },
  );
});

const NOON_MS = Date.parse("2026-03-15T12:00:00Z");
const [UTC, KIRITIMATI, KATHMANDU] = [siteId("utc.test"), siteId("kiritimati.test"), siteId("kathmandu.test")];

/** A look whose clock the test sets. The changes are those of the site that begins in UTC. */
function createLook(changes: CalendarRecord["changes"] = []) {
  const zones = { [UTC]: "UTC", [KIRITIMATI]: "Pacific/Kiritimati", [KATHMANDU]: "Asia/Kathmandu" };
  const calendars = new Map<SiteId, Calendar>(
    Object.entries(zones).map(([site, timeZone]) => [siteId(site), calendarFrom({ timeZone, changes: timeZone === "UTC" ? changes : [] })]),
  );
  let nowMs = NOON_MS;
  const newDates = new NewDates({ now: () => nowMs, calendarOf: (site) => calendars.get(site) as Calendar });
  return {
    newDates,
    at(text: string): SiteId[] | null {
      nowMs = Date.parse(text);
      return newDates.areDue ? newDates.take(calendars.keys()) : null;
    },
  };
}

describe("new dates", () => {
  it("begin for all sites at the first check, then for each site at its own midnight", () => {
    const { at } = createLook();
    expect(at("2026-03-15T09:59:59Z")).toEqual([UTC, KIRITIMATI, KATHMANDU]);
    expect(at("2026-03-15T10:00:00Z")).toEqual([KIRITIMATI]);
    expect(at("2026-03-15T18:14:59Z")).toEqual([]);
    expect(at("2026-03-15T18:15:00Z")).toEqual([KATHMANDU]);
    expect(at("2026-03-15T23:59:59Z")).toEqual([]);
    expect(at("2026-03-16T00:00:00Z")).toEqual([UTC]);
    expect(at("2026-03-18T00:00:00Z")).toEqual([UTC, KIRITIMATI, KATHMANDU]);
  });

  it("are checked at most once in a quarter of an hour, and when the clock is set back", () => {
    const { at } = createLook();
    at("2026-03-16T00:00:00Z");
    expect(at("2026-03-16T00:14:59Z")).toBeNull();
    expect(at("2026-03-15T23:59:59Z")).toEqual([UTC]);
  });

  it("begin when a change of a site's time zone takes effect, and not at its old midnight", () => {
    const { at } = createLook([{ firstDate: "2026-03-16" as LocalDate, timeZone: "Asia/Tokyo" }]);
    at("2026-03-15T14:59:59Z");
    expect(at("2026-03-15T15:00:00Z")).toEqual([UTC]);
    expect(at("2026-03-16T00:00:00Z")).toEqual([KATHMANDU]);
  });

  it("begin at a whole quarter of an hour in every time zone of this host", () => {
    const first = "2026-01-01" as LocalDate;
    const faults = Intl.supportedValuesOf("timeZone").filter((timeZone) => {
      const calendar = calendarFrom({ timeZone, changes: [] });
      // Summer and winter of two years, on other days of the month and of the week.
      return Array.from({ length: 13 }, (_, i) => addDays(first, i * 61)).some((date) => calendar.startOf(date) % QUARTER_MS !== 0);
    });
    expect(faults).toEqual([]);
  });
});
