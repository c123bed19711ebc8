/** Spans of days and names of files of sums of days (docs/data-format.md, "Sums of days"). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/storage/calendar.ts";
import { dayCountOf, daysOfSpans, daySumsKey, isInSpans, parseDaySumsKey, spansOf } from "../../../src/storage/day-sums.ts";
import type { LocalDate } from "../../../src/storage/event.ts";

const FIRST = "2024-02-25" as LocalDate;

describe("spans of days", () => {
  it("are as few as possible, in order", () => {
    const days = ["2024-03-01", "2024-02-28", "2024-02-29", "2024-03-03", "2024-03-01"] as LocalDate[];
    expect(spansOf(days)).toEqual([
      ["2024-02-28", "2024-03-01"],
      ["2024-03-03", "2024-03-03"],
    ]);
    expect(spansOf([])).toEqual([]);
  });

  it("have exactly the days that they are made of", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), (places) => {
        const days = places.map((place) => addDays(FIRST, place)).sort();
        const spans = spansOf(days);
        expect(daysOfSpans(spans)).toEqual(days);
        expect(dayCountOf(spans)).toBe(days.length);
        for (let place = 0; place <= 40; place++) expect(isInSpans(spans, addDays(FIRST, place))).toBe(places.includes(place));
      }),
    );
  });
});

describe("names of files with sums of days", () => {
  it("say whose they are", () => {
    expect(parseDaySumsKey(daySumsKey(3, 12))).toEqual({ importNumber: 3, index: 12 });
    for (const key of ["imports/3/files/0/0", "imports/3/identities/2024-01-01/0", "imports/3/days/a.parquet", "imports/3/days/1"])
      expect(parseDaySumsKey(key)).toBeNull();
  });
});
