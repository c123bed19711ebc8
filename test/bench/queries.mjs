/**
 * How long questions about a million events of 30 days take, next to native DuckDB reading the same Parquet files.
 *
 *   node test/bench/queries.mjs [rounds]
 *
 * Warm medians, in turns. Ours go over HTTP and are computed each time. Targets: 2.0 for each, 1.6 in geometric mean.
 */
import { DuckDBInstance } from "@duckdb/node-api";
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { SITE, provideEvents } from "./generate-events.mjs";
import { median, milliseconds, printTable, twoDecimals } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 9);
const WARM_UP_ROUNDS = 2;

const PAGEVIEWS = "count(*) FILTER (WHERE event_name = 'pageview')";

/** @param {string} column */
const breakdown = (column) => `
  SELECT coalesce(${column}, '(unknown)') AS value, count(DISTINCT visitor_id) AS visitors, ${PAGEVIEWS} AS pageviews, count(*) AS events
  FROM events GROUP BY ${column} ORDER BY visitors DESC, value LIMIT 10`;

const HEADLINE = `SELECT count(DISTINCT visitor_id), ${PAGEVIEWS}, count(*) FROM events`;

const SESSIONS = `
  WITH spaced AS (
    SELECT visitor_id, timestamp, event_name,
      epoch_ms(timestamp) - epoch_ms(lag(timestamp) OVER (PARTITION BY visitor_id ORDER BY timestamp)) AS gap_ms
    FROM events
  ), numbered AS (
    SELECT *, sum(CASE WHEN gap_ms <= 1800000 THEN 0 ELSE 1 END)
      OVER (PARTITION BY visitor_id ORDER BY timestamp ROWS UNBOUNDED PRECEDING) AS session FROM spaced
  ), sessions AS (
    SELECT count(*) AS events, ${PAGEVIEWS} AS pageviews, epoch_ms(max(timestamp)) - epoch_ms(min(timestamp)) AS duration_ms
    FROM numbered GROUP BY visitor_id, session
  )
  SELECT count(*), count(*) FILTER (WHERE pageviews = 1 AND events = 1), sum(duration_ms), sum(pageviews) FROM sessions`;

const GOALS = `SELECT event_name, count(DISTINCT visitor_id) AS visitors, count(*) FROM events WHERE event_name <> 'pageview'
  GROUP BY event_name ORDER BY visitors DESC, event_name`;

const REVENUE = (/** @type {string} */ by) => `SELECT ${by} AS value, currency, sum(revenue_amount) AS total, count(*), count(DISTINCT visitor_id)
  FROM events WHERE revenue_amount IS NOT NULL GROUP BY ${by}, currency ORDER BY total DESC LIMIT 100`;

/** What we are asked, and what native DuckDB runs for the same figures. @type {readonly [string, readonly string[]][]} */
const QUESTIONS = [
  ["main", [HEADLINE, SESSIONS]],
  [
    "timeseries",
    [`SELECT date_trunc('day', timestamp) AS day, count(DISTINCT visitor_id), ${PAGEVIEWS} FROM events GROUP BY day ORDER BY day`],
  ],
  ["breakdown/pages", [breakdown("pathname")]],
  ["breakdown/sources", [breakdown("referrer_source")]],
  ["breakdown/countries", [breakdown("country_code")]],
  ["breakdown/cities", [breakdown("city")]],
  ["breakdown/browsers", [breakdown("browser")]],
  ["breakdown/events", [breakdown("event_name")]],
  ["goals", [HEADLINE, GOALS]],
  ["properties", [`SELECT DISTINCT unnest(json_keys(props)) AS key FROM events WHERE props IS NOT NULL ORDER BY key`]],
  [
    "property-values?key=plan",
    [
      `SELECT props->>'plan' AS value, count(DISTINCT visitor_id) AS visitors, count(*) FROM events WHERE props->>'plan' IS NOT NULL
       GROUP BY value ORDER BY visitors DESC, value LIMIT 1000`,
    ],
  ],
  ["revenue", [REVENUE("currency"), REVENUE("event_name"), REVENUE("pathname")]],
];

/** @param {() => Promise<unknown>} run */
async function timed(run) {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder);
  const server = await startProgram(folder);
  const native = await (await DuckDBInstance.create(":memory:")).connect();
  await native.run("SET TimeZone = 'UTC'");
  await native.run(`CREATE VIEW events AS SELECT * FROM read_parquet('${folder}/events/**/*.parquet', hive_partitioning = true)`);

  const rows = [];
  const ratios = [];
  for (const [question, statements] of QUESTIONS) {
    const url = `${server.origin}/api/stats/${question}${question.includes("?") ? "&" : "?"}site_id=${SITE}&period=90d`;
    const ours = [];
    const theirs = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      const ourMs = await timed(() => getJson(url));
      const theirMs = await timed(async () => {
        for (const statement of statements) await native.runAndReadAll(statement);
      });
      if (round < 0) continue;
      ours.push(ourMs);
      theirs.push(theirMs);
    }
    const ratio = median(ours) / median(theirs);
    ratios.push(ratio);
    rows.push([question, milliseconds(median(ours)), milliseconds(median(theirs)), twoDecimals(ratio)]);
  }
  await server.stop();
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  printTable(
    `A million events, warm medians of ${ROUNDS}; targets 2.0 each, 1.6 in geometric mean`,
    ["question", "ours", "native DuckDB", "ratio"],
    [...rows, ["geometric mean", "", "", twoDecimals(mean)]],
  );
});
