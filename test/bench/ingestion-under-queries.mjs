/**
 * Latency of ingestion during queries: the p99 of events posted at a steady rate, alone and during heavy queries of a month of the
 * same site, one after the other without a pause.
 *
 *   node test/bench/ingestion-under-queries.mjs [rounds] [seconds per round] [events per second]
 *
 * Target: at most 3 times the p99 of ingestion alone.
 */
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { compareIngestion, LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, printTable, twoDecimals, whole } from "./table.mjs";

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

  const samples = await compareIngestion(server, load, ROUNDS, () => keepQuerying(server.origin));
  await server.stop();

  printTable(
    `POST /api/event at ${whole(RATE)}/s over ${whole(EVENTS)} cached events, ${ROUNDS} rounds of ${SECONDS} s; ` +
      `p99 ratio ${twoDecimals(samples.ratio)}, target at most ${TARGET}`,
    LATENCY_HEADS,
    [latencyRow("alone", samples.alone), latencyRow(`during ${whole(median(samples.responses) / SECONDS)} queries/s`, samples.beside)],
  );
});
