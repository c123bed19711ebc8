import { describe, expect, it } from "vitest";
import { type DataMinimisation, minimiseEvent } from "../../../../src/runtime/ingest/accept-event.ts";
import { parseSiteId } from "../../../../src/runtime/base/config/names.ts";
import { utcCalendar, ZonedCalendar } from "../../../../src/storage/calendar.ts";
import { zoneNamed } from "../../../support/time-zones.ts";
import { type StoredEvent, utcDateOf } from "../../../../src/storage/event.ts";

const event: StoredEvent = {
  siteId: parseSiteId("example.com", "d"),
  timestampMs: Date.parse("2026-03-04T12:34:56.789Z"),
  date: utcDateOf(Date.parse("2026-03-04T12:34:56.789Z")),
  visitorId: 2n ** 64n - 1n,
  eventName: "signup",
  pathname: "/a",
  hostname: "example.com",
  referrer: "https://ref.example/?q=1",
  referrerSource: "ref.example",
  countryCode: "NL",
  region: "North Holland",
  city: "Amsterdam",
  browser: "Firefox",
  browserVersion: "125",
  os: "macOS",
  osVersion: "14.4",
  deviceType: "desktop",
  screenSize: "1440",
  utmSource: "a",
  utmMedium: "b",
  utmCampaign: "c",
  utmContent: "d",
  utmTerm: "e",
  props: '{"plan":"pro"}',
  revenueCents: 999,
  currency: "EUR",
  engagedSeconds: 12,
  clickId: "gclid",
  interactive: 0,
  evidence: "no_hints",
};

const nothing: DataMinimisation = {
  stripReferrerQuery: false,
  roundTimestamps: false,
  suppressBrowserVersion: false,
  suppressOsVersion: false,
  suppressScreenSize: false,
  geoipPrecision: "city",
};

describe("minimiseEvent", () => {
  it.each<[string, Partial<DataMinimisation>, Partial<StoredEvent>]>([
    ["nothing asked for", {}, {}],
    ["the referrer is not its business", { stripReferrerQuery: true }, {}],
    ["times of the hour", { roundTimestamps: true }, { timestampMs: Date.parse("2026-03-04T12:00:00.000Z") }],
    ["no browser version", { suppressBrowserVersion: true }, { browserVersion: null }],
    ["no system version", { suppressOsVersion: true }, { osVersion: null }],
    ["no screen size", { suppressScreenSize: true }, { screenSize: null }],
    ["places down to the region", { geoipPrecision: "region" }, { city: null }],
    ["places down to the country", { geoipPrecision: "country" }, { city: null, region: null }],
    ["no places", { geoipPrecision: "none" }, { city: null, region: null, countryCode: null }],
    [
      "all at once",
      {
        stripReferrerQuery: true,
        roundTimestamps: true,
        suppressBrowserVersion: true,
        suppressOsVersion: true,
        suppressScreenSize: true,
        geoipPrecision: "country",
      },
      {
        timestampMs: Date.parse("2026-03-04T12:00:00.000Z"),
        browserVersion: null,
        osVersion: null,
        screenSize: null,
        city: null,
        region: null,
      },
    ],
  ])("an event loses exactly what its options say: %s", (_case, minimisation, changes) => {
    expect(minimiseEvent(event, { ...nothing, ...minimisation }, utcCalendar)).toEqual({ ...event, ...changes });
  });

  it("minimiseEvent does not change its argument", () => {
    const before = { ...event };
    minimiseEvent(event, { ...nothing, roundTimestamps: true, geoipPrecision: "none" }, utcCalendar);
    expect(event).toEqual(before);
  });

  it.each(["2026-03-04T00:00:00.000Z", "2026-03-04T23:59:59.999Z", "2026-03-04T13:00:00.000Z", "1969-12-31T23:30:00.000Z"])(
    "a rounded time is never later, and stays on the same date: %s",
    (time) => {
      const timestampMs = Date.parse(time);
      const rounded = minimiseEvent({ ...event, timestampMs }, { ...nothing, roundTimestamps: true }, utcCalendar).timestampMs;
      expect(rounded).toBeLessThanOrEqual(timestampMs);
      expect(timestampMs - rounded).toBeLessThan(3_600_000);
      expect(Math.abs(rounded % 3_600_000)).toBe(0);
      expect(utcDateOf(rounded)).toBe(utcDateOf(timestampMs));
    },
  );

  it.each([
    ["Europe/Berlin", "2026-03-04T12:34:56.789Z", "2026-03-04T12:00:00.000Z", "the hours are those of UTC"],
    ["Asia/Kathmandu", "2026-03-04T18:20:00.000Z", "2026-03-04T18:15:00.000Z", "midnight is at 18:15 in UTC"],
    ["Asia/Kathmandu", "2026-03-04T18:14:59.999Z", "2026-03-04T17:15:00.000Z", "just before it"],
    ["Australia/Lord_Howe", "2026-10-03T15:45:00.000Z", "2026-10-03T15:30:00.000Z", "02:45, after the clock went from 02:00 to 02:30"],
    ["Australia/Lord_Howe", "2026-04-04T15:10:00.000Z", "2026-04-04T15:00:00.000Z", "the second 01:40, after the clock went back to 01:30"],
    ["America/St_Johns", "2010-11-07T02:45:00.000Z", "2010-11-07T02:31:00.000Z", "23:15 once more, after the clock went back at 00:01"],
  ])("in %s, %s is rounded to %s, the start of an hour of the clock or a change of the clock: %s", (zone, time, expected) => {
    const calendar = new ZonedCalendar(zoneNamed(zone));
    const timestampMs = Date.parse(time);
    const rounded = minimiseEvent({ ...event, timestampMs }, { ...nothing, roundTimestamps: true }, calendar).timestampMs;
    expect(new Date(rounded).toISOString()).toBe(expected);
    expect(calendar.dateOf(rounded)).toBe(calendar.dateOf(timestampMs));
  });
});
