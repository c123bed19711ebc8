/** The made-up events: the same every time, and with what there is to see in a dashboard. */
import { describe, expect, it } from "vitest";
import { demoDay } from "../../../../src/runtime/installation/demo-events.ts";
import { addDays } from "../../../../src/storage/calendar.ts";
import { DAY_MS, type LocalDate, startOfDayMs, type StoredEvent, utcDateOf } from "../../../../src/storage/event.ts";
import { DEMO_DAYS } from "../../../../src/runtime/base/config/limits.ts";
import { DEMO_SITE } from "../../../../src/runtime/base/config/names.ts";

const FIRST = "2025-11-23" as LocalDate;

function dayOf(index: number): StoredEvent[] {
  const date = addDays(FIRST, index);
  const startMs = startOfDayMs(date);
  return demoDay({ siteId: DEMO_SITE, date, startMs, endMs: startMs + DAY_MS, index });
}

const days = Array.from({ length: DEMO_DAYS }, (_, index) => dayOf(index));
const events = days.flat();

const valuesOf = (field: keyof StoredEvent): Set<unknown> => new Set(events.map((event) => event[field]));

const visitorsOf = (of: readonly StoredEvent[]): number => new Set(of.map(({ visitorId }) => visitorId)).size;

const meanVisitors = (of: readonly (readonly StoredEvent[])[]): number => of.reduce((sum, ofDay) => sum + visitorsOf(ofDay), 0) / of.length;

/** Mean visitors of these days, without the days of a front page. */
const usualVisitors = (indexes: readonly number[]): number =>
  meanVisitors(indexes.map((index) => days[index] ?? []).filter((of) => visitorsOf(of) < 300));

/** Days by how long they are ago on the demo's last day: from `from` to `to`, both included. */
const daysAgo = (from: number, to = from): StoredEvent[][] => days.slice(DEMO_DAYS - 1 - to, DEMO_DAYS - from);

const from = (source: string, of: readonly (readonly StoredEvent[])[]): number =>
  meanVisitors(of.map((ofDay) => ofDay.filter(({ referrerSource }) => referrerSource === source)));

const signups = (browser: string, of: readonly (readonly StoredEvent[])[]): number =>
  of.flat().filter((event) => event.eventName === "Signup" && event.browser === browser).length / of.length;

describe("a demo's year", () => {
  it("contains 60,000 to 150,000 events in order of time, each on its own date, and is the same when made again", () => {
    expect(events.length).toBeGreaterThan(60_000);
    expect(events.length).toBeLessThan(150_000);
    for (const [index, of] of days.entries()) {
      const times = of.map(({ timestampMs }) => timestampMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(of.every(({ timestampMs, date }) => utcDateOf(timestampMs) === date && date === addDays(FIRST, index))).toBe(true);
    }
    for (const index of [0, 179, DEMO_DAYS - 1]) expect(dayOf(index)).toEqual(days[index]);
  });

  it("grows slowly, with fewer visitors on weekends", () => {
    const isWeekend = (index: number) => [0, 6].includes(index % 7);
    const all = Array.from({ length: DEMO_DAYS }, (_, index) => index);
    const weekdays = all.filter((index) => !isWeekend(index));
    const [early, late] = [usualVisitors(weekdays.slice(0, 40)), usualVisitors(weekdays.slice(-40))];
    expect(late / early).toBeGreaterThan(1.5);
    expect(late / early).toBeLessThan(3);
    expect(usualVisitors(all.filter(isWeekend)) / usualVisitors(weekdays)).toBeLessThan(0.75);
  });

  it("contains a front page three days before its end: more than twice the visitors, mostly from Hacker News", () => {
    const [launch = []] = daysAgo(3);
    expect(visitorsOf(launch)).toBeGreaterThan(2 * meanVisitors(daysAgo(10)));
    expect(from("Hacker News", [launch]) / visitorsOf(launch)).toBeGreaterThan(0.5);
    expect(visitorsOf(daysAgo(1).flat())).toBeLessThan(300);
  });

  it("loses half of the visitors from search, and none from elsewhere, for ten days of the last thirty", () => {
    const [lost, before] = [daysAgo(9, 18), daysAgo(23, 43)];
    expect(from("Google", lost) / from("Google", before)).toBeGreaterThan(0.35);
    expect(from("Google", lost) / from("Google", before)).toBeLessThan(0.65);
    expect(from("Google", daysAgo(2, 8)) / from("Google", before)).toBeGreaterThan(0.85);
    expect(from("DuckDuckGo", lost) / from("DuckDuckGo", before)).toBeGreaterThan(0.7);
  });

  it("has no conversions in Safari for eight days of the last thirty, and some in other browsers", () => {
    const [broken, before] = [daysAgo(20, 27), daysAgo(28, 43)];
    expect(signups("Safari", broken)).toBe(0);
    expect(signups("Safari", before)).toBeGreaterThan(2.5);
    expect(signups("Chrome", broken) / signups("Chrome", before)).toBeGreaterThan(0.6);
    expect(meanVisitors(broken) / meanVisitors(before)).toBeGreaterThan(0.85);
  });

  it("has less than two thirds of the visitors, from all sources alike, on five days of the last ninety", () => {
    const [holiday, before] = [daysAgo(45, 49), daysAgo(52, 56)];
    expect(meanVisitors(holiday) / meanVisitors(before)).toBeLessThan(2 / 3);
    for (const source of ["Google", "Reddit", "GitHub"]) expect(from(source, holiday) / from(source, before)).toBeLessThan(0.9);
  });

  it("contains goals, properties with a space in their key, two currencies, campaigns, devices, and small countries", () => {
    expect([...valuesOf("eventName")]).toEqual(expect.arrayContaining(["pageview", "Signup", "Purchase", "Newsletter"]));
    expect(valuesOf("currency")).toEqual(new Set([null, "EUR", "USD"]));
    expect([...valuesOf("countryCode")]).toEqual(expect.arrayContaining([null, "US", "MT", "LI", "SM", "MC", "SG"]));
    expect([...valuesOf("deviceType")].toSorted()).toEqual(["desktop", "mobile", "tablet"]);
    for (const field of ["utmSource", "utmMedium", "utmCampaign", "utmContent", "utmTerm"] as const)
      expect(valuesOf(field).size).toBeGreaterThan(2);
    const keys = new Set(events.flatMap(({ props }) => (props === null ? [] : Object.keys(JSON.parse(props) as object))));
    expect([...keys]).toEqual(expect.arrayContaining(["plan", "plan name", "seats", "url"]));
  });

  it("contains consecutive visits in one visitor's day", () => {
    const visitors = new Map<bigint, number[]>();
    for (const { visitorId, timestampMs } of days[DEMO_DAYS - 2] ?? [])
      visitors.set(visitorId, [...(visitors.get(visitorId) ?? []), timestampMs]);
    const pauses = [...visitors.values()].flatMap((times) => times.slice(1).map((ms, i) => ms - (times[i] ?? 0)));
    expect(pauses.filter((ms) => ms > 30 * 60_000).length).toBeGreaterThan(5);
  });
});
