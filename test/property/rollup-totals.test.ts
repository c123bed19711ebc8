/** The sums of rollups are those that DuckDB computes for the same rows, in the same order. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Top } from "../../src/runtime/query/plan.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { fileOf } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import type { Columns } from "../../src/storage/columns.ts";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { ROLLUP_COLUMNS } from "../../src/storage/rollup.ts";
import { character } from "../support/character.ts";
import { encodedRollup, originOf, totalOf } from "../support/rollups.ts";
import { PROPERTY_RUNS, PROPERTY_TIMEOUT_MS } from "./settings.ts";

type Row = Readonly<Record<string, string | bigint>>;

const KIND_OF = new Map(ROLLUP_COLUMNS.map(({ name, kind }) => [name, kind]));

/** Few enough that parts have groups in common, and with the characters that orders of texts differ in. */
const TEXTS = [
  "",
  "(unknown)",
  "a",
  "A",
  "\u{1f600}",
  "\u{10ffff}a",
  "\uffee",
  "\ue000",
  "\ufeff",
  "\ufeffa",
  "a\u0000",
  "a\u{1f600}",
  "\ud7ff",
];
const anyText = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ unit: character, maxLength: 3 }));

const VALUES = {
  key: fc.bigInt({ min: -2n, max: 20n }),
  text: anyText,
  count: fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 2n ** 50n })),
  amount: fc.oneof(fc.bigInt({ min: -2n, max: 2n }), fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n })).map(String),
};

const isGrouping = (name: string): boolean => ["key", "text"].includes(KIND_OF.get(name) ?? "");

/** A part of a sum: rows that differ in what they are grouped by. A measure without groups has one row in each part. */
function part(columns: readonly string[]) {
  const row = fc.record(
    Object.fromEntries(columns.map((name) => [name, VALUES[KIND_OF.get(name) ?? "count"] as fc.Arbitrary<string | bigint>])),
  );
  const grouping = columns.filter(isGrouping);
  if (grouping.length === 0) return fc.array(row, { minLength: 1, maxLength: 1 });
  return fc.uniqueArray(row, { maxLength: 20, selector: (each: Row) => JSON.stringify(grouping.map((name) => String(each[name]))) });
}

const asked = fc
  .record({
    grouping: fc.subarray(["bucket", "value", "currency"]),
    counts: fc.subarray(["visitors", "events", "sessions"], { minLength: 1 }),
    amounts: fc.subarray(["total"]),
  })
  .chain(({ grouping, counts, amounts }) =>
    fc.record({
      grouping: fc.constant(grouping),
      counts: fc.constant(counts),
      amounts: fc.constant(amounts),
      by: fc.option(fc.constantFrom(...counts, ...amounts), { nil: undefined }),
      isReversed: fc.boolean(),
      offset: fc.integer({ min: 0, max: 3 }),
      rowsMax: fc.integer({ min: 1, max: 12 }),
      rollups: fc.array(part([...grouping, ...counts, ...amounts]), { minLength: 1, maxLength: 4 }),
      added: fc.array(part([...grouping, ...counts, ...amounts]), { maxLength: 2 }),
    }),
  );

const columnsOf = (rows: readonly Row[]): Columns =>
  Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((name) => [
      name,
      ["text", "amount"].includes(KIND_OF.get(name) ?? "")
        ? rows.map((row) => String(row[name]))
        : BigInt64Array.from(rows, (row) => BigInt(row[name] ?? 0)),
    ]),
  );

const quoted = (text: string): string => `decode(from_hex('${Buffer.from(text).toString("hex")}'))`;

const kindOf = (name: string) => KIND_OF.get(name) ?? "count";

