/**
 * Speed of the Stats API compared with native DuckDB on the same Parquet files.
 *
 *   node test/bench/queries.mjs [rounds]
 */
import { compareWithNative } from "./native-comparison.mjs";

const ROUNDS = Number(process.argv[2] ?? 15);
const ROWS = 10;

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
const breakdownSql = (column) => (source) =>
  `
  SELECT coalesce(${column}, '(unknown)') AS value, count(DISTINCT visitor_id) AS visitors,
    count(*) FILTER (WHERE event_name = 'pageview') AS pageviews, count(*) AS events
  FROM ${source} GROUP BY 1 ORDER BY visitors DESC, value ASC LIMIT ${ROWS}`;

/** @type {readonly import("./native-comparison.mjs").Query[]} */
const QUERIES = [
  {
    name: "main",
    path: "main",
    sql: headlineSql,
    expected: ([row = {}]) => [row["visitors"], row["pageviews"], row["events"], row["sessions"]],
    found: (response) => [response.unique_visitors, response.total_pageviews, response.total_events, response.total_sessions],
  },
  { name: "timeseries", path: "timeseries", sql: seriesSql, expected: (rows) => rows, found: (response) => response },
  {
    name: "breakdown pages",
    path: "breakdown/pages",
    sql: breakdownSql("pathname"),
    expected: (rows) => rows,
    found: (response) => response,
  },
  {
    name: "breakdown cities",
    path: "breakdown/cities",
    sql: breakdownSql("city"),
    expected: (rows) => rows,
    found: (response) => response,
  },
];

await compareWithNative("statistics", QUERIES, ROUNDS);
