/**
 * Compares the Stats API with native DuckDB on the same Parquet files. Both run in turns, and their results are compared, so that
 * both do the same work. The server has the events cached, but not the results, and is measured over HTTP. DuckDB uses all CPU
 * cores; it is measured with the Parquet files and with the events in a table.
 */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const DAY_MS = 86_400_000;

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
const LAST_DAY = dayOf(Date.now() - DAY_MS);
const FIRST_DAY = dayOf(Date.now() - DAYS * DAY_MS);

/** @typedef {Record<string, unknown>} Row */

/**
 * @typedef {object} Query
 * @property {string} name
 * @property {string} path behind `/api/stats/`
 * @property {Record<string, string>} [parameters]
 * @property {(source: string) => string} sql
 * @property {(rows: Row[]) => unknown} expected
 * @property {(response: any) => unknown} found
 */

const numbers = (/** @type {Row} */ row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]));

/** @template T @param {() => Promise<T>} work @returns {Promise<[T, number]>} */
async function timed(work) {
  const startMs = performance.now();
  const result = await work();
  return [result, performance.now() - startMs];
}

/**
 * Runs every query in rounds and prints the medians.
 * @param {string} title
 * @param {readonly Query[]} queries
 * @param {number} rounds
 */
export async function compareWithNative(title, queries, rounds) {
  await buildBenchProgram();
  await withTempFolder(async (folder) => {
    await provideEvents(folder);
    const server = await startProgram(folder);
    const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
    const files = `read_parquet('${join(folder, "events")}/**/*.parquet', hive_partitioning = false)`;
    await duckdb.run(`CREATE TABLE cached AS SELECT * FROM ${files}`);
    const queryDuckdb = async (/** @type {string} */ sql) => (await duckdb.runAndReadAll(sql)).getRowObjects().map(numbers);

    /** @type {string[][]} */
    const rows = [];
    for (const { name, path, parameters, sql, expected, found } of queries) {
      const parametersOfUrl = new URLSearchParams({ site_id: SITE, start_date: FIRST_DAY, end_date: LAST_DAY, ...parameters });
      const url = `${server.origin}/api/stats/${path}?${parametersOfUrl}`;
      /** @type {{ server: number[], files: number[], table: number[] }} */
      const ms = { server: [], files: [], table: [] };
      // The first round loads what is not in memory yet, and is not counted.
      for (let round = 0; round <= rounds; round++) {
        const [response, serverMs] = await timed(() => getJson(url));
        const [fromFiles, filesMs] = await timed(() => queryDuckdb(sql(files)));
        const [, tableMs] = await timed(() => queryDuckdb(sql("cached")));
        if (round === 0) {
          const results = [found(response), expected(fromFiles)].map((result) => JSON.stringify(result));
          if (results[0] !== results[1]) throw new Error(`${name}: the results differ:\n${results.join("\n")}`);
          continue;
        }
        ms.server.push(serverMs);
        ms.files.push(filesMs);
        ms.table.push(tableMs);
      }
      progress(name);
      const [own, native, table] = [median(ms.server), median(ms.files), median(ms.table)];
      rows.push([name, milliseconds(own), milliseconds(native), twoDecimals(own / native), milliseconds(table), twoDecimals(own / table)]);
    }
    duckdb.closeSync();
    await server.stop();
    printTable(
      `${title} over ${whole(EVENTS)} events of ${DAYS} days, medians of ${rounds}`,
      ["", "server", "DuckDB on the files", "ratio", "DuckDB on a table", "ratio"],
      rows,
    );
  });
}
