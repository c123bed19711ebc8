/** Days of time zones: both changes of the clock, skipped and repeated midnights, and changes from one zone to another. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays, dateOfChange, widestDay, ZonedCalendar, type ZoneChange } from "../../../src/storage/calendar.ts";
import { isLocalDate, type LocalDate } from "../../../src/storage/event.ts";
import { faultsOfDays, localTimeByIntl, ZONES, zoneNamed } from "../../support/time-zones.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const date = (text: string): LocalDate => text as LocalDate;

const calendarOf = (name: string): ZonedCalendar => new ZonedCalendar(zoneNamed(name));

const hoursOf = (zone: string, day: string): number => {
  const calendar = calendarOf(zone);
  return (calendar.startOf(addDays(date(day), 1)) - calendar.startOf(date(day))) / HOUR_MS;
};

const anyDate = fc
  .integer({ min: Date.parse("0001-01-02"), max: Date.parse("9998-12-30") })
  .map((ms) => new Date(ms).toISOString().slice(0, 10))
  .filter(isLocalDate);

describe("the start of a day", () => {
  it.each([
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00Z", 25],
    ["America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", 23],
    ["America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", 25],
    ["Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00Z", 23.5],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00Z", 24.5],
    ["America/St_Johns", "2026-03-08", "2026-03-08T03:30:00Z", 23],
    // Its clock was once set at 00:01: midnight of November 7 came twice, and the first one began the day.
    ["America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z", 25],
    ["America/St_Johns", "2010-03-14", "2010-03-14T03:30:00Z", 23],
    // Its midnight was skipped, and came twice at the end of summer: 2018-02-17 had 25 hours, and its second 23rd hour belongs to it.
    ["America/Sao_Paulo", "2017-10-15", "2017-10-15T03:00:00Z", 23],
    ["America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", 25],
    ["Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00Z", 24],
    ["Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00Z", 24],
    ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", 24],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", 24],
    ["Europe/Berlin", "1969-12-31", "1969-12-30T23:00:00Z", 24],
    ["Europe/Berlin", "9999-12-31", "9999-12-30T23:00:00Z", 24],
  ])("%s: %s begins at %s and has %d hours", (zone, day, start, hours) => {
    expect(new Date(calendarOf(zone).startOf(date(day))).toISOString()).toBe(start.replace("Z", ".000Z"));
    expect(hoursOf(zone, day)).toBe(hours);
  });
});

/** Instants around changes of the clock. */
const CHANGES: readonly [zone: string, around: string][] = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["Europe/Berlin", "1980-04-06"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["America/New_York", "1967-04-30"],
  ["America/St_Johns", "2010-11-07"],
  ["America/St_Johns", "2010-03-14"],
  ["America/St_Johns", "1988-04-03"],
  ["America/Sao_Paulo", "2017-10-15"],
  ["America/Sao_Paulo", "2018-02-18"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Asia/Kathmandu", "1986-01-01"],
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Kiritimati", "1994-12-31"],
  ["Africa/Casablanca", "2026-02-15"],
];

describe("the date of an instant", () => {
  it.each(CHANGES)("%s around %s: every minute has the latest date that the clock has shown", (zone, around) => {
    const calendar = calendarOf(zone);
    const [fromMs, toMs] = [Date.parse(around) - 2 * DAY_MS, Date.parse(around) + 3 * DAY_MS];
    let latest = "";
    const wrong: string[] = [];
    for (let ms = fromMs; ms < toMs; ms += MINUTE_MS) {
      const shown = localTimeByIntl(zone, ms).slice(0, 10);
      if (shown > latest) latest = shown;
      if (calendar.dateOf(ms) !== latest) wrong.push(new Date(ms).toISOString());
    }
    expect(wrong).toEqual([]);
  });

  it.each(ZONES)("%s: days divide time without gaps and overlaps, each begins with its own date", (zone) => {
    const calendar = calendarOf(zone);
    for (const year of [1969, 2011, 2018, 2026]) expect(faultsOfDays(calendar, date(`${year}-01-01`), 366)).toEqual([]);
    fc.assert(
      fc.property(anyDate, (day) => {
        expect(faultsOfDays(calendar, day, 2)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("does not depend on which instants were requested before", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.array(fc.integer({ min: 1.3e12, max: 1.8e12 }), { minLength: 2, maxLength: 20 }),
        (zone, instants) => {
          const calendar = calendarOf(zone);
          expect(instants.map((ms) => calendar.dateOf(ms))).toEqual(instants.map((ms) => calendarOf(zone).dateOf(ms)));
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** A history in which zones are set one after the other, each some time after the one before. */
const anyHistory = fc.record({
  first: fc.constantFrom(...ZONES, "UTC", "Etc/GMT+12", "Etc/GMT-14", "Pacific/Honolulu"),
  startMs: fc.integer({ min: Date.parse("2009-01-01"), max: Date.parse("2030-01-01") }),
  changes: fc.array(
    fc.record({
      afterMs: fc.integer({ min: 0, max: 5 * DAY_MS }),
      zone: fc.constantFrom(...ZONES, "UTC", "Etc/GMT+12", "Etc/GMT-14", "Pacific/Honolulu"),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

describe("changes of the zone", () => {
  it("never bring a date back, move no instant of the past, and leave no gap, whatever the zones", () => {
    fc.assert(
      fc.property(anyHistory, ({ first, startMs, changes }) => {
        let nowMs = startMs;
        const set: ZoneChange[] = [];
        let calendar = calendarOf(first);
        for (const { afterMs, zone: name } of changes) {
          // Only a change that has begun stays.
          nowMs += afterMs;
          while (set.length > 0 && calendar.startOf((set.at(-1) as ZoneChange).firstDate) > nowMs) set.pop();
          calendar = new ZonedCalendar(zoneNamed(first), set);
          const before = calendar;
          const zone = zoneNamed(name);
          const change = { zone, firstDate: dateOfChange(before, zone, nowMs) };
          set.push(change);
          calendar = new ZonedCalendar(zoneNamed(first), set);
          expect(change.firstDate > before.dateOf(nowMs)).toBe(true);
          for (let ms = nowMs - 6 * DAY_MS; ms <= nowMs; ms += 7 * HOUR_MS) expect(calendar.dateOf(ms)).toBe(before.dateOf(ms));
          expect(calendar.dateOf(nowMs)).toBe(before.dateOf(nowMs));
          const changeMs = calendar.startOf(change.firstDate);
          expect(changeMs).toBeGreaterThan(nowMs);
          expect(changeMs - before.startOf(before.dateOf(nowMs))).toBeLessThanOrEqual(51 * HOUR_MS);
          expect([calendar.zoneAt(nowMs), calendar.zoneAt(changeMs)]).toEqual([before.zoneAt(nowMs), name]);
        }
        expect(faultsOfDays(calendar, addDays(calendar.dateOf(startMs), -4), 50)).toEqual([]);
        let latest = "";
        for (let ms = startMs - DAY_MS; ms < nowMs + 5 * DAY_MS; ms += HOUR_MS / 2) {
          const day = calendar.dateOf(ms);
          expect(day >= latest).toBe(true);
          latest = day;
          const { startMs: earliestMs, endMs } = widestDay(day);
          expect(earliestMs <= ms && ms < endMs).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ["America/Metlakatla", "1850-01-01"],
    ["Asia/Manila", "1800-01-01"],
    ["Pacific/Kiritimati", "2026-03-15"],
    ["Etc/GMT+12", "2026-03-15"],
  ])("leave every day within the widest one, even in %s on %s, where no zone is further from UTC", (zone, day) => {
    const [startMs, endMs] = [calendarOf(zone).startOf(date(day)), calendarOf(zone).startOf(addDays(date(day), 1))];
    expect(widestDay(date(day)).startMs).toBeLessThan(startMs);
    expect(widestDay(date(day)).endMs).toBeGreaterThan(endMs);
  });

  it("yield local time by the zone in force: the offset changes when the first date of the new zone begins", () => {
    const [tokyo, utc] = [zoneNamed("Asia/Tokyo"), zoneNamed("UTC")];
    const calendar = new ZonedCalendar(utc, [{ zone: tokyo, firstDate: date("2026-03-05") }]);
    const changeMs = Date.parse("2026-03-04T15:00:00Z");
    expect(calendar.startOf(date("2026-03-05"))).toBe(changeMs);
    expect(calendar.offsetsBetween(changeMs - DAY_MS, changeMs + DAY_MS)).toEqual([
      { fromMs: changeMs - DAY_MS, offsetMs: 0 },
      { fromMs: changeMs, offsetMs: 9 * HOUR_MS },
    ]);
    // The day before is the shorter one.
    expect(changeMs - calendar.startOf(date("2026-03-04"))).toBe(15 * HOUR_MS);
  });
});
