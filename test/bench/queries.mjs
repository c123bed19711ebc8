/**
 * How fast statistics are, next to native DuckDB on the same Parquet files.
 *
 *   node test/bench/queries.mjs [rounds]
 *
 * Both answer in turns; the figures are compared, so that both do the same work. The server has the events resident and is
 * asked over HTTP without its cache. DuckDB uses all processors; once it reads the files, once it has the events in a table.
 */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 15);
const DAY_MS = 86_400_000;
const ROWS = 10;

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
const LAST_DAY = dayOf(Date.now() - DAY_MS);
const FIRST_DAY = dayOf(Date.now() - DAYS * DAY_MS);

/** The figures of the headline with those of sessions: a pause of more than half an hour begins one. @param {string} source */
const headlineSql = (source) => `
  WITH scoped AS (SELECT visitor_id, event_name, epoch_ms(timestamp) AS ms FROM ${source}),
  spaced AS (SELECT *, ms - lag(ms) OVER (PARTITION BY visitor_id ORDER BY ms) AS gap_ms FROM scoped),
  numbered AS (
    SELECT *, sum(CASE WHEN gap_ms <= 1800000 THEN 0 ELSE 1 END)
      OVER (PARTITION BY visitor_id ORDER BY ms ROWS UNBOUNDED PRECEDING) AS session
    FROM spaced),
  sessions AS (
    SELECT count(*) AS events, count(*) FILTER (WHERE event_name = 'pageview') AS pageviews, max(ms) - min(ms) AS duration_ms
    FROM numbered GROUP BY visitor_id, session)
  SELECT
    (SELECT count(DISTINCT visitor_id) FROM scoped) AS visitors,
    (SELECT count(*) FILTER (WHERE event_name = 'pageview') FROM scoped) AS pageviews,
    (SELECT count(*) FROM scoped) AS events,
    count(*) AS sessions,
    count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    sum(duration_ms) AS duration_ms
  FROM sessions`;

/** @param {string} source */
const seriesSql = (source) => `
  SELECT strftime(date_trunc('day', timestamp), '%Y-%m-%d') AS date, count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = 'pageview') AS pageviews
  FROM ${source} GROUP BY 1 ORDER BY 1`;

/** @param {string} column @returns {(source: string) => string} */
const breakdownSql = (column) => (source) => `
  SELECT coalesce(${column}, '(unknown)') AS value, count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = 'pageview') AS pageviews, count(*) AS events
  FROM ${source} GROUP BY 1 ORDER BY visitors DESC, value ASC LIMIT ${ROWS}`;

/** @typedef {Record<string, unknown>} Row */

const numbers = (/** @type {Row} */ row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]));

/** @type {readonly { name: string, path: string, sql: (source: string) => string, expected: (rows: Row[]) => unknown, found: (answer: any) => unknown }[]} */
const QUESTIONS = [
  {
    name: "main",
    path: "main",
    sql: headlineSql,
    expected: ([row = {}]) => [row["visitors"], row["pageviews"], row["events"], row["sessions"]],
    found: (answer) => [answer.unique_visitors, answer.total_pageviews, answer.total_events, answer.total_sessions],
  },
  { name: "timeseries", path: "timeseries", sql: seriesSql, expected: (rows) => rows, found: (answer) => answer },
  { name: "breakdown pages", path: "breakdown/pages", sql: breakdownSql("pathname"), expected: (rows) => rows, found: (answer) => answer },
  { name: "breakdown cities", path: "breakdown/cities", sql: breakdownSql("city"), expected: (rows) => rows, found: (answer) => answer },
];

/** @template T @param {() => Promise<T>} work @returns {Promise<[T, number]>} */
async function timed(work) {
  const startMs = performance.now();
  const result = await work();
  return [result, performance.now() - startMs];
}

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
  for (const { name, path, sql, expected, found } of QUESTIONS) {
    const url = `${server.origin}/api/stats/${path}?site_id=${SITE}&start_date=${FIRST_DAY}&end_date=${LAST_DAY}`;
    /** @type {{ server: number[], files: number[], table: number[] }} */
    const ms = { server: [], files: [], table: [] };
    // The first round loads what is not in memory yet, and is not counted.
    for (let round = 0; round <= ROUNDS; round++) {
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
    `statistics over ${whole(EVENTS)} events of ${DAYS} days, medians of ${ROUNDS}`,
    ["", "server", "DuckDB on the files", "ratio", "DuckDB on a table", "ratio"],
    rows,
  );
});
