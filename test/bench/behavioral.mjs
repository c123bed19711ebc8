/**
 * Speed of behavioral reports compared with native DuckDB on the same Parquet files. DuckDB has no functions for them, so it runs
 * the SQL that an analyst would write.
 *
 *   node test/bench/behavioral.mjs [rounds]
 */
import { compareWithNative } from "./native-comparison.mjs";

const ROUNDS = Number(process.argv[2] ?? 15);
const ROWS = 10;

const PAGE = "/articles/0/a-title-of-usual-length";
const GOAL = "Signup";

/** The same for funnel and sequence: most events are the first step, every ninth also the second, few the third. */
const STEPS = `page:/articles/*,page:${PAGE},event:${GOAL}`;

const stepBits = `
  (CASE WHEN event_name = 'pageview' AND pathname LIKE '/articles/%' THEN 1 ELSE 0 END) |
  (CASE WHEN event_name = 'pageview' AND pathname = '${PAGE}' THEN 2 ELSE 0 END) |
  (CASE WHEN event_name = '${GOAL}' THEN 4 ELSE 0 END)`;

/** Relations up to `numbered`: every event with the number of its visitor's session. @param {string} source */
const numbered = (source) => `
  scoped AS (SELECT visitor_id, event_name, pathname, epoch_ms(timestamp) AS ms FROM ${source}),
  spaced AS (SELECT *, ms - lag(ms) OVER (PARTITION BY visitor_id ORDER BY ms) AS gap_ms FROM scoped),
  numbered AS (
    SELECT *, sum(CASE WHEN gap_ms <= 1800000 THEN 0 ELSE 1 END)
      OVER (PARTITION BY visitor_id ORDER BY ms ROWS UNBOUNDED PRECEDING) AS session
    FROM spaced)`;

/** @param {string} source */
const sessionsSql = (source) => `
  WITH ${numbered(source)},
  sessions AS (
    SELECT count(*) AS events, count(*) FILTER (WHERE event_name = 'pageview') AS pageviews, max(ms) - min(ms) AS duration_ms
    FROM numbered GROUP BY visitor_id, session)
  SELECT count(*) AS sessions, count(*) FILTER (WHERE pageviews = 1 AND events = 1) AS bounces,
    CAST(sum(duration_ms) AS BIGINT) AS duration_ms, CAST(sum(pageviews) AS BIGINT) AS pageviews
  FROM sessions`;

/** @param {string} source */
const entryPagesSql = (source) => `
  WITH ${numbered(source)},
  sessions AS (
    SELECT visitor_id, arg_min(pathname, ms) FILTER (WHERE event_name = 'pageview') AS page
    FROM numbered GROUP BY visitor_id, session)
  SELECT page AS value, count(DISTINCT visitor_id) AS visitors, count(*) AS pageviews, count(*) AS events
  FROM sessions WHERE page IS NOT NULL GROUP BY page ORDER BY visitors DESC, value LIMIT ${ROWS}`;

/** Each step remembers when the latest chain began that leads to it. @param {string} source */
const funnelSql = (source) => `
  WITH scoped AS (SELECT visitor_id, epoch_ms(timestamp) AS ms, ${stepBits} AS met FROM ${source}),
  first AS (
    SELECT *, max(CASE WHEN met & 1 = 1 THEN ms END) OVER (PARTITION BY visitor_id ORDER BY ms) AS begun_1
    FROM scoped WHERE met <> 0),
  second AS (
    SELECT *, max(CASE WHEN met & 2 = 2 AND ms - begun_1 <= 86400000 THEN begun_1 END)
      OVER (PARTITION BY visitor_id ORDER BY ms) AS begun_2
    FROM first),
  levels AS (
    SELECT max(CASE WHEN met & 4 = 4 AND ms - begun_2 <= 86400000 THEN 3 WHEN begun_2 IS NOT NULL THEN 2
      WHEN begun_1 IS NOT NULL THEN 1 ELSE 0 END) AS level
    FROM second GROUP BY visitor_id)
  SELECT count(*) FILTER (WHERE level >= 1) AS first, count(*) FILTER (WHERE level >= 2) AS second,
    count(*) FILTER (WHERE level >= 3) AS third
  FROM levels`;

/** A letter for each set of steps that an event is, and a regular expression over the letters. @param {string} source */
const sequenceSql = (source) => `
  WITH scoped AS (SELECT visitor_id, epoch_ms(timestamp) AS ms, ${stepBits} AS met FROM ${source}),
  spelled AS (SELECT visitor_id, string_agg(chr(96 + met), '' ORDER BY ms) AS word FROM scoped WHERE met <> 0 GROUP BY visitor_id),
  counted AS (SELECT len(regexp_extract_all(word, '[ac].*?c.*?d')) AS matches FROM spelled)
  SELECT count(*) FILTER (WHERE matches > 0) AS converting, (SELECT count(DISTINCT visitor_id) FROM scoped) AS visitors,
    CAST(sum(matches) AS BIGINT) AS matches
  FROM counted`;

/** @param {string} source */
const flowSql = (source) => `
  WITH ${numbered(source)},
  views AS (
    SELECT visitor_id, ms, pathname, lead(pathname) OVER (PARTITION BY visitor_id, session ORDER BY ms) AS next_page
    FROM numbered WHERE event_name = 'pageview'),
  firsts AS (SELECT visitor_id, arg_min(coalesce(next_page, ''), ms) AS next_page FROM views WHERE pathname = '${PAGE}' GROUP BY visitor_id)
  SELECT next_page, count(*) AS visitors, count(*) / (SELECT count(*) FROM firsts) AS share
  FROM firsts WHERE next_page <> '' GROUP BY next_page ORDER BY visitors DESC, next_page LIMIT ${ROWS}`;

/** @type {readonly import("./native-comparison.mjs").Query[]} */
const QUERIES = [
  {
    name: "sessions",
    path: "sessions",
    sql: sessionsSql,
    expected: ([row = {}]) => {
      const [sessions, bounces, durationMs, pageviews] = [row["sessions"], row["bounces"], row["duration_ms"], row["pageviews"]].map(
        Number,
      );
      const all = Number(sessions);
      return [all, Number(bounces) / all, Number(durationMs) / (1000 * all), Number(pageviews) / all];
    },
    found: (response) => [
      response.total_sessions,
      response.bounce_rate,
      response.avg_session_duration_secs,
      response.avg_pages_per_session,
    ],
  },
  { name: "entry pages", path: "breakdown/entry-pages", sql: entryPagesSql, expected: (rows) => rows, found: (response) => response },
  {
    name: "funnel of 3 steps",
    path: "funnel",
    parameters: { steps: STEPS },
    sql: funnelSql,
    expected: ([row = {}]) => [row["first"], row["second"], row["third"]],
    found: (response) => response.map((/** @type {{ visitors: number }} */ { visitors }) => visitors),
  },
  {
    name: "sequence of 3 steps",
    path: "sequences",
    parameters: { steps: STEPS },
    sql: sequenceSql,
    expected: ([row = {}]) => [row["converting"], row["visitors"], row["matches"]],
    found: (response) => [response.converting_visitors, response.total_visitors, response.total_matches],
  },
  { name: "flow", path: "flow", parameters: { page: PAGE }, sql: flowSql, expected: (rows) => rows, found: (response) => response },
];

await compareWithNative("behavioral reports", QUERIES, ROUNDS);
