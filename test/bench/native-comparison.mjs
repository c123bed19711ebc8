/**
 * Statistics next to native DuckDB on the same Parquet files: both answer in turns, and the figures are compared, so that
 * both do the same work. The server has the events resident and is asked over HTTP without its cache. DuckDB uses all
 * processors; once it reads the files, once it has the events in a table.
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
 * @typedef {object} Question
 * @property {string} name
 * @property {string} path behind `/api/stats/`
 * @property {Record<string, string>} [parameters]
 * @property {(source: string) => string} sql
 * @property {(rows: Row[]) => unknown} expected
 * @property {(answer: any) => unknown} found
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
 * Asks every question in rounds and prints the medians.
 * @param {string} title
 * @param {readonly Question[]} questions
 * @param {number} rounds
 */
export async function compareWithNative(title, questions, rounds) {
  await buildBenchProgram();
  await withTempFolder(async (folder) => {
    await provideEvents(folder);
    const server = await startProgram(folder);
    const duckdb = await (await DuckDBInstance.create(":memory:")).connect();
    const files = `read_parquet('${join(folder, "events")}/**/*.parquet', hive_partitioning = false)`;
    await duckdb.run(`CREATE TABLE resident AS SELECT * FROM ${files}`);
    const askDuckdb = async (/** @type {string} */ sql) => (await duckdb.runAndReadAll(sql)).getRowObjects().map(numbers);

    /** @type {string[][]} */
    const rows = [];
    for (const { name, path, parameters, sql, expected, found } of questions) {
      const query = new URLSearchParams({ site_id: SITE, start_date: FIRST_DAY, end_date: LAST_DAY, ...parameters });
      const url = `${server.origin}/api/stats/${path}?${query}`;
      /** @type {{ server: number[], files: number[], table: number[] }} */
      const ms = { server: [], files: [], table: [] };
      // The first round loads what is not in memory yet, and is not counted.
      for (let round = 0; round <= rounds; round++) {
        const [answer, serverMs] = await timed(() => getJson(url));
        const [fromFiles, filesMs] = await timed(() => askDuckdb(sql(files)));
        const [, tableMs] = await timed(() => askDuckdb(sql("resident")));
        if (round === 0) {
          const figures = [found(answer), expected(fromFiles)].map((figure) => JSON.stringify(figure));
          if (figures[0] !== figures[1]) throw new Error(`${name}: the figures differ:\n${figures.join("\n")}`);
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
