import { describe, expect, it } from "vitest";
import { PAGEVIEW } from "../../../../../src/runtime/base/config/names.ts";
import type { DayRow, Row } from "../../../../../src/runtime/imports/rows.ts";
import { plausible } from "../../../../../src/runtime/imports/formats/plausible.ts";
import { fileOf, fixtureFiles, recognition, recognized, rowsOf, tally } from "../../../../support/import-files.ts";

const days = (rows: readonly Row[]): DayRow[] => rows.filter((row) => row.kind === "day");

function totals(rows: readonly Row[], table: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const row of days(rows)) {
    if (row.table === table) for (const [name, count] of Object.entries(row.counts)) sums[name] = (sums[name] ?? 0) + Number(count);
  }
  return sums;
}

const rowsIn = async (name: string, text: string): Promise<Row[]> => rowsOf(await recognition(plausible, [fileOf(name, text)]));

describe("the full export of Plausible", () => {
  it("has all eleven tables, with equal sums of visits", async () => {
    const outcome = await recognition(plausible, fixtureFiles("plausible-export"));
    expect(outcome).toMatchObject({
      product: "Plausible",
      generation: "full export with custom properties (since August 2025)",
      rows: "days",
      timeZone: { name: "Europe/Berlin" },
    });
    const rows = await rowsOf(outcome);
    expect(tally(rows)).toEqual({
      totals: 3,
      sources: 3,
      pages: 3,
      "entry-pages": 2,
      "exit-pages": 2,
      locations: 3,
      devices: 4,
      browsers: 4,
      "operating-systems": 2,
      events: 2,
      properties: 1,
    });
    const ofVisits = { visits: 18, bounces: 6, durationSeconds: 900, pageviews: 29 };
    for (const table of ["totals", "sources", "entry-pages", "exit-pages", "locations", "devices", "browsers", "operating-systems"]) {
      expect(totals(rows, table)).toEqual({ visitors: 15, ...ofVisits });
    }
    expect(totals(rows, "pages")).toEqual({ visitors: 19, visits: 22, pageviews: 29 });
    expect(totals(rows, "events")).toEqual({ visitors: 4, events: 6 });
  });

  it("has values as ours are", async () => {
    const rows = days(await rowsOf(await recognition(plausible, fixtureFiles("plausible-export"))));
    const values = (table: string) => rows.filter((row) => row.table === table).map((row) => row.values);
    expect(values("sources")).toEqual([
      { ...NO_SOURCE, referrerSource: "Google", referrer: "https://google.com" },
      NO_SOURCE,
      { ...NO_SOURCE, referrerSource: "Newsletter", utmSource: "news", utmMedium: "email", utmCampaign: 'spring, "sale"' },
    ]);
    expect(values("devices").map(({ deviceType }) => deviceType)).toEqual(["desktop", "desktop", "mobile", null]);
    expect(values("browsers").slice(1)).toEqual([
      { browser: "Mobile App", browserVersion: null },
      { browser: "Chrome", browserVersion: "124" },
      { browser: "Edge", browserVersion: "125" },
    ]);
    expect(values("operating-systems")).toEqual([
      { os: "macOS", osVersion: "10.15" },
      { os: "Linux", osVersion: null },
    ]);
    expect(values("locations")[0]).toEqual({ countryCode: "US", region: "US-CA" });
    expect(values("events")[1]).toEqual({ eventName: "404", linkUrl: null, pathname: "/missing" });
  });

  it("of older generations has fewer columns, in other order, without prefix or range in its name", async () => {
    expect(await rowsIn("browsers.csv", "visitors,browser,date\n3,Chrome,2023-05-01\n")).toEqual([
      { kind: "day", line: 2, date: "2023-05-01", table: "browsers", values: { browser: "Chrome" }, counts: { visitors: 3 } },
    ]);
    const pages = await rowsIn(
      "imported_pages.csv",
      "date,hostname,page,visitors,pageviews,exits,time_on_page\n2024-05-01,a.com,/,1,2,1,9\n",
    );
    expect(days(pages)[0]?.counts).toEqual({ visitors: 1, pageviews: 2 });
    const nullable = await rowsIn(
      "p.csv",
      "date,hostname,page,visitors,visits,pageviews,scroll_depth,pageleave_visitors\n2025-02-01,a.com,/,1,1,2,\\N,0\n",
    );
    expect(tally(nullable)).toEqual({ pages: 1 });
  });

  it("has bad rows with their reason, which stop no other", async () => {
    const rows = await rowsIn(
      "imported_visitors.csv",
      "date,visitors,pageviews,bounces,visits,visit_duration\n2026-13-01,1,1,1,1,1\n1994-05-01,1,1,1,1,1\n2027-01-01,1,1,1,1,1\n" +
        "2026-05-01,x,1,1,1,1\n2026-05-01,1,-1,1,1,1\n2026-05-01,1,1,1,1,10000000001\n2026-05-01,1\n2026-05-01,1,1,1,1,10000000000\n",
    );
    expect(rows.map((row) => (row.kind === "bad" ? [row.line, row.reason, row.column, row.value] : row.kind))).toEqual([
      [2, "bad_date", "date", "2026-13-01"],
      [3, "date_out_of_range", "date", "1994-05-01"],
      [4, "date_out_of_range", "date", "2027-01-01"],
      [5, "bad_number", "visitors", "x"],
      [6, "number_out_of_range", "pageviews", "-1"],
      [7, "number_out_of_range", "visit_duration", "10000000001"],
      [8, "wrong_field_count", undefined, "2026-05-01,1"],
      "day",
    ]);
  });

  it("is refused if two of them overlap, and if it is the dashboard's download", async () => {
    const visitors = "date,visitors,pageviews,bounces,visits,visit_duration\n";
    const twice = ["imported_visitors_20260101_20260131.csv", "imported_visitors_20260131_20260228.csv"].map((name) =>
      fileOf(name, visitors),
    );
    expect(await recognized(plausible, twice)).toMatchObject([{ advice: expect.stringContaining("overlap and would count days twice") }]);
    const download = [
      fileOf("visitors.csv", "date,visitors,pageviews,visits,views_per_visit,bounce_rate,visit_duration\n"),
      fileOf("sources.csv", "name,visitors,bounce_rate,visit_duration\n"),
      fileOf("pages.csv", "name,visitors,pageviews,bounce_rate,time_on_page\n"),
    ];
    expect(await recognized(plausible, download)).toMatchObject([
      { paths: ["visitors.csv", "sources.csv", "pages.csv"], advice: expect.stringContaining("Export to CSV") },
    ]);
  });
});

