/** Keys of rollups: they say which days they cover, and other files are told apart. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LocalDate } from "../../../src/storage/event.ts";
import { daysOfRollupKey, hashOf, parseRollupKey, rollupFileOf, rollupFolder } from "../../../src/storage/rollup.ts";
import { anySiteId, siteId } from "../../support/stored-event.ts";

const [FIRST, LAST] = ["2026-03-08", "2026-03-15"] as [LocalDate, LocalDate];
const FIELDS = { firstDay: FIRST, lastDay: LAST, definitionsHash: "0123abcd", eventsHash: "00000000" };

describe("the key of a rollup", () => {
  it("contains site, days and hashes", () => {
    expect(rollupFileOf(siteId("Site"), FIELDS).key).toBe("rollups/site_id=%53ite/2026-03-08_2026-03-15_0123abcd_00000000.parquet");
  });

  it("the key of a rollup is decoded for any site", () => {
    fc.assert(
      fc.property(anySiteId, (id) => {
        const file = rollupFileOf(id, FIELDS);
        expect(parseRollupKey(id, file.key)).toEqual(file);
      }),
    );
  });

  it.each([
    "2026-03-08_2026-03-15_0123abcd_00000000.parquet.bak",
    "2026-03-08_2026-03-15_0123abcd_00000000.json",
    "2026-03-08_2026-03-15_0123abcd.parquet",
    "2026-03-08_2026-03-15_0123ABCD_00000000.parquet",
    "2026-03-08_2026-03-15/0123abcd_00000000.parquet",
    "2026-03-08_2026-03-15",
  ])("is not %j, but its days are read from it, so that an erasure finds it", (name) => {
    const id = siteId("site.test");
    const key = `${rollupFolder(id)}/${name}`;
    expect(parseRollupKey(id, key)).toBeNull();
    expect(daysOfRollupKey(id, key)).toEqual({ firstDay: FIRST, lastDay: LAST });
  });

  it.each([
    "2026-03-15_2026-03-08_0123abcd_00000000.parquet",
    "2026-02-30_2026-03-15_0123abcd_00000000.parquet",
    "2026-03-08-2026-03-15_0123abcd_00000000.parquet",
    "notes.txt",
    "more/2026-03-08_2026-03-15_0123abcd_00000000.parquet",
    "",
  ])("is not %j, which has no days", (name) => {
    const id = siteId("site.test");
    const key = `${rollupFolder(id)}/${name}`;
    expect([parseRollupKey(id, key), daysOfRollupKey(id, key)]).toEqual([null, null]);
  });
});

describe("hashOf", () => {
  it("consists of eight hexadecimal digits, which differ for different values", () => {
    expect(hashOf("a")).toMatch(/^[0-9a-f]{8}$/);
    expect(new Set(["a", "b", ["a"], [["2026-03-08", "1-1"]], [["2026-03-08", "1-2"]]].map(hashOf)).size).toBe(5);
  });
});