/** The rows that DuckDB returns for the sum of the same rows, in the same order. */
async function rowsOfDuckdb(connection: DuckDBConnection, columns: readonly string[], rows: readonly Row[], top: Top | undefined) {
  const types = { key: "BIGINT", text: "VARCHAR", count: "BIGINT", amount: "HUGEINT" };
  await connection.run(`CREATE OR REPLACE TABLE parts (${columns.map((name) => `${name} ${types[kindOf(name)]}`).join(", ")})`);
  const valueIn = (row: Row, name: string): string => {
    if (kindOf(name) === "text") return quoted(String(row[name]));
    return kindOf(name) === "amount" ? `${row[name]}::HUGEINT` : String(row[name]);
  };
  const rowsSql = rows.map((row) => `(${columns.map((name) => valueIn(row, name)).join(", ")})`);
  if (rowsSql.length > 0) await connection.run(`INSERT INTO parts VALUES ${rowsSql.join(", ")}`);
  const grouping = columns.filter(isGrouping);
  const sums = columns.filter((name) => !isGrouping(name)).map((name) => `sum(${name}) AS ${name}`);
  const grouped = grouping.length > 0 ? `GROUP BY ${grouping.join(", ")}` : "";
  const direction = top?.isReversed ? "ASC" : "DESC";
  const byText = grouping
    .filter((name) => kindOf(name) === "text")
    .map((name) => `${name} ${top?.by || !top?.isReversed ? "ASC" : "DESC"}`);
  const order = [...(typeof top?.by === "string" ? [`${top.by} ${direction}`] : []), ...byText];
  const page = top ? `${order.length > 0 ? `ORDER BY ${order.join(", ")}` : ""} LIMIT ${top.rowsMax} OFFSET ${top.offset ?? 0}` : "";
  // In hexadecimal, because the client drops a leading U+FEFF.
  const shown = columns.map((name) => (kindOf(name) === "text" ? `hex(${name}) AS ${name}` : `CAST(${name} AS VARCHAR) AS ${name}`));
  const sum = `SELECT ${[...grouping, ...sums].join(", ")} FROM parts ${grouped}`;
  const reader = await connection.runAndReadAll(`SELECT ${shown.join(", ")} FROM (SELECT * FROM (${sum}) ${page})`);
  return reader.getRowObjectsJS().map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (kindOf(name) === "text") return [name, Buffer.from(String(value), "hex").toString()];
        return [name, kindOf(name) === "amount" ? value : Number(value)];
      }),
    ),
  );
}

const dayAt = (index: number): string => utcDateOf(index * DAY_MS);

const keyOf = (index: number): string => fileOf(originOf(dayAt(index))).key;

describe("the total of a measure", () => {
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  });

  it(
    "the total of a measure is what DuckDB computes for the same rows, in the same order",
    () =>
      fc.assert(
        fc.asyncProperty(asked, async ({ grouping, counts, amounts, by, isReversed, offset, rowsMax, rollups, added }) => {
          const objects = createMemoryObjectStore();
          for (const [i, rows] of rollups.entries())
            await objects.put(keyOf(i), await encodedRollup({ measure: columnsOf(rows) }, { day: dayAt(i) }));
          const texts = grouping.filter((name) => KIND_OF.get(name) === "text");
          const keys = grouping.filter((name) => KIND_OF.get(name) === "key");
          // Rows with equal texts and different keys are in no particular order, so all of them are compared.
          const isOrdered = keys.length === 0 && (texts.length > 0 || by !== undefined);
          const top: Top | undefined = isOrdered
            ? { rowsMax, offset, ...(by !== undefined && { by }), ...(isReversed && { isReversed }) }
            : undefined;
          const calculator = createInlineRollupCalculator(objects, {
            fileBytesMax: 10_000,
            unpackedBytesMax: 10_000,
            measureBytesMax: 10_000,
          });
          const total = await totalOf(calculator, {
            measure: "measure",
            rollups: rollups.map((_rows, i) => keyOf(i)),
            added: added.map(columnsOf),
            ...(top && { top }),
          });
          const expected = await rowsOfDuckdb(connection, [...grouping, ...counts, ...amounts], [...rollups, ...added].flat(), top);
          if (top) expect(total).toEqual(expected);
          else
            expect(new Set(total.map((row) => JSON.stringify(Object.entries(row).sort())))).toEqual(
              new Set(expected.map((row) => JSON.stringify(Object.entries(row).sort()))),
            );
        }),
        { numRuns: PROPERTY_RUNS },
      ),
    PROPERTY_TIMEOUT_MS,
  );
});
