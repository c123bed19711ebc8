/**
 * Processor time of `/api/stats/changes` on a site with events of today, beside `main` of the same range in the same run: without a filter,
 * where rollups have all days but today, filtered, and by metrics that rollups do not have by value.
 *
 *   node test/bench/changes-cost.mjs [events] [days]
 *
 * Results are not cached. `first` is the first request after a start. `again` are medians of later requests, each after a new event;
 * filtered ones are each for another country, of loaded events.
 */
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { makeRollups } from "./dashboard-runs.mjs";
import { pathOf } from "./dashboard-view.mjs";
import { provideEvents, SITE, writeToday } from "./generate-events.mjs";
import { duration, median, printTable, progress, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 365);

/** No request may run into a timeout, and today's events stay where they are. */
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_FLUSH_INTERVAL_SECS: "86400" };

const ROUNDS = 5;
const USER_AGENT = "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

/** The countries of the generated events. */
const COUNTRIES = Array.from({ length: 60 }, (_, i) => String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26)));

const HALF_DAYS = 175;
const PERIODS = { "7d": 7, "30d": 30, "90d": 90, "12mo": 365 };

/** @typedef {Record<string, string>} Parameters */
/** @typedef {{ name: string, range: Parameters, only?: Parameters, isFiltered?: boolean }} Row `only` are parameters of changes */
/** @typedef {{ ms: number, cpuMs: number }} Cost */

const dayBefore = (/** @type {number} */ days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** The window with which the dashboard compares: the same weekdays before, until the present time of day. @param {number} days */
function windowBefore(days) {
  const back = Math.ceil(days / WEEK_DAYS) * WEEK_DAYS;
  return {
    compare: "custom",
    compare_start_date: dayBefore(back + days - 1),
    compare_end_date: dayBefore(back),
    compare_same_time: "true",
  };
}

const YEAR = { period: "12mo" };
const HALF_YEAR = { start_date: dayBefore(HALF_DAYS - 1), end_date: dayBefore(0) };

/** @type {readonly Row[]} */
const ROWS = [
  ...Object.entries(PERIODS).flatMap(([period, days]) => [
    { name: `${period}, typical`, range: { period } },
    { name: `${period}, compared`, range: { period, ...windowBefore(days) } },
    { name: `${period}, band only`, range: { period }, only: { dimensions: "none", band: "day" } },
  ]),
  { name: `${HALF_DAYS} days, compared`, range: { ...HALF_YEAR, ...windowBefore(HALF_DAYS) } },
  { name: "30d of a country, typical", range: { period: "30d" }, isFiltered: true },
  { name: "12mo of a country, typical", range: YEAR, isFiltered: true },
  { name: "12mo, views per visit", range: YEAR, only: { metric: "views_per_visit" } },
  { name: "12mo, conversions", range: YEAR, only: { metric: "conversions", goal: "Signup" } },
  { name: "12mo, revenue", range: YEAR, only: { metric: "revenue", currency: "EUR" } },
];

/** @param {import("./bench-server.mjs").BenchProcess} server @param {string} path @returns {Promise<Cost>} */
async function costOf(server, path) {
  const [cpuSecs, startMs] = [await server.cpuSecs(), performance.now()];
  const response = await fetch(`${server.origin}${path}`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  return { ms: performance.now() - startMs, cpuMs: ((await server.cpuSecs()) - cpuSecs) * 1000 };
}

/** @param {import("./bench-server.mjs").BenchProcess} server */
async function postEvent({ origin }) {
  const response = await fetch(`${origin}/api/event`, {
    method: "POST",
    headers: { "content-type": "text/plain", "user-agent": USER_AGENT },
    body: JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/` }),
  });
  if (!response.ok) throw new Error(`the event was refused: ${response.status}`);
}

/** @param {readonly Cost[]} costs @returns {Cost} */
const medians = (costs) => ({ ms: median(costs.map(({ ms }) => ms)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) });

/** The first request, and then both reports by turns. @param {string} folder @param {Row} row */
async function cellsOf(folder, { name, range, only = {}, isFiltered = false }) {
  /** Each of another country. @param {number} n */
  const filtered = (n) => (isFiltered ? { ...range, filters: `countries==${COUNTRIES[n]}` } : range);
  const pathOfMain = (/** @type {number} */ n) => pathOf("main", filtered(n));
  const pathOfChanges = (/** @type {number} */ n) => pathOf("changes", { ...filtered(n), ...only });
  const server = await startProgram(folder, ENVIRONMENT);
  await untilIdle(server);
  const first = await costOf(server, pathOfChanges(0));
  await costOf(server, pathOfMain(1));
  /** @type {{ main: Cost[], changes: Cost[] }} */
  const again = { main: [], changes: [] };
  for (let n = 2; n < 2 * ROUNDS + 2; n += 2) {
    await postEvent(server);
    again.main.push(await costOf(server, pathOfMain(n)));
    await postEvent(server);
    again.changes.push(await costOf(server, pathOfChanges(n + 1)));
  }
  await server.kill9();
  const [ofMain, ofChanges] = [medians(again.main), medians(again.changes)];
  const cells = [first.cpuMs, ofChanges.cpuMs, ofChanges.ms, ofMain.cpuMs].map(duration);
  progress([name, ...cells].join("  "));
  return [name, ...cells, (ofChanges.cpuMs / ofMain.cpuMs).toFixed(1)];
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  const rollups = await makeRollups(folder);
  progress(`rollups made in ${duration(rollups.ms)}, ${duration(rollups.cpuMs)} of processor time`);
  await writeToday(folder, Math.ceil(EVENTS / DAYS), DAYS + 1);
  const rows = [];
  for (const row of ROWS) rows.push(await cellsOf(folder, row));
  printTable(
    `processor time, ${whole(EVENTS)} events in ${DAYS} days`,
    ["changes", "first", "again", "elapsed", "main, again", "ratio"],
    rows,
  );
});
