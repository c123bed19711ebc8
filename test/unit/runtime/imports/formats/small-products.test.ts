/** Products whose formats are one file each. */
import { describe, expect, it } from "vitest";
import { fathom } from "../../../../../src/runtime/imports/formats/fathom.ts";
import { goatcounter } from "../../../../../src/runtime/imports/formats/goatcounter.ts";
import { ownEvents } from "../../../../../src/runtime/imports/formats/own-events.ts";
import { simpleAnalytics } from "../../../../../src/runtime/imports/formats/simple-analytics.ts";
import { swetrix } from "../../../../../src/runtime/imports/formats/swetrix.ts";
import { fileOf, fixture, fixtureFiles, recognition, recognized, rowsOf, tally } from "../../../../support/import-files.ts";

describe("GoatCounter", () => {
  const of = (name: string) => fixtureFiles("goatcounter").filter(({ path }) => path.endsWith(name));

  it("has all views and events of version 2, without bots", async () => {
    const rows = await rowsOf(await recognition(goatcounter, of("version2.csv"), { hostname: "example.com" }));
    expect(tally(rows)).toEqual({ pageview: 2, signup: 1, "left out: bot": 1, "bad: date_out_of_range": 1 });
    expect(rows[0]).toMatchObject({
      visitor: "287fb97cbed4e4f-8e4f5c975b8fee06",
      hostname: "example.com",
      path: "/",
      referrer: "https://www.example.org/links?a=1",
      browser: "Chrome",
      browserVersion: "86",
      os: "macOS",
      osVersion: "10.15",
      screenWidth: 1280,
      countryCode: "US",
      region: "US-TX",
      props: { title: "Home" },
    });
    expect(rows[2]).toMatchObject({ name: "signup", path: "/", referrerSource: "Google", countryCode: "DE", region: null });
  });

  it("has User-Agents in version 1", async () => {
    const [row] = await rowsOf(await recognition(goatcounter, of("version1.csv")));
    expect(row).toMatchObject({ name: "pageview", userAgent: expect.stringContaining("Firefox/125.0"), screenWidth: 1280, referrer: null });
    expect(row).not.toHaveProperty("browser");
  });

  it("is refused if it is empty or of another version", async () => {
    expect(await recognized(goatcounter, of("empty.csv"))).toMatchObject([
      { advice: expect.stringContaining("Collect individual pageviews") },
    ]);
    expect(await recognized(goatcounter, [fileOf("a.csv", "3Path,Title\n/,x\n")])).toMatchObject([
      { advice: expect.stringContaining("Version 3") },
    ]);
  });

  it("has sums of views, without visitors, in its JSON archive", async () => {
    const outcome = await recognition(goatcounter, fixtureFiles("goatcounter-archive"));
    expect(outcome).toMatchObject({ rows: "days", generation: "JSON archive (since December 2025)" });
    const rows = await rowsOf(outcome);
    expect(tally(rows)).toEqual({
      totals: 2,
      pages: 2,
      sources: 2,
      events: 1,
      browsers: 1,
      "operating-systems": 1,
      locations: 1,
      "left out: unsupported_report": 1,
      "bad: missing_value": 1,
    });
    expect(rows.slice(0, 6)).toMatchObject([
      { date: "2026-05-01", table: "totals", counts: { pageviews: 3 } },
      { date: "2026-05-01", values: { pathname: "/" } },
      { date: "2026-05-01", values: { referrer: "https://example.com/page.html", referrerSource: "example.com" } },
      { date: "2026-05-02", table: "totals", counts: { pageviews: 4 } },
      { date: "2026-05-02", values: { pathname: "/api" } },
      { date: "2026-05-02", values: { referrerSource: "Google" } },
    ]);
    expect(rows.flatMap((row) => (row.kind === "day" && row.table === "locations" ? [row.values] : []))).toEqual([
      { countryCode: "IT", region: "IT-82" },
    ]);
  });

  it("is refused as two archives, whose days may overlap", async () => {
    const infos = ["a", "b"].map((folder) => fileOf(`${folder}/info.json`, '{"export_version":"1.0","goatcounter_version":"2.7"}'));
    expect(await recognized(goatcounter, infos)).toMatchObject([
      { paths: ["a/info.json", "b/info.json"], advice: expect.stringContaining("one archive") },
    ]);
  });
});

