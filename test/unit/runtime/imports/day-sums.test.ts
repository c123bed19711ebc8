/** Rows of days as measures: names and values as those of own events, and no number that a row lacks. */
import { describe, expect, it } from "vitest";
import type { DayRow } from "../../../../src/runtime/imports/rows.ts";
import { DaySums, PropertyKeys } from "../../../../src/runtime/imports/day-sums.ts";
import type { LocalDate } from "../../../../src/storage/event.ts";
import { rowsOf } from "../../../../src/storage/columns.ts";
import { HIT_SOURCE, SITE } from "../../../support/hit-imports.ts";

const date = "2026-01-01" as LocalDate;
const DAY = 20_454;

const row = (table: DayRow["table"], values: DayRow["values"], counts: DayRow["counts"]): DayRow => ({
  kind: "day",
  line: 1,
  date,
  table,
  values,
  counts,
});

function measuresOf(rows: readonly DayRow[], minimisation = {}): Readonly<Record<string, unknown>> {
  const { pageRules, minimisation: none } = HIT_SOURCE.events;
  const sums = new DaySums({ pageRules, minimisation: { ...none, ...minimisation } });
  for (const each of rows) sums.add(each);
  return Object.fromEntries([...sums.toRollup(SITE, 1).measures].map(([name, columns]) => [name, rowsOf(columns)]));
}

describe("custom properties of an import", () => {
  const ofProperty = (property: string) => row("properties", { property, value: "a" }, { events: 1 });

  it("are the first 1,000, however many measures and rows there are", () => {
    const keys = new PropertyKeys();
    const isAdmitted = (property: string) => keys.admits(ofProperty(property));
    expect(keys.admits(row("browsers", { browser: "Chrome" }, { visitors: 1 }))).toBe(true);
    const names = Array.from({ length: 1001 }, (_, i) => `key ${i}`);
    expect(names.filter((name) => !isAdmitted(name))).toEqual(["key 1000"]);
    expect(["key 999", " key 0 ", "key 1000", ""].map(isAdmitted)).toEqual([true, true, false, true]);
  });
});

describe("sums of days", () => {
  it("add rows of the same day and value, and leave out numbers that a row lacks", () => {
    const measures = measuresOf([
      row("browsers", { browser: "Chrome" }, { visitors: 1, visits: 2, pageviews: 3, durationSeconds: 4 }),
      row("browsers", { browser: "Chrome" }, { visitors: 1, visits: 2, pageviews: 3 }),
      row("browsers", { browser: null }, { visitors: 5, visits: 6, pageviews: 7, bounces: 1 }),
    ]);
    expect(measures).toEqual({
      browsers: [
        { bucket: DAY, value: "Chrome", visitors: 2, sessions: 4, pageviews: 6 },
        { bucket: DAY, value: "(unknown)", visitors: 5, sessions: 6, pageviews: 7 },
      ],
    });
  });

  it("have a measure for each dimension of a table, with values as those of own events", () => {
    const counts = { visitors: 1, pageviews: 2 };
    const of = { bucket: DAY, ...counts };
    expect(
      measuresOf([
        row("sources", { referrerSource: "google", referrer: "https://www.google.com/search?q=x", utmMedium: null }, counts),
        row("pages", { hostname: "example.com", pathname: "/a/?q=1#top" }, counts),
        row("properties", { property: "plan", value: null }, { visitors: 1, events: 2 }),
        row("events", { eventName: "pageview" }, { visitors: 9, events: 9 }),
        row("events", { eventName: "Signup" }, { visitors: 1, events: 2 }),
      ]),
    ).toEqual({
      sources: [{ ...of, value: "Google" }],
      referrers: [{ ...of, value: "https://www.google.com/search?q=x" }],
      "utm-mediums": [{ ...of, value: "(unknown)" }],
      pages: [{ ...of, value: "/a" }],
      "property-values/plan": [{ bucket: DAY, value: "(unknown)", visitors: 1, events: 2 }],
      events: [{ bucket: DAY, value: "Signup", visitors: 1, events: 2 }],
      "custom-events": [{ bucket: DAY, events: 2 }],
    });
  });

  it("lack what the options keep out of events", () => {
    const place = row("locations", { countryCode: "DE", region: "DE-BE", city: "Berlin" }, { visitors: 1 });
    const of = { bucket: DAY, visitors: 1 };
    expect(measuresOf([place], { geoipPrecision: "country" })).toEqual({
      countries: [{ ...of, value: "DE" }],
      regions: [{ ...of, value: "(unknown)" }],
      cities: [{ ...of, value: "(unknown)" }],
    });
    const browser = row("browsers", { browser: "Chrome", browserVersion: "124" }, { visitors: 1 });
    expect(measuresOf([browser], { suppressBrowserVersion: true })).toMatchObject({ "browser-versions": [{ value: "(unknown)" }] });
  });
});
