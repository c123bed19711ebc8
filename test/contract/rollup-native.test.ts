/** The files of rollups can be read by other readers: here by DuckDB's own, which shares no code with ours. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeRollup } from "../../src/storage/rollup-file.ts";
import { ROLLUP_COLUMNS } from "../../src/storage/rollup.ts";
import { integers, rollupOf, visitorsOf } from "../support/rollups.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";

const TEXTS = [
  "",
  " ",
  "'",
  "a\u0000b",
  "\u{1f600}\u{10ffff}",
  "e\u0301",
  "(unknown)",
  "\ufeffx",
  "\ufffd",
  "x".repeat(3_000),
  "\u00e4/1",
  "\u00e4/2",
];

/** More than fit into a row group. */
const MANY = Array.from({ length: 40_000 }, (_, i) => `/articles/${i}/a-title`);

describe("rollup files read by DuckDB itself", () => {
  let folder: string;
  let connection: DuckDBConnection;
  const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();

  beforeAll(async () => {
    folder = await makeTempFolder();
    connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    const rollup = rollupOf({
      main: { visitors: integers(2n ** 53n), sessions: integers(-1) },
      "series-by-day": { bucket: integers(20_000, -7, 20_001), visitors: integers(1, 2, 3) },
      pages: visitorsOf(Object.fromEntries(MANY.map((text, i) => [text, i]))),
      cities: visitorsOf(Object.fromEntries(TEXTS.map((text, i) => [text, i]))),
      goals: {},
      revenue: { currency: ["USD", "EUR"], transactions: integers(1, 2), total: [`-${"9".repeat(30)}`, "5"] },
    });
    await writeFile(join(folder, "many.parquet"), await encodeRollup(rollup));
    await writeFile(join(folder, "empty.parquet"), await encodeRollup(rollupOf({ goals: {} })));
    await connection.run(`CREATE VIEW rollup AS SELECT * FROM read_parquet('${join(folder, "many.parquet")}')`);
  });
  afterAll(() => removeFolder(folder));

  it("each column has the type that docs/data-format.md documents", async () => {
    const types = (await ask("DESCRIBE rollup")).map(({ column_name, column_type }) => [column_name, column_type]);
    const typeOf = { key: "BIGINT", count: "DOUBLE", text: "VARCHAR", amount: "VARCHAR" };
    expect(types).toEqual([["measure", "VARCHAR"], ...ROLLUP_COLUMNS.map(({ name, kind }) => [name, typeOf[kind]])]);
  });

  it("the rows of a measure are together, and null in columns that it lacks", async () => {
    const nulls = { bucket: null, value: null, currency: null, pageviews: null, events: null, bounces: null, duration_ms: null };
    expect(await ask("SELECT * FROM rollup WHERE measure = 'main'")).toEqual([
      { measure: "main", ...nulls, visitors: 2 ** 53, sessions: -1, transactions: null, paying_visitors: null, total: null },
    ]);
    expect(await ask("SELECT bucket, visitors FROM rollup WHERE measure = 'series-by-day' ORDER BY bucket")).toEqual([
      { bucket: "-7", visitors: 2 },
      { bucket: "20000", visitors: 1 },
      { bucket: "20001", visitors: 3 },
    ]);
    expect(await ask("SELECT measure FROM rollup WHERE measure = 'goals'")).toEqual([]);
    const changes = "SELECT measure IS DISTINCT FROM lag(measure) OVER () AS changes FROM rollup";
    expect(await ask(`SELECT count(*)::INTEGER AS runs FROM (${changes}) WHERE changes`)).toEqual([{ runs: 5 }]);
  });

  it("texts are complete, whatever characters they contain", async () => {
    // In hexadecimal, because the client drops a leading U+FEFF.
    const rows = await ask("SELECT hex(value) AS value, visitors::INTEGER AS visitors FROM rollup WHERE measure = 'cities' ORDER BY 2");
    expect(rows).toEqual(TEXTS.map((text, visitors) => ({ value: Buffer.from(text).toString("hex").toUpperCase(), visitors })));
  });

  it("sums are exact over several row groups and for amounts of any size", async () => {
    expect(await ask("SELECT count(*)::INTEGER AS pages, sum(visitors)::BIGINT AS visitors FROM rollup WHERE measure = 'pages'")).toEqual([
      { pages: MANY.length, visitors: String((MANY.length * (MANY.length - 1)) / 2) },
    ]);
    expect(await ask("SELECT value, visitors FROM rollup WHERE measure = 'pages' AND value = '/articles/39999/a-title'")).toEqual([
      { value: "/articles/39999/a-title", visitors: 39_999 },
    ]);
    expect(await ask("SELECT sum(total::HUGEINT)::VARCHAR AS total FROM rollup WHERE measure = 'revenue'")).toEqual([
      { total: `-${"9".repeat(29)}4` },
    ]);
  });

  it("a rollup without rows can be read", async () => {
    expect(await ask(`SELECT measure FROM read_parquet('${join(folder, "empty.parquet")}')`)).toEqual([]);
  });
});
