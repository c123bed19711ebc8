/** Reports and exports of sites that are not in UTC (docs/http-api.md, "Time zone"). */
import { describe, expect, it, onTestFinished } from "vitest";
import type { OpenapiDocument } from "../../src/handlers/openapi.ts";
import type { LocalDate } from "../../src/storage/event.ts";
import { type CalendarRecord } from "../../src/storage/calendar.ts";
import { createInProcessTarget, type InProcessTarget } from "../support/in-process-target.ts";
import { answerProblems, documentedIn, pathWith } from "../support/openapi.ts";
import { reportRequests } from "../support/report-requests.ts";
import { getStats, record, wireEvent, type MainFigures, type SeriesPoint } from "../support/requests.ts";
import { calendarRecord, setCalendar } from "../support/site-calendars.ts";
import { askStats } from "../support/stats-requests.ts";
import { siteId } from "../support/stored-event.ts";
import type { Environment } from "../support/target.ts";

const SITE = siteId("zone.test");
const EXPORTS = [{ kind: "daily" }, { kind: "raw" }, { kind: "raw", format: "json" }];

const KATHMANDU = calendarRecord("Asia/Kathmandu");
const BERLIN = calendarRecord("Europe/Berlin");

async function targetAt(time: string, calendar: CalendarRecord, environment: Environment = {}): Promise<InProcessTarget> {
  const target = await createInProcessTarget(environment, { startMs: Date.parse(time) });
  onTestFinished(() => target.close());
  setCalendar(target, SITE, calendar);
  return target;
}

/** A page view at each of these times, in order; the clock stays at the last one. */
async function recordAt(target: InProcessTarget, times: readonly string[]): Promise<void> {
  for (const time of times) {
    await target.advance(Date.parse(time) - target.nowMs());
    await record(target, wireEvent(SITE));
  }
}

const dates = (first: string, last = first) => ({ site_id: SITE, start_date: first, end_date: last });

const pageviewsOn = async (target: InProcessTarget, first: string, last = first) =>
  (await getStats<MainFigures>(target, "main", dates(first, last))).total_pageviews;

/** The buckets with page views. */
const seriesOf = async (target: InProcessTarget, parameters: Readonly<Record<string, string>>) =>
  (await getStats<SeriesPoint[]>(target, "timeseries", parameters)).flatMap(({ date, pageviews }) =>
    pageviews > 0 ? [[date, pageviews]] : [],
  );

/** 23:55 and 00:05 of the next day in Kathmandu. */
const AROUND_MIDNIGHT = ["2026-03-15T18:10:00Z", "2026-03-15T18:20:00Z"];

describe("a site in Kathmandu", () => {
  it("uses its own days and hours, and the current date of its clock", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", KATHMANDU);
    await recordAt(target, AROUND_MIDNIGHT);
    expect([await pageviewsOn(target, "2026-03-15"), await pageviewsOn(target, "2026-03-16")]).toEqual([1, 1]);
    expect(await seriesOf(target, dates("2026-03-15", "2026-03-16"))).toEqual([
      ["2026-03-15 23:00", 1],
      ["2026-03-16 00:00", 1],
    ]);
    expect(await seriesOf(target, { site_id: SITE, period: "day" })).toEqual([["2026-03-16 00:00", 1]]);
    expect(await getStats(target, "session-timeseries", dates("2026-03-16"))).toMatchObject([
      { date: "2026-03-16 00:00", sessions: 1 },
      ...Array.from({ length: 23 }, () => ({ sessions: 0 })),
    ]);
  });

  it("uses hours of its clock even with round_timestamps", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", KATHMANDU, { SVC_ROUND_TIMESTAMPS: "true" });
    await recordAt(target, AROUND_MIDNIGHT);
    expect(await seriesOf(target, dates("2026-03-15", "2026-03-16"))).toEqual([
      ["2026-03-15 23:00", 1],
      ["2026-03-16 00:00", 1],
    ]);
  });

  it("exports by its own dates, and the raw export contains timestamps in UTC", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", KATHMANDU);
    await recordAt(target, AROUND_MIDNIGHT);
    const daily = await askStats(target, "export", { ...dates("2026-03-15", "2026-03-16"), kind: "daily" });
    expect([daily.headers.get("time-zone"), (await daily.text()).split("\n").slice(1, 3)]).toEqual([
      "Asia/Kathmandu",
      ['"2026-03-15","1","1","/","(direct)"', '"2026-03-16","1","1","/","(direct)"'],
    ]);
    const raw = await askStats(target, "export", { ...dates("2026-03-16"), kind: "raw", format: "json" });
    expect(raw.headers.get("content-disposition")).toContain("raw-2026-03-16.json");
    expect(await raw.json()).toMatchObject([{ timestamp: "2026-03-15T18:20:00.000Z" }]);
  });

  it("is named with its time zone in realtime, whose first minute is that of its clock", async () => {
    const target = await targetAt("2026-03-15T18:20:30Z", KATHMANDU);
    const found = await getStats<{ first_minute: string; time_zone: string }>(target, "realtime", { site_id: SITE, minutes: "30" });
    expect(found).toMatchObject({ first_minute: "2026-03-15 23:35", time_zone: "Asia/Kathmandu" });
  });

  it("loses the events of one of its dates if that date is erased", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", KATHMANDU);
    await recordAt(target, AROUND_MIDNIGHT);
    expect(await target.services.erasure.erase(SITE, "2026-03-16" as LocalDate, "2026-03-16" as LocalDate)).toMatchObject({ events: 1 });
    expect([await pageviewsOn(target, "2026-03-15"), await pageviewsOn(target, "2026-03-16")]).toEqual([1, 0]);
  });
});

