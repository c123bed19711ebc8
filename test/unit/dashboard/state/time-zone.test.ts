/** The clock of a time zone: dates at the date line, days of 23 and 25 hours, and zones of 30 and 45 minutes. */
import { describe, expect, it } from "vitest";
import { dateSince, hoursBegun, inZone, localDate, localTime, minutesFrom, startOf } from "../../../../dashboard/state/time-zone.ts";

const at = (iso: string): number => Date.parse(iso);

describe("the time of a zone", () => {
  it.each([
    ["UTC", "2026-03-29T01:00:30.000Z", "2026-03-29 01:00"],
    ["Europe/Berlin", "2026-03-29T00:59:59.999Z", "2026-03-29 01:59"],
    ["Europe/Berlin", "2026-03-29T01:00:00.000Z", "2026-03-29 03:00"],
    ["Europe/Berlin", "2026-10-25T00:30:00.000Z", "2026-10-25 02:30"],
    ["Europe/Berlin", "2026-10-25T01:30:00.000Z", "2026-10-25 02:30"],
    ["Asia/Kathmandu", "2026-01-01T00:00:00.000Z", "2026-01-01 05:45"],
    ["Australia/Adelaide", "2026-06-30T23:00:00.000Z", "2026-07-01 08:30"],
    ["Africa/Cairo", "2026-04-23T22:00:00.000Z", "2026-04-24 01:00"],
  ])("the clock in %s at %s shows %s", (zone, iso, time) => {
    expect(localTime(zone, at(iso))).toBe(time);
  });

  it("a zone has its own date, on both sides of the date line", () => {
    const noon = at("2026-11-22T11:30:00.000Z");
    expect(localDate("Pacific/Kiritimati", noon)).toBe("2026-11-23");
    expect(localDate("Pacific/Pago_Pago", noon)).toBe("2026-11-22");
    expect(localDate("Pacific/Pago_Pago", at("2026-11-22T10:30:00.000Z"))).toBe("2026-11-21");
    expect(localDate("UTC", noon)).toBe("2026-11-22");
  });

  it("a site's date advances at each of its midnights, even if it is behind the clock of the zone", () => {
    const since = (date: string, iso: string) => dateSince(date, at("2026-03-15T20:00:00.000Z"), "Europe/Berlin", at(iso));
    expect(since("2026-03-15", "2026-03-15T22:59:59.999Z")).toBe("2026-03-15");
    expect(since("2026-03-15", "2026-03-15T23:00:00.000Z")).toBe("2026-03-16");
    expect(since("2026-03-14", "2026-03-15T22:59:59.999Z")).toBe("2026-03-14");
    expect(since("2026-03-14", "2026-03-31T22:00:00.000Z")).toBe("2026-03-31");
  });

  it.each([
    ["UTC", "2026-03-15", "2026-03-15T00:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
    ["Pacific/Kiritimati", "2026-03-15", "2026-03-14T10:00:00.000Z"],
    ["Etc/GMT+12", "2026-03-15", "2026-03-15T12:00:00.000Z"],
    ["America/St_Johns", "2026-03-15", "2026-03-15T02:30:00.000Z"],
    // The clock skips midnight.
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z"],
  ])("in %s, %s begins at %s", (zone, date, iso) => {
    expect(new Date(startOf(date, zone)).toISOString()).toBe(iso);
  });

  it.each([
    ["UTC", "2026-03-15", "2026-03-15T00:00:00.000Z", 1],
    ["UTC", "2026-03-15", "2026-03-15T14:59:59.999Z", 15],
    ["UTC", "2026-03-15", "2026-03-15T15:00:00.000Z", 16],
    ["UTC", "2026-03-15", "2026-03-14T23:59:59.999Z", 0],
    ["UTC", "2026-03-15", "2026-03-20T12:00:00.000Z", 24],
    ["Asia/Kathmandu", "2026-03-15", "2026-03-14T18:15:00.000Z", 1],
    ["Asia/Kathmandu", "2026-03-15", "2026-03-14T19:15:00.000Z", 2],
    // 02:00 is skipped, and comes twice.
    ["Europe/Berlin", "2026-03-29", "2026-03-29T01:00:00.000Z", 3],
    ["Europe/Berlin", "2026-03-29", "2026-03-29T21:59:59.999Z", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-25T01:30:00.000Z", 3],
    ["Europe/Berlin", "2026-10-25", "2026-10-25T22:59:59.999Z", 24],
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z", 1],
    ["Australia/Lord_Howe", "2026-10-04", "2026-10-03T15:45:00.000Z", 3],
  ])("in %s, the hours of %s that have begun by %s are %i", (zone, date, iso, hours) => {
    expect(hoursBegun(date, zone, at(iso))).toBe(hours);
  });

  it("a zone that the browser does not know has the time of UTC", () => {
    expect(localTime("Mars/Olympus_Mons", at("2026-11-22T11:30:00.000Z"))).toBe("2026-11-22 11:30");
  });

  it("only UTC is named beside a time", () => {
    expect(inZone("14:00", "UTC")).toBe("14:00 UTC");
    expect(inZone("14:00", "Europe/Berlin")).toBe("14:00");
  });
});

describe("minutes of a zone", () => {
  it("minutes of a zone follow one another", () => {
    expect(minutesFrom("UTC", "2026-11-22 23:58", 3, at("2026-11-22T23:58:10.000Z"))).toEqual([
      "2026-11-22 23:58",
      "2026-11-22 23:59",
      "2026-11-23 00:00",
    ]);
    expect(minutesFrom("Asia/Kathmandu", "2026-11-22 23:59", 2, at("2026-11-22T18:14:00.000Z"))).toEqual([
      "2026-11-22 23:59",
      "2026-11-23 00:00",
    ]);
  });

  it("minutes of a zone leave out the hour that the clock skips, and repeat the one that comes twice", () => {
    expect(minutesFrom("Europe/Berlin", "2026-03-29 01:59", 2, at("2026-03-29T00:59:00.000Z"))).toEqual([
      "2026-03-29 01:59",
      "2026-03-29 03:00",
    ]);
    expect(minutesFrom("Europe/Berlin", "2026-10-25 02:59", 2, at("2026-10-25T00:59:00.000Z"))).toEqual([
      "2026-10-25 02:59",
      "2026-10-25 02:00",
    ]);
  });
});
