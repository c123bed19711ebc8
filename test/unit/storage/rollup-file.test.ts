/** The file of a rollup: what is written is read back by measure, and nothing else is taken for one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Columns } from "../../../src/storage/columns.ts";
import { encodeEvents } from "../../../src/storage/parquet-events.ts";
import { seal } from "../../../src/storage/checksum.ts";
import { encodeRollup, openRollup } from "../../../src/storage/rollup-file.ts";
import { character } from "../../support/character.ts";
import { integers, originOf, encodedRollup, rollupOf, visitorsOf } from "../../support/rollups.ts";
import { anEvent } from "../../support/stored-event.ts";

/** The rows of a measure as JSON, in an order that does not depend on theirs. */
function rowsOf(columns: Columns | null): string[] {
  const entries = Object.entries(columns ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = entries[0]?.[1].length ?? 0;
  return Array.from({ length: rows }, (_, row) => JSON.stringify(entries.map(([, values]) => String(values[row])))).sort();
}

const text = fc.string({ unit: character, maxLength: 12 });
const integer = fc.oneof(fc.integer({ min: -3, max: 300 }), fc.maxSafeInteger());

/** Rows that differ in their text, with these counts. */
const measure = fc.oneof(
  fc
    .uniqueArray(text, { maxLength: 30 })
    .chain((value) =>
      fc
        .array(integer, { minLength: value.length, maxLength: value.length })
        .map((counts): Columns => ({ value, visitors: integers(...counts), events: Float64Array.from(counts) })),
    ),
  fc.tuple(integer, integer).map(([visitors, sessions]): Columns => ({ visitors: integers(visitors), sessions: integers(sessions) })),
  fc
    .uniqueArray(fc.integer({ min: -30, max: 30 }), { maxLength: 10 })
    .map((days): Columns => ({ bucket: Int32Array.from(days), pageviews: Int32Array.from(days, Math.abs) })),
  fc.bigInt().map((total): Columns => ({ currency: ["EUR"], total: [String(total)] })),
);

const damaged = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => (i === at ? byte ^ 1 : byte));

/** The file with other bytes in place of some, and the right checksum. */
function replaced(bytes: Uint8Array, some: string, other: string): Uint8Array {
  const file = Uint8Array.from(Buffer.from(Buffer.from(bytes).toString("latin1").replace(some, other), "latin1"));
  seal(file);
  return file;
}

describe("the file of a rollup", () => {
  it("contains the rows of every measure, whatever texts and numbers they hold", () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.constantFrom("pages", "main", "b", "property-values/\u{1f600}", "a"), measure),
        async (measures) => {
          const file = openRollup(await encodedRollup(measures));
          expect(Object.keys(file.header.measures).sort()).toEqual(Object.keys(measures).sort());
          for (const [name, columns] of Object.entries(measures)) {
            const rows = rowsOf(columns);
            expect(file.header.measures[name]).toBe(rows.length);
            expect(rowsOf(await file.measure(name))).toEqual(rows);
          }
        },
      ),
      { numRuns: 200 },
    ));

  it("names its origin, and returns null for a measure that it lacks", async () => {
    const { header, measure: read } = openRollup(await encodedRollup({ main: { visitors: integers(1) } }, { hasAllProperties: false }));
    expect(header).toEqual({ ...originOf(), hasAllProperties: false, measures: { main: 1 } });
    expect(await read("pages")).toBeNull();
  });

  it("contains the same bytes for the same rows in another order", async () => {
    const file = await encodedRollup({ a: visitorsOf({ x: 1, y: 2, z: 3 }), b: visitorsOf({ x: 1 }) });
    expect(await encodedRollup({ b: visitorsOf({ x: 1 }), a: visitorsOf({ z: 3, x: 1, y: 2 }) })).toEqual(file);
  });

  it("is read in parts if there are many rows or long texts", async () => {
    const many = visitorsOf(Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`/${i}`, i])));
    const long = visitorsOf(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i}/${"x".repeat(2_000)}`, i])));
    const file = openRollup(await encodeRollup(rollupOf({ few: visitorsOf({ "/": 1 }), long, many, most: visitorsOf({ "/": 2 }) })));
    for (const [name, columns] of Object.entries({ few: visitorsOf({ "/": 1 }), long, many, most: visitorsOf({ "/": 2 }) })) {
      expect(rowsOf(await file.measure(name))).toEqual(rowsOf(columns));
    }
  });

  it("is refused if any byte of it changes, or if it is cut short", async () => {
    const file = await encodedRollup({ pages: visitorsOf({ "/": 1 }) });
    for (let at = 0; at < file.length; at += 7) expect(() => openRollup(damaged(file, at))).toThrow(/checksum/);
    expect(() => openRollup(file.subarray(0, file.length / 2))).toThrow(/checksum/);
    expect(() => openRollup(new Uint8Array())).toThrow(/checksum/);
  });

  it("is refused in another format, and so is a file of events", async () => {
    const file = await encodedRollup({ pages: visitorsOf({ "/": 1 }) });
    expect(() => openRollup(replaced(file, '"format":1', '"format":2'))).toThrow(
      "the rollup has the format 2; this version reads format 1",
    );
    expect(() => openRollup(replaced(file, '"pages":1', '"pages":2'))).toThrow("the rollup has 1 rows in place of 2");
    expect(() => openRollup(encodeEvents([anEvent()]))).toThrow("the file is no rollup");
  });
});