const NO_SOURCE = {
  referrerSource: null,
  referrer: null,
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmContent: null,
  utmTerm: null,
};

describe("a dump of Plausible's events", () => {
  it("has page views and events of its first site", async () => {
    const outcome = await recognition(plausible, fixtureFiles("plausible-dump"));
    expect(outcome).toMatchObject({ generation: "dump of events_v2", rows: "hits", timeZone: { name: "UTC" } });
    const rows = await rowsOf(outcome);
    expect(tally(rows)).toEqual({ pageview: 1, Purchase: 1, "left out: not_a_hit": 1, "left out: other_site": 1, "bad: bad_date": 1 });
    expect(rows[0]).toMatchObject({
      name: PAGEVIEW,
      atMs: Date.parse("2026-05-01T08:00:00Z"),
      visitor: "11111111111111111111",
      hostname: "example.com",
      path: "/",
      referrer: "https://google.com",
      referrerSource: "Google",
      region: "DE-BE",
      deviceType: "desktop",
      os: "macOS",
      osVersion: "10.15",
      revenue: null,
      props: null,
    });
    expect(rows[2]).toMatchObject({ props: { plan: "pro", note: 'it\'s, "fine"' }, revenue: { amount: "49.90", currency: "EUR" } });
  });

  it("of sessions alone is refused, and ignored beside events", async () => {
    const sessions = fileOf("sessions_v2.csv", '"sign","user_id","session_id","entry_page"\n');
    expect(await recognized(plausible, [sessions])).toMatchObject([{ advice: expect.stringContaining("events_v2") }]);
    expect(await recognition(plausible, [sessions, ...fixtureFiles("plausible-dump")])).toMatchObject({
      ignored: [{ path: "sessions_v2.csv" }],
    });
  });
});
