import { describe, expect, it } from "vitest";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "../../../../../src/runtime/base/config/names.ts";
import { UnreadableFile } from "../../../../../src/runtime/imports/files/file.ts";
import { matomo } from "../../../../../src/runtime/imports/formats/matomo.ts";
import { fileOf, fixtureFiles, recognition, recognized, rowsOf, tally } from "../../../../support/import-files.ts";

const START = Date.parse("2026-05-01T12:00:00Z");

const readOne = async (ending: string) =>
  rowsOf(
    await recognition(
      matomo,
      fixtureFiles("matomo").filter(({ path }) => path.endsWith(ending)),
    ),
  );

describe("visits of Matomo", () => {
  it("in JSON, XML and CSV have the same rows", async () => {
    const json = await readOne(".json");
    expect(tally(json)).toEqual({
      pageview: 3,
      "Video/play": 1,
      [OUTBOUND_CLICK]: 1,
      search: 1,
      order: 1,
      [FILE_DOWNLOAD]: 1,
      "left out: not_a_hit": 1,
    });
    for (const ending of [".xml", ".csv"]) {
      expect((await readOne(ending)).map((row) => ({ ...row, line: 0 }))).toEqual(json.map((row) => ({ ...row, line: 0 })));
    }
  });

  it("have times in UTC, in files with times of the site and in files with those of UTC", async () => {
    const rows = await readOne(".json");
    expect(rows.flatMap((row) => (row.kind === "hit" ? [(row.atMs - START) / 60_000] : []))).toEqual([0, 1, 2, 0, 1, 2, 0, 1]);
  });

  it("have the fields of their visit, the arrival with the first action, and nothing personal", async () => {
    const rows = await readOne(".json");
    expect(rows[0]).toMatchObject({
      visitor: "0000000000000001",
      identity: "1/1/0",
      hostname: "example.com",
      path: "/start?x=1",
      referrer: "https://example.org/a",
      browser: "Chrome",
      browserVersion: "124",
      os: "Linux",
      deviceType: "mobile",
      screenWidth: 393,
      countryCode: "DE",
      region: "Berlin",
    });
    expect(rows[1]).toMatchObject({ name: "Video/play", props: { category: "Video", action: "play", name: "Intro" } });
    expect(rows[1]).not.toHaveProperty("referrer");
    expect(rows[2]).toMatchObject({ path: "/start", props: { url: "https://example.net/out" } });
    expect(rows[4]).toMatchObject({ visitor: "1/2", utmCampaign: "spring", utmTerm: "shoes", countryCode: null, region: null, city: null });
    expect(rows[6]).toMatchObject({ path: "/find", props: { order_id: "A7" }, revenue: { amount: "19.90", currency: "EUR" } });
    expect(JSON.stringify(rows)).not.toMatch(/somebody|192\.0\.2\.1/);
  });

  it("without the time of their beginning are bad rows", async () => {
    const visit = { idVisit: 1, actionDetails: [{ type: "action", url: "https://a.example/", timestamp: 1 }] };
    expect(tally(await rowsOf(await recognition(matomo, [fileOf("v.json", JSON.stringify([visit]))])))).toEqual({
      "bad: missing_value": 1,
    });
  });

  it("are refused as reports, with translated columns, and as an error, each with the right request", async () => {
    for (const text of [
      "nb_uniq_visitors,nb_visits\n1,1\n",
      "Visit ID,Visitor ID\n1,2\n",
      '[{"nb_visits":1}]',
      "<result><nb_visits>1</nb_visits></result>",
    ]) {
      expect(await recognized(matomo, [fileOf("a", text)])).toMatchObject([
        { advice: expect.stringContaining("method=Live.getLastVisitsDetails") },
      ]);
    }
    const error = fileOf("a.json", '{"result":"error","message":"You must be logged in"}');
    expect(await recognized(matomo, [error])).toMatchObject([{ advice: expect.stringContaining("You must be logged in") }]);
  });

  it("in broken XML fail with its line", async () => {
    const xml = "<result>\n<row><idVisit>1</idVisit><actionDetails></actionDetails></row>\n<row></oops></result>";
    const outcome = await recognition(matomo, [fileOf("a.xml", xml)]);
    await expect(rowsOf(outcome)).rejects.toThrow(UnreadableFile);
  });
});
