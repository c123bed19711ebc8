/** Google Analytics 4: reports of the Data API, and events from BigQuery. */
import { describe, expect, it } from "vitest";
import type { DayRow, Hit, Row } from "../../../../../src/runtime/imports/rows.ts";
import { isRefusal, type Recognition, type Refusal } from "../../../../../src/runtime/imports/formats/format.ts";
import { GA4_BIGQUERY } from "../../../../../src/runtime/imports/formats/google/bigquery.ts";
import { countryCodeOfName } from "../../../../../src/runtime/imports/formats/google/countries.ts";
import { GA4_DATA_API } from "../../../../../src/runtime/imports/formats/google/data-api.ts";
import { splitSystem } from "../../../../../src/runtime/imports/formats/google/devices.ts";
import { fileOf, fixtureFiles, recognized, rowsOf, streamedFile } from "../../../../support/import-files.ts";

function recognitionAmong(found: readonly (Recognition | Refusal)[]): Recognition {
  const recognition = found.find((outcome) => !isRefusal(outcome));
  if (recognition === undefined || isRefusal(recognition)) throw new Error("not recognized");
  return recognition;
}

const daysAmong = (rows: readonly Row[]): Omit<DayRow, "kind" | "line">[] =>
  rows.flatMap((row) => (row.kind === "day" ? [{ date: row.date, table: row.table, values: row.values, counts: row.counts }] : []));

const remarksAmong = (rows: readonly Row[]): string[] => rows.flatMap((row) => (row.kind === "remark" ? [row.text] : []));

const othersAmong = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) => (row.kind === "bad" || row.kind === "left out" ? [`${row.line} ${row.reason}`] : []));

describe("Google Analytics 4: Data API", () => {
  it("reads totals by day in the property's time zone, and reports rows that cannot be read", async () => {
    const recognition = recognitionAmong(await recognized(GA4_DATA_API, fixtureFiles("ga4-data-api").slice(0, 1)));
    expect(recognition).toMatchObject({ rows: "days", timeZone: { name: "America/New_York" } });
    const rows = await rowsOf(recognition);
    expect(daysAmong(rows)).toEqual([
      {
        date: "2024-03-05",
        table: "totals",
        values: {},
        counts: { visitors: 10, visits: 12, bounces: 3, durationSeconds: 346, pageviews: 30 },
      },
      {
        date: "2024-03-06",
        table: "totals",
        values: {},
        counts: { visitors: 7, visits: 8, bounces: 0, durationSeconds: 100, pageviews: 16 },
      },
    ]);
    expect(othersAmong(rows).map((row) => row.replace(/^\d+ /, ""))).toEqual(["unattributed", "bad_number"]);
  });

  it("reads a batch: each report goes to the table of its dimensions", async () => {
    const rows = await rowsOf(recognitionAmong(await recognized(GA4_DATA_API, fixtureFiles("ga4-data-api").slice(1))));
    const date = "2024-03-05";
    const organic = { referrerSource: "google", utmMedium: null, utmCampaign: null };
    const news = { referrerSource: "news", utmMedium: "email", utmCampaign: "spring", utmSource: "news" };
    expect(daysAmong(rows)).toEqual([
      { date, table: "sources", values: organic, counts: { visitors: 6, visits: 7 } },
      { date, table: "sources", values: news, counts: { visitors: 4, visits: 5 } },
      { date, table: "pages", values: { hostname: "shop.example", pathname: "/" }, counts: { visitors: 9, pageviews: 20 } },
      // Visitors of an hour do not add up to those of a day.
      { date, table: "events", values: { eventName: "click", linkUrl: "https://out.example/" }, counts: { events: 3 } },
      { date, table: "locations", values: { countryCode: "DE", region: "Berlin", city: null }, counts: { visitors: 9, visits: 20 } },
      { date, table: "operating-systems", values: { os: "macOS", osVersion: "14.4" }, counts: { visits: 9 } },
    ]);
    expect(othersAmong(rows).map((row) => row.replace(/^\d+ /, ""))).toEqual(["not_a_hit", ...Array<string>(3).fill("unsupported_report")]);
  });

  it("says what Google estimated or left out, what is missing, and which reports are not imported", async () => {
    const rows = await rowsOf(recognitionAmong(await recognized(GA4_DATA_API, fixtureFiles("ga4-data-api").slice(1))));
    expect(remarksAmong(rows)).toEqual([
      "Google estimated this report from a sample of 12 % of the events.",
      'This page of the report has 1 of 3 rows. Request the others with "offset".',
      "Google left out rows with few users from this report.",
      "The report by date, operatingSystemWithVersion, deviceCategory is left out: it joins dimensions of different tables. " +
        "Request one report for pages, one for sources, one for locations, and so on.",
      'The report by sessionSource is left out: it has no date. Add the dimension "date" to the request.',
      "The report by date, sessionSource is left out: it counts what the report by sessionCampaignName, sessionMedium, sessionSource counts. " +
        "Import one of them.",
    ]);
  });

  it("takes each table from the first report of all files, whichever file is read first", async () => {
    const report = (dimension: string, value: string): string =>
      JSON.stringify({
        dimensionHeaders: [{ name: "date" }, { name: dimension }],
        metricHeaders: [{ name: "sessions" }],
        rows: [{ dimensionValues: [{ value: "20240305" }, { value }], metricValues: [{ value: "3" }] }],
      });
    const files = [fileOf("a.json", report("country", "Germany")), fileOf("b.json", report("city", "Berlin"))];
    const recognition = recognitionAmong(await recognized(GA4_DATA_API, files));
    expect(recognition.timeZone).toMatchObject({ name: "Europe/Berlin", reason: expect.stringContaining("assumed") as string });
    expect(othersAmong(await rowsOf({ files: recognition.files.slice(1) }))).toEqual(["1 unsupported_report"]);
    expect(daysAmong(await rowsOf({ files: recognition.files.slice(0, 1) }))).toMatchObject([{ values: { countryCode: "DE" } }]);
  });

  it("refuses downloads from the pages of Analytics, and names the way to the right file", async () => {
    const [refusal] = await recognized(GA4_DATA_API, [
      fileOf("report.csv", "# ----------------------------------------\n# Traffic acquisition\n"),
    ]);
    expect(refusal).toMatchObject({ paths: ["report.csv"], advice: expect.stringContaining("runReport") as string });
  });
});

