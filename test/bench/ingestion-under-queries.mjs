/**
 * Latency of ingestion during queries: the p99 of events posted at a steady rate, alone and during heavy queries of a month of the
 * same site, one after the other without a pause.
 *
 *   node test/bench/ingestion-under-queries.mjs [rounds] [seconds per round] [events per second]
 *
 * Target: at most 3 times the p99 of ingestion alone.
 */
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 8);
const RATE = Number(process.argv[4] ?? 2000);
const CONNECTIONS = 32;
const QUERIES = ["main", "timeseries", "breakdown/pages", "breakdown/cities"];
const TARGET = 3;

/** Sends queries until `stop` is called; resolves with the number of responses. @param {string} origin */
function keepQuerying(origin) {
  let stopped = false;
  const querying = (async () => {
    for (let responses = 0; ; responses++) {
      if (stopped) return responses;
      await getJson(`${origin}/api/stats/${QUERIES[responses % QUERIES.length]}?site_id=${SITE}&period=90d`);
    }
  })();
  return {
    stop() {
      stopped = true;
      return querying;
    },
  };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder);
  const server = await startProgram(folder);
  for (const query of QUERIES) await getJson(`${server.origin}/api/stats/${query}?site_id=${SITE}&period=90d`);
  const load = { origin: server.origin, seconds: SECONDS, connections: CONNECTIONS, rate: RATE, sites: [SITE] };
  await postEvents(load);

  /** @type {{ alone: import("./ingestion-load.mjs").LoadResult[], beside: import("./ingestion-load.mjs").LoadResult[], responses: number[] }} */
  const samples = { alone: [], beside: [], responses: [] };
  for (let round = 1; round <= ROUNDS; round++) {
    await untilIdle(server);
    samples.alone.push(await postEvents(load));
    await untilIdle(server);
    const queries = keepQuerying(server.origin);
    samples.beside.push(await postEvents(load));
    samples.responses.push(await queries.stop());
    progress(
      `round ${round}: p99 ${milliseconds(samples.alone.at(-1)?.p99Ms ?? 0)} alone, ${milliseconds(samples.beside.at(-1)?.p99Ms ?? 0)} during queries`,
    );
  }
  await server.stop();

  const row = (/** @type {string} */ name, /** @type {import("./ingestion-load.mjs").LoadResult[]} */ results) => [
    name,
    whole(median(results.map(({ perSecond }) => perSecond))),
    milliseconds(median(results.map(({ p50Ms }) => p50Ms))),
    milliseconds(median(results.map(({ p99Ms }) => p99Ms))),
    milliseconds(Math.max(...results.map(({ maxMs }) => maxMs))),
  ];
  const ratio = median(samples.beside.map(({ p99Ms }, i) => p99Ms / Math.max(samples.alone[i]?.p99Ms ?? Number.NaN, 1)));
  printTable(
    `POST /api/event at ${whole(RATE)}/s over ${whole(EVENTS)} cached events, ${ROUNDS} rounds of ${SECONDS} s; ` +
      `p99 ratio ${twoDecimals(ratio)}, target at most ${TARGET}`,
    ["", "events/s", "p50", "p99", "longest"],
    [row("alone", samples.alone), row(`during ${whole(median(samples.responses) / SECONDS)} queries/s`, samples.beside)],
  );
});
