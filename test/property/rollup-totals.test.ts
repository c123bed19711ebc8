/** The sums of rollups are those that DuckDB computes for the same rows, in the same order. */
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type AggregateQuery, finalizeSql } from "../../src/runtime/query/plan.ts";
import { sql } from "../../src/runtime/query/sql.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { fileOf } from "../../src/runtime/duckdb/rollups/rollup-origin.ts";
import type { Columns } from "../../src/storage/columns.ts";
import { DAY_MS, utcDateOf } from "../../src/storage/event.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { ROLLUP_COLUMNS } from "../../src/storage/rollup.ts";
import { character } from "../support/character.ts";
import { encodedRollup, originOf } from "../support/rollups.ts";
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

/** The rows that the engine returns for `query`, from the same parts. */
async function rowsOfEngine(connection: DuckDBConnection, query: AggregateQuery, rows: readonly Row[]) {
  const texts = [
    ...new Set(
      rows.flatMap((row) =>
        Object.keys(row)
          .filter((name) => KIND_OF.get(name) === "text")
          .map((name) => String(row[name])),
      ),
    ),
  ];
  // As in the engine: "(unknown)" has no code of its own.
  const codeOf = (text: string): number => (text === "(unknown)" ? 0 : 1 + texts.indexOf(text));
  const valueIn = (row: Row, name: string): string => {
    const value = String(row[name]);
    if (query.codes?.includes(name)) return String(codeOf(value));
    if (query.names?.includes(name)) return quoted(value);
    return query.amounts?.includes(name) ? `${value}::HUGEINT` : value;
  };
  const columns = [...query.keys, ...(query.codes ?? []), ...(query.names ?? []), ...query.counts, ...(query.amounts ?? [])];
  const types = columns.map((name) => {
    if (query.names?.includes(name)) return `${name} VARCHAR`;
    return query.amounts?.includes(name) ? `${name} HUGEINT` : `${name} BIGINT`;
  });
  await connection.run(`CREATE OR REPLACE TABLE partials (${types.join(", ")})`);
  await connection.run("CREATE OR REPLACE TABLE texts (code INTEGER, text VARCHAR)");
  const rowsSql = rows.map((row) => `(${columns.map((name) => valueIn(row, name)).join(", ")})`);
  if (rowsSql.length > 0) await connection.run(`INSERT INTO partials VALUES ${rowsSql.join(", ")}`);
  const textsSql = texts.filter((text) => text !== "(unknown)").map((text) => `(${codeOf(text)}, ${quoted(text)})`);
  if (textsSql.length > 0) await connection.run(`INSERT INTO texts VALUES ${textsSql.join(", ")}`);
  const { text, values } = finalizeSql(query);
  // In hexadecimal, because the client drops a leading U+FEFF.
  const grouped = [...(query.codes ?? []), ...(query.names ?? [])].map((name) => `hex(${name}) AS ${name}`);
  const replacing = grouped.length > 0 ? ` REPLACE (${grouped.join(", ")})` : "";
  const reader = await connection.runAndReadAll(
    `SELECT *${replacing} FROM (${text})`,
    values.map((value) => Number(value)),
  );
  return reader.getRowObjectsJS().map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (KIND_OF.get(name) === "text") return [name, Buffer.from(String(value), "hex").toString()];
        return [name, typeof value === "bigint" ? Number(value) : value];
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

  it.each([
    ["texts that have codes", true],
    ["texts by name", false],
  ])(
    "the total of a measure is the result of the query in DuckDB for the same rows, with %s",
    (_, areCodes) =>
      fc.assert(
        fc.asyncProperty(asked, async ({ grouping, counts, amounts, by, rowsMax, rollups, added }) => {
          const objects = createMemoryObjectStore();
          for (const [i, rows] of rollups.entries())
            await objects.put(keyOf(i), await encodedRollup({ measure: columnsOf(rows) }, { day: dayAt(i) }));
          const texts = grouping.filter((name) => KIND_OF.get(name) === "text");
          const keys = grouping.filter((name) => KIND_OF.get(name) === "key");
          // Rows with equal texts and different keys are in no particular order, so all of them are compared.
          const top =
            keys.length > 0 || (texts.length === 0 && by === undefined) ? undefined : { ...(by !== undefined && { by }), rowsMax };
          const query: AggregateQuery = {
            keys,
            ...(areCodes ? { codes: texts } : { names: texts }),
            counts,
            amounts,
            partial: () => sql``,
            ...(top && { top }),
          };
          const calculator = createInlineRollupCalculator(objects, {
            fileBytesMax: 10_000,
            unpackedBytesMax: 10_000,
            measureBytesMax: 10_000,
          });
          const total = await calculator.total({
            measure: "measure",
            rollups: rollups.map((_rows, i) => keyOf(i)),
            added: added.map(columnsOf),
            ...(top && { top }),
          });
          const expected = await rowsOfEngine(connection, query, [...rollups, ...added].flat());
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