describe("a site in Berlin", () => {
  it("has 23 hours on the day on which the clock goes forward, and 24 labels on the day of 25 hours", async () => {
    const target = await targetAt("2026-10-24T21:00:00Z", BERLIN);
    await recordAt(target, ["2026-10-24T22:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T22:30:00Z"]);
    const hours = async (day: string) => (await getStats<SeriesPoint[]>(target, "timeseries", dates(day))).length;
    expect([await hours("2026-03-29"), await hours("2026-10-25")]).toEqual([23, 24]);
    expect(await seriesOf(target, dates("2026-10-25"))).toEqual([
      ["2026-10-25 00:00", 1],
      ["2026-10-25 02:00", 2],
      ["2026-10-25 23:00", 1],
    ]);
    expect(await pageviewsOn(target, "2026-10-25")).toBe(4);
  });

  it("joins a session across its midnight, and not across that of UTC, if ids live for days", async () => {
    const target = await targetAt("2026-06-10T12:00:00Z", BERLIN, { SVC_VISITOR_SALT_ROTATION_DAYS: "30" });
    await recordAt(target, ["2026-06-10T21:50:00Z", "2026-06-10T22:10:00Z", "2026-06-10T23:55:00Z", "2026-06-11T00:05:00Z"]);
    const { total_sessions, total_pageviews } = await getStats<MainFigures>(target, "main", dates("2026-06-10", "2026-06-11"));
    expect([total_sessions, total_pageviews]).toEqual([2, 4]);
    expect(await pageviewsOn(target, "2026-06-10")).toBe(1);
  });
});

it("the day before a change of the time zone contains the hours of its own clock, and all its events", async () => {
  const target = await targetAt("2026-03-08T09:00:00Z", calendarRecord("Pacific/Kiritimati", ["2026-03-10", "Pacific/Pago_Pago"]));
  const times = ["2026-03-08T09:30:00Z", "2026-03-08T10:30:00Z", "2026-03-09T10:30:00Z", "2026-03-10T10:30:00Z", "2026-03-10T11:30:00Z"];
  await recordAt(target, times);
  expect(await pageviewsOn(target, "2026-03-09")).toBe(3);
  expect(await seriesOf(target, dates("2026-03-09", "2026-03-10"))).toEqual([
    ["2026-03-09 00:00", 3],
    ["2026-03-10 00:00", 1],
  ]);
});

it("the overview of a day that a change of the time zone shortens contains the remaining hours, without a new event", async () => {
  const target = await targetAt("2026-03-15T12:00:00Z", calendarRecord("UTC"));
  await record(target, wireEvent(SITE));
  const hours = async () => {
    const { sites } = await getStats<{ sites: { series: number[] }[] }>(target, "overview", { period: "day" });
    return sites[0]?.series.length;
  };
  expect(await hours()).toBe(24);
  setCalendar(target, SITE, calendarRecord("UTC", ["2026-03-16", "Asia/Tokyo"]));
  expect(await hours()).toBe(15);
  setCalendar(target, SITE, calendarRecord("UTC"));
  expect(await hours()).toBe(24);
});

describe("the header Time-Zone", () => {
  it("is on every report and export of a site outside UTC, which are as documented", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", BERLIN);
    await recordAt(target, ["2026-03-15T12:30:00Z"]);
    const document = (await (await target.fetch("/api/openapi.json")).json()) as OpenapiDocument;
    const texts = { page: "/", event: "pageview", property: "plan", value: "pro", source: "Google" };
    const requests = { ...reportRequests(texts), "/api/stats/export": EXPORTS };
    for (const [path, each] of Object.entries(requests)) {
      const route = documentedIn(document).find(({ id }) => id === `GET ${path.replace(":dimension", "{dimension}")}`);
      if (!route) throw new Error(`${path} is not documented`);
      for (const own of each) {
        const request = pathWith(route, { period: "day", site_id: SITE, ...own });
        const response = await target.fetch(request);
        expect([request, response.status, response.headers.get("time-zone")]).toEqual([request, 200, "Europe/Berlin"]);
        expect([request, await answerProblems(document, route, response)]).toEqual([request, []]);
      }
    }
  });

  it("equals the field for the zone in force, even in cached results", async () => {
    const target = await targetAt("2026-03-15T23:59:50Z", calendarRecord("UTC", ["2026-03-16", "Europe/London"]));
    const named = async () => {
      const response = await askStats(target, "main", dates("2026-03-10"));
      const { time_zone } = (await response.json()) as { time_zone?: string };
      return [response.headers.get("time-zone"), time_zone];
    };
    expect(await named()).toEqual([null, undefined]);
    await target.advance(20_000);
    expect(await named()).toEqual(["Europe/London", "Europe/London"]);
  });

  it("is readable by a page of dashboard_origin if it is set", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", BERLIN, { SVC_DASHBOARD_ORIGIN: "https://dash.test" });
    const exposed = async (site: string) => {
      const { headers } = await target.fetch(`/api/stats/main?site_id=${site}`, { headers: { origin: "https://dash.test" } });
      return headers.get("access-control-expose-headers")?.includes("Time-Zone");
    };
    expect([await exposed(SITE), await exposed("utc.test")]).toEqual([true, false]);
  });

  it("is on no answer about a site in UTC, which has no field time_zone", async () => {
    const target = await targetAt("2026-03-15T12:00:00Z", calendarRecord("UTC"));
    for (const endpoint of ["main", "realtime", "timeseries"]) {
      const response = await askStats(target, endpoint, { site_id: SITE });
      expect([endpoint, response.headers.has("time-zone"), await response.text()]).toEqual([
        endpoint,
        false,
        expect.not.stringContaining("time_zone"),
      ]);
    }
  });
});