const hitsAmong = (rows: readonly Row[]): Hit[] => rows.filter((row) => row.kind === "hit");

const PURCHASE = {
  name: "purchase",
  hostname: "shop.example",
  path: "/café?b=1",
  props: { transaction_id: "T1", value: 49.9 },
  revenue: { amount: "49.9", currency: "EUR" },
};

describe("Google Analytics 4: BigQuery", () => {
  it("reads page views and events with campaign, device, place and revenue", async () => {
    const recognition = recognitionAmong(await recognized(GA4_BIGQUERY, fixtureFiles("ga4-bigquery")));
    const rows = await rowsOf(recognition);
    const [pageview, purchase, withoutConsent] = hitsAmong(rows);
    expect(pageview).toEqual({
      kind: "hit",
      line: 2,
      atMs: Date.UTC(2024, 2, 6, 10, 0, 0, 125),
      visitor: "1111.2222",
      identity: expect.stringMatching(/^[\da-f]{32}$/) as string,
      name: "pageview",
      hostname: "shop.example",
      path: "/café?b=1",
      referrer: "https://mail.example/",
      browser: "Chrome",
      browserVersion: "126",
      os: "Windows",
      osVersion: "10",
      deviceType: "desktop",
      countryCode: "TR",
      region: "Istanbul",
      city: null,
      utmSource: "news",
      utmMedium: "email",
      utmCampaign: "spring",
      utmContent: null,
      utmTerm: null,
      clickId: "gclid",
      props: { theme: "dark" },
      revenue: null,
    });
    expect(purchase).toMatchObject(PURCHASE);
    expect(withoutConsent).toMatchObject({ visitor: null, path: "/", utmSource: null, props: null });
    expect(othersAmong(rows)).toEqual([
      ...["1 not_a_hit", "3 not_a_hit", "6 not_web"],
      // The intraday table of the next day.
      ...["2 bad_date", "3 not_json"],
    ]);
  });

  it("takes a day from its final table, and from the intraday table only if there is no other", async () => {
    const { files, ignored } = recognitionAmong(await recognized(GA4_BIGQUERY, fixtureFiles("ga4-bigquery").toReversed()));
    expect(files.map(({ path }) => path)).toEqual(["ga4-bigquery/events_20240306.jsonl", "ga4-bigquery/events_intraday_20240307.jsonl"]);
    expect(ignored).toEqual([
      { path: "ga4-bigquery/events_intraday_20240306.jsonl", reason: "A table of the same day that is more complete is read." },
    ]);
  });

  it("reads the same hits from Parquet, also from a file that cannot be read at any place", async () => {
    const fromLines = hitsAmong(await rowsOf(recognitionAmong(await recognized(GA4_BIGQUERY, fixtureFiles("ga4-bigquery").slice(0, 1)))));
    const [parquet] = fixtureFiles("ga4-bigquery-parquet");
    const bytes = (await parquet?.randomAccess?.read(0, parquet.randomAccess.size)) ?? new Uint8Array();
    for (const file of [
      fileOf("events_20240306.parquet", bytes),
      streamedFile("events_20240306.parquet", [bytes.subarray(0, 900), bytes.subarray(900)]),
    ]) {
      const recognition = recognitionAmong(await recognized(GA4_BIGQUERY, [file]));
      expect(recognition.generation).toBe("BigQuery export (Parquet)");
      expect(hitsAmong(await rowsOf(recognition))).toEqual(fromLines);
    }
  });

  it("damaged Parquet is not recognized, and a page that is cut cannot be read", async () => {
    const [parquet] = fixtureFiles("ga4-bigquery-parquet");
    const bytes = (await parquet?.randomAccess?.read(0, parquet.randomAccess.size)) ?? new Uint8Array();
    expect(await recognized(GA4_BIGQUERY, [fileOf("a.parquet", bytes.subarray(0, 3000))])).toEqual([]);
    const damaged = bytes.slice();
    damaged.fill(255, 100, 900);
    const recognition = recognitionAmong(await recognized(GA4_BIGQUERY, [fileOf("a.parquet", damaged)]));
    await expect(rowsOf(recognition)).rejects.toThrow("a.parquet cannot be read as Parquet");
  });

  it("refuses tables that a connector has flattened", async () => {
    const [refusal] = await recognized(GA4_BIGQUERY, [
      fileOf("ga4.csv", "event_date,event_name,param_ga_session_id\n20240306,purchase,1\n"),
    ]);
    expect(refusal).toMatchObject({ paths: ["ga4.csv"], advice: expect.stringContaining("events_YYYYMMDD") as string });
  });
});

describe("Google Analytics 4: names", () => {
  it.each([
    ["United States", "US"],
    ["Türkiye", "TR"],
    ["Turkey", "TR"],
    ["Côte d’Ivoire", "CI"],
    ["Bosnia & Herzegovina", "BA"],
    ["Congo - Kinshasa", "CD"],
    ["St. Lucia", "LC"],
    ["Myanmar (Burma)", "MM"],
    ["Hong Kong", "HK"],
    ["(not set)", null],
    ["Atlantis", null],
  ])("the country %s is %s", (name, code) => {
    expect(countryCodeOfName(name)).toBe(code);
  });

  it.each([
    ["Windows 10", "Windows", "10"],
    ["Windows XP", "Windows", "XP"],
    ["Macintosh 10.15.7", "macOS", "10.15"],
    ["iOS 17.4.1", "iOS", "17.4"],
    ["Chrome OS x86_64 15633.69.0", "ChromeOS", "15633.69"],
    ["Linux", "Linux", null],
    ["(not set)", null, null],
  ])("the system %s is %s %s", (text, os, osVersion) => {
    expect(splitSystem(text)).toEqual({ os, osVersion });
  });
});