describe("Simple Analytics", () => {
  it("has views and events, with visitors that begin with a unique view, without robots", async () => {
    const rows = await rowsOf(await recognition(simpleAnalytics, fixtureFiles("simple-analytics")));
    expect(tally(rows)).toEqual({ pageview: 3, signup: 1, "left out: bot": 1 });
    const visitors = rows.flatMap((row) => (row.kind === "hit" ? [row.visitor] : []));
    expect(new Set(visitors.slice(0, 3)).size).toBe(1);
    expect(new Set(visitors).size).toBe(2);
    expect(rows[0]).toMatchObject({
      path: "/?utm_source=ddg",
      countryCode: "GB",
      engagedSeconds: 31,
      userAgent: expect.stringContaining("Firefox/125.0"),
      screenWidth: 1920,
    });
    expect(rows[1]).toMatchObject({ atMs: Date.parse("2026-05-01T10:01:00Z") });
    expect(rows[2]).toMatchObject({ props: { Plan: "Pro", seats: 3, trial: true } });
  });

  it("is read as JSON, too, and refused without the fields it needs", async () => {
    const json = '[\n{"added_iso":"2026-05-01T10:00:00Z","datapoint":"pageview","path":"/a","is_unique":true,"is_robot":false}\n]';
    expect(await rowsOf(await recognition(simpleAnalytics, [fileOf("a.json", json)]))).toMatchObject([{ line: 2, path: "/a" }]);
    const few = fileOf("a.csv", "added_iso,datapoint\n2026-05-01T10:00:00Z,pageview\n");
    expect(await recognized(simpleAnalytics, [few])).toMatchObject([{ advice: expect.stringContaining("with all fields") }]);
  });
});

describe("Fathom", () => {
  it("has page views and events of the days of the site's zone, and no visitors", async () => {
    const outcome = await recognition(fathom, fixtureFiles("fathom"));
    expect(outcome.rows).toBe("days");
    const rows = await rowsOf(outcome);
    expect(rows.flatMap((row) => (row.kind === "day" && row.table === "totals" ? [[row.date, row.counts]] : []))).toEqual([
      ["2026-05-01", { pageviews: 3 }],
      ["2026-05-02", { pageviews: 4 }],
    ]);
    expect(tally(rows)).toMatchObject({ events: 1, pages: 2, "bad: number_out_of_range": 1 });
    const first = rows.flatMap((row) => (row.kind === "day" && row.line === 2 && row.table !== "events" ? [row.values] : []));
    expect(Object.assign({}, ...first)).toMatchObject({
      hostname: "example.com",
      pathname: "/",
      referrer: "https://www.google.com/",
      referrerSource: "www.google.com",
      deviceType: "mobile",
      region: "Berlin",
    });
  });

  it("is refused as views by different dimensions, which would count twice", async () => {
    const files = ["pathname", "browser"].map((name) => fileOf(`${name}.csv`, `date,${name},pageviews,uniques\n2026-05-01,x,1,1\n`));
    expect(await recognized(fathom, files)).toMatchObject([
      { paths: ["pathname.csv", "browser.csv"], advice: expect.stringContaining("count twice") },
    ]);
  });

  it("is refused without dates", async () => {
    const file = fileOf("a.csv", "pathname,pageviews,uniques\n/,1,1\n");
    expect(await recognized(fathom, [file])).toMatchObject([{ advice: expect.stringContaining("grouped by hour") }]);
  });
});

describe("Swetrix", () => {
  it("has views and events of its ClickHouse table, without those that it had imported", async () => {
    const rows = await rowsOf(await recognition(swetrix, fixtureFiles("swetrix")));
    expect(tally(rows)).toEqual({ pageview: 1, signup: 1, "left out: not_a_hit": 1, "left out: imported_there": 1 });
    expect(rows[0]).toMatchObject({ visitor: "1", browser: "Chrome", os: "Android", referrer: "https://news.example/", city: "Berlin" });
    expect(rows[1]).toMatchObject({ props: { plan: "pro" } });
  });

  it("is refused as the dashboard's download", async () => {
    expect(await recognized(swetrix, [fileOf("Pages.csv", "name,value,percentage\r\n/,1,100\r\n")])).toMatchObject([
      { advice: expect.stringContaining("FORMAT CSVWithNames") },
    ]);
  });
});

describe("our own raw export", () => {
  it("is read as CSV and JSON, with properties character by character", async () => {
    const rows = await rowsOf(await recognition(ownEvents, fixtureFiles("own")));
    expect(tally(rows)).toEqual({ pageview: 2, order: 1 });
    expect(rows[0]).toMatchObject({
      atMs: Date.parse("2026-05-01T10:00:00.123Z"),
      utmCampaign: "=SUM(1)",
      screenWidth: 1920,
      engagedSeconds: 12,
      clickId: "gclid",
      interactive: true,
    });
    expect(rows[1]).toMatchObject({
      props: '{"id":12345678901234567890,"tags":["a"]}',
      revenue: { amount: "-49.90", currency: "EUR" },
      interactive: false,
    });
    expect(rows[2]).toMatchObject({ props: '{"a":1}', hostname: "example.com", city: null });
  });

  it("takes the events of one site: of that which gets them, or of the first", async () => {
    const text = new TextDecoder().decode(fixture("own/events.json"));
    const files = [fileOf("a.json", text.replaceAll("example.com", "a.example")), fileOf("b.json", text), fileOf("c.json", text)];
    const paths = async (siteId: string) => (await recognition(ownEvents, files, { siteId })).files.map(({ path }) => path);
    expect(await paths("example.com")).toEqual(["b.json", "c.json"]);
    expect(await paths("new.example")).toEqual(["a.json"]);
    expect((await recognition(ownEvents, files)).ignored).toEqual([
      { path: "a.json", reason: "Has events of a.example: import them into that site." },
    ]);
  });
});
