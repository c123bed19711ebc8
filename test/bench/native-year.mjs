/** The reports of `filtered-year.mjs` in native DuckDB, which reads the same Parquet files: the same numbers from SQL as anyone would write it. */
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { TOP_PAGE } from "./generate-events.mjs";

const SESSION_GAP_MS = 30 * 60_000;

const IS_PAGEVIEW = "event_name = 'pageview'";
const ENTRY_PAGE = `arg_min(pathname, (ms, row)) FILTER (WHERE ${IS_PAGEVIEW})`;

/** A filter keeps an event by its own columns (`ofEvents`), or all events of a session (`ofSessions`, an aggregate of these). */
/** @typedef {{ readonly ofEvents: string } | { readonly ofSessions: string }} NativeFilter */

/** @type {Readonly<Record<string, NativeFilter>>} by the names of `FILTERS` */
export const NATIVE_FILTERS = {
  "one of 60 countries": { ofEvents: "country_code = 'AB'" },
  "the top page": { ofEvents: `pathname = '${TOP_PAGE}'` },
  "an entry page": { ofSessions: `coalesce(${ENTRY_PAGE} = '${TOP_PAGE}', false)` },
  "a goal": { ofSessions: "bool_or(event_name = 'Signup')" },
  "a property": { ofEvents: "json_extract_string(props, '$.plan') = 'pro'" },
  "no filter": { ofEvents: "true" },
};

/** @typedef {Record<string, unknown>} Row */

/**
 * The numbers of the reports, in a form that does not depend on who computed them.
 * @typedef {{ main: Record<string, number>, timeseries: unknown, "breakdown/pages": unknown }} Numbers
 */

/** @typedef {keyof Numbers} Report */

/** `numbered`: every event with the number of its session, and whether the filter keeps it by itself. @param {string} files @param {string} isKept */
const numberedSql = (files, isKept) => `
  scoped AS (
    SELECT visitor_id, event_name, pathname, epoch_ms(timestamp) AS ms, file_row_number AS row, ${isKept} AS is_kept FROM ${files}),
  spaced AS (
    SELECT *, ms - lag(ms) OVER (PARTITION BY visitor_id ORDER BY ms, row) AS gap_ms FROM scoped),
  numbered AS (
    SELECT *, sum(CASE WHEN gap_ms <= ${SESSION_GAP_MS} THEN 0 ELSE 1 END)
      OVER (PARTITION BY visitor_id ORDER BY ms, row ROWS UNBOUNDED PRECEDING) AS session
    FROM spaced)`;

/** `sessions`: all of them, with whether the filter keeps them. @param {string} isKept */
const sessionsSql = (isKept) => `
  sessions AS (
    SELECT visitor_id, session, count(*) AS events, count(*) FILTER (WHERE ${IS_PAGEVIEW}) AS pageviews,
      max(ms) - min(ms) AS duration_ms, ${isKept} AS is_kept
    FROM numbered GROUP BY visitor_id, session)`;

const SESSION_SUMS = `
  count(*) AS sessions, count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
  coalesce(sum(duration_ms), 0)::BIGINT AS duration_ms`;

const COUNTS = `count(DISTINCT visitor_id) AS visitors, count(*) FILTER (WHERE ${IS_PAGEVIEW}) AS pageviews, count(*) AS events`;

/** The relation `kept` of the events that the filter keeps, for a `WITH`. @param {string} files @param {NativeFilter} filter */
const keptSql = (files, filter) =>
  "ofEvents" in filter
    ? `kept AS (SELECT visitor_id, event_name, pathname, epoch_ms(timestamp) AS ms FROM ${files} WHERE ${filter.ofEvents})`
    : `${numberedSql(files, "true")}, ${sessionsSql(filter.ofSessions)},
       kept AS (
         SELECT visitor_id, event_name, pathname, ms
         FROM numbered SEMI JOIN (SELECT * FROM sessions WHERE is_kept) AS wanted USING (visitor_id, session))`;

/** @type {Record<Report, (files: string, filter: NativeFilter) => string>} */
const SQL = {
  main: (files, filter) =>
    "ofEvents" in filter
      ? `WITH ${numberedSql(files, filter.ofEvents)}, ${sessionsSql("bool_or(is_kept)")}
         SELECT * FROM (SELECT ${COUNTS} FROM scoped WHERE is_kept), (SELECT ${SESSION_SUMS} FROM sessions WHERE is_kept)`
      : `WITH ${keptSql(files, filter)}
         SELECT * FROM (SELECT ${COUNTS} FROM kept), (SELECT ${SESSION_SUMS} FROM sessions WHERE is_kept)`,
  timeseries: (files, filter) => `
    WITH ${keptSql(files, filter)}
    SELECT strftime(make_timestamp_ms(ms), '%Y-%m-%d') AS date, count(DISTINCT visitor_id) AS visitors,
      count(*) FILTER (WHERE ${IS_PAGEVIEW}) AS pageviews
    FROM kept GROUP BY 1 ORDER BY 1`,
  "breakdown/pages": (files, filter) => `
    WITH ${keptSql(files, filter)}
    SELECT pathname AS value, ${COUNTS} FROM kept GROUP BY 1 ORDER BY visitors DESC, value LIMIT 10`,
};

const withNumbers = (/** @type {Row} */ row) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]));

/** @param {string} folder the data folder @param {number} threads */
export async function openNative(folder, threads) {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(threads) });
  const connection = await instance.connect();
  const files = `read_parquet('${join(folder, "events")}/**/*.parquet', hive_partitioning = false, file_row_number = true)`;
  return {
    /** @param {Report} report @param {NativeFilter} filter @returns {Promise<unknown>} the numbers of the report */
    async numbersOf(report, filter) {
      const rows = (await connection.runAndReadAll(SQL[report](files, filter))).getRowObjects().map(withNumbers);
      return report === "main" ? rows[0] : rows;
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/**
 * The numbers of a response of the program.
 * @param {Report} report
 * @param {any} response
 */
export function numbersIn(report, response) {
  if (report === "timeseries") return response.filter((/** @type {any} */ { pageviews, visitors }) => pageviews + visitors > 0);
  if (report === "breakdown/pages") return response;
  const sessions = response.total_sessions;
  return {
    visitors: response.unique_visitors,
    pageviews: response.total_pageviews,
    events: response.total_events,
    sessions,
    bounces: Math.round(response.bounce_rate * sessions),
    duration_ms: Math.round(response.avg_visit_duration_secs * 1000 * sessions),
  };
}
