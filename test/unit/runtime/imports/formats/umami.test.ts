import { describe, expect, it } from "vitest";
import { IMPORT_JOIN_BYTES, PROPS_CHARS_MAX } from "../../../../../src/runtime/base/config/limits.ts";
import { UnreadableFile } from "../../../../../src/runtime/imports/files/file.ts";
import { umami } from "../../../../../src/runtime/imports/formats/umami.ts";
import { fileOf, fixtureFiles, recognition, recognized, rowsOf, tally } from "../../../../support/import-files.ts";

const hits = async (...files: Parameters<typeof fileOf>[]) =>
  (
    await rowsOf(
      await recognition(
        umami,
        files.map(([path, content]) => fileOf(path, content)),
      ),
    )
  ).flatMap((row) => (row.kind === "hit" ? [row] : []));

describe("the export of Umami Cloud", () => {
  it("has page views and events with their data; links, pixels and measurements are left out", async () => {
    const outcome = await recognition(umami, fixtureFiles("umami"));
    expect(outcome).toMatchObject({ rows: "hits", timeZone: { name: "UTC" }, ignored: [{ path: "umami/session_data.csv" }] });
    const rows = await rowsOf(outcome);
    expect(tally(rows)).toEqual({
      pageview: 2,
      purchase: 1,
      theme_change: 1,
      "left out: link": 2,
      "left out: not_a_hit": 1,
      "bad: bad_date": 1,
      "bad: missing_value": 1,
      "bad: wrong_field_count": 1,
    });
    const byId = new Map(rows.flatMap((row) => (row.kind === "hit" ? [[row.identity, row] as const] : [])));
    expect(byId.get("e1")).toMatchObject({
      visitor: "s1",
      hostname: "example.com",
      path: "/?utm_source=ig&gclid=1",
      referrer: "https://l.instagram.com/",
      browser: "Edge",
      os: "Windows",
      osVersion: "10",
      deviceType: "desktop",
      screenWidth: 1920,
      countryCode: "US",
      region: "US-MA",
      city: "Boston",
      utmSource: "ig",
      utmMedium: null,
      clickId: "gclid",
    });
    expect(byId.get("e2")).toMatchObject({ name: "purchase", props: { items: 3 }, revenue: { amount: "49.9", currency: "EUR" } });
    expect(byId.get("e3")).toMatchObject({
      path: "/docs?page=2#intro",
      referrer: null,
      browser: "Chrome",
      os: "iOS",
      deviceType: "mobile",
    });
    expect(byId.get("e4")).toMatchObject({ name: "theme_change", props: { dark: true, tag: "b" }, revenue: null });
  });

  it("without event_data.csv says what is missing; event_data.csv alone is refused", async () => {
    const files = fixtureFiles("umami");
    const of = (name: string) => files.filter(({ path }) => path.endsWith(name));
    expect((await recognition(umami, of("website_event.csv"))).lost.join()).toContain("event_data.csv is missing");
    expect(await recognized(umami, of("event_data.csv"))).toMatchObject([
      { advice: expect.stringContaining("website_event.csv is missing") },
    ]);
  });

  it("of older versions has other columns, separators and times", async () => {
    const text =
      "session_id;created_at;url_path;url_query;subdivision1;event_type\ns;2024-06-15 14:30:00.123+00;/a;?b=1;CA;1\ns;2024-06-15T14:30:00Z;/a;;;1";
    expect(await hits(["e.csv", text])).toMatchObject([
      { atMs: Date.parse("2024-06-15T14:30:00.123Z"), path: "/a?b=1", region: "CA" },
      { atMs: Date.parse("2024-06-15T14:30:00Z"), path: "/a" },
    ]);
  });

  it("is refused without dates, with the statements that write one", async () => {
    expect(await recognized(umami, [fileOf("pages.csv", "x,y\n/,3\n")])).toMatchObject([
      { paths: ["pages.csv"], advice: expect.stringContaining("FROM website_event e JOIN session s") },
    ]);
  });

  it("is joined in several passes if its data is larger than the memory for it, with the same rows", async () => {
    const ids = Array.from({ length: 400 }, (_, i) => `id-${i}`);
    const events = [
      "session_id,event_id,url_path,event_type,event_name,created_at",
      ...ids.map((id) => `s,${id},/,2,e,2026-05-01 00:00:00`),
    ];
    // Many values that are cut, so that the file is small for what the plan has to assume.
    const value = "v".repeat(PROPS_CHARS_MAX / 2);
    const repeats = Math.ceil((1.5 * IMPORT_JOIN_BYTES) / (ids.length * 2 * value.length));
    const data = [
      "event_id,data_key,data_type,string_value",
      ...ids.flatMap((id) => Array.from({ length: repeats }, (_, i) => `${id},k${i},1,${value}`)),
    ];
    const joined = await hits(["website_event.csv", events.join("\n")], ["event_data.csv", data.join("\n")]);
    expect(joined.map(({ identity }) => identity).toSorted()).toEqual(ids.toSorted());
    expect(joined.map(({ line }) => line)).not.toEqual(joined.map(({ line }) => line).toSorted((a, b) => a - b));
    for (const { props } of joined) expect(props).toEqual({ k0: value });
  });

  it("is refused if its data would need too many passes", async () => {
    const value = "v".repeat(200_000);
    const data = ["event_id,data_key,data_type,string_value", ...Array.from({ length: 100 }, (_, i) => `${i},k,1,${value}`)].join("\n");
    const parts = Array.from({ length: 25 }, (_, i) => fileOf(`event_data${i}.csv`, data));
    const events = fileOf("e.csv", "session_id,event_id,url_path,created_at\ns,1,/,2026-05-01 00:00:00");
    await expect(recognition(umami, [events, ...parts]).then(rowsOf)).rejects.toThrow(UnreadableFile);
  });
});
