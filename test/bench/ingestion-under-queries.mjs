/**
 * Latency of ingestion during queries: p50 and p99 of events posted at a steady rate, alone and while several dashboards of the same site
 * reload without a pause, each time with another filter over all days, so that nothing is answered from what was computed before.
 *
 *   node test/bench/ingestion-under-queries.mjs [events] [days] [--rounds 5] [--seconds 8] [--rate 1000] [--dashboards 3]
 *     [--engine-threads <n>[,<n>…]]
 *
 * Rollups are made before. The first row during queries is of views that begin with the start, while the engine loads the events.
 * Target for p99: at most 1.5 times that alone where a core is free for it, and at most 3 times on two cores.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { makeRollups } from "./dashboard-runs.mjs";
import { load, reportsOf } from "./dashboard-view.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { compareIngestion, LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, printTable, progress, twoDecimals, whole } from "./table.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "8" },
    rate: { type: "string", default: "1000" },
    dashboards: { type: "string", default: "3" },
    "engine-threads": { type: "string" },
  },
});
const [eventCount = EVENTS, days = DAYS] = positionals.map(Number);
const [ROUNDS, SECONDS, RATE, DASHBOARDS] = [options.rounds, options.seconds, options.rate, options.dashboards].map(Number);

/** Null leaves the number of threads to the program. @type {readonly (number | null)[]} */
const THREADS = options["engine-threads"]?.split(",").map(Number) ?? [null];

const CONNECTIONS = 32;
const TARGET = availableParallelism() > 2 ? 1.5 : 3;
const PERIOD = days > 30 ? "12mo" : "30d";

/** No view may run into a limit. */
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_MAX_CONCURRENT_QUERIES: "0" };

/** Another filter for each `n`, of a kind by turns: on events, on sessions and on properties. @type {readonly ((n: number) => string)[]} */
const FILTERS = [
  (n) => `countries!=X${n}`,
  (n) => `cities==City ${n}`,
  (n) => `pages==/articles/${n}/a-title-of-usual-length`,
  (n) => `browsers==Chrome;pages!=/none/${n}`,
  (n) => `entry-page==/articles/${n}/a-title-of-usual-length`,
  (n) => `props:plan==pro;pages!=/none/${n}`,
];

let filtersUsed = 0;

/** @param {string} origin @param {AbortSignal} signal @returns the number of its views when the signal aborts */
async function reloadUntil(origin, signal) {
  for (let views = 0; ; views++) {
    const n = filtersUsed++;
    const filters = FILTERS[n % FILTERS.length]?.(n) ?? "";
    try {
      await load(origin, reportsOf({ period: PERIOD, filters }), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return views;
    }
  }
}

/** Dashboards that reload until `stop` is called, which resolves with the number of their views. @param {string} origin */
function keepReloading(origin) {
  const controller = new AbortController();
  const reloading = Promise.all(Array.from({ length: DASHBOARDS }, () => reloadUntil(origin, controller.signal)));
  return {
    async stop() {
      controller.abort();
      return (await reloading).reduce((sum, views) => sum + views, 0);
    },
  };
}

/** One view of each kind of filter, so that the engine has loaded what they read. @param {string} origin */
async function viewOnce(origin) {
  for (const filter of FILTERS) await load(origin, reportsOf({ period: PERIOD, filters: filter(filtersUsed++) }));
}

/** @param {string} folder @param {number | null} threads @returns the rows of the table */
async function measured(folder, threads) {
  const name = threads === null ? "" : `, engine_threads = ${threads}`;
  const server = await startProgram(folder, threads === null ? ENVIRONMENT : { ...ENVIRONMENT, SVC_ENGINE_THREADS: String(threads) });
  const posted = { origin: server.origin, seconds: SECONDS, connections: CONNECTIONS, rate: RATE, sites: [SITE] };
  // Compiles what accepts events.
  await postEvents(posted);
  const first = await compareIngestion(server, posted, 1, () => keepReloading(server.origin));
  await viewOnce(server.origin);
  const later = await compareIngestion(server, posted, ROUNDS, () => keepReloading(server.origin));
  await server.stop();
  return [
    [...latencyRow(`alone${name}`, later.alone), ""],
    [...latencyRow(`while the engine loads the events${name}`, first.beside), twoDecimals(first.ratio)],
    [...latencyRow(`during ${twoDecimals(median(later.responses) / SECONDS)} views/s${name}`, later.beside), twoDecimals(later.ratio)],
  ];
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, eventCount, days);
  progress("making rollups");
  await makeRollups(folder);
  const rows = [];
  for (const threads of THREADS) rows.push(...(await measured(folder, threads)));
  printTable(
    `POST /api/event at ${whole(RATE)}/s beside ${DASHBOARDS} filtered dashboards of ${whole(eventCount)} events in ${days} days, ` +
      `${ROUNDS} rounds of ${SECONDS} s; target: ${TARGET} times the p99 alone`,
    [...LATENCY_HEADS, "p99 to alone"],
    rows,
  );
});
