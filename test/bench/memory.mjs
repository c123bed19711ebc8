/**
 * Memory of the process after it has accepted many events, and after queries of all of them.
 *
 *   node test/bench/memory.mjs [events]
 */
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { EVENTS } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { mebibytes, printTable, progress, whole } from "./table.mjs";

const COUNT = Number(process.argv[2] ?? EVENTS);
const CONNECTIONS = 32;
const SITE = "memory.test";

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const server = await startProgram(folder);
  /** @type {string[][]} */
  const rows = [];
  const note = async (/** @type {string} */ name) => {
    await untilIdle(server);
    const { rss, peakRss } = await server.memory();
    rows.push([name, mebibytes(rss), mebibytes(peakRss)]);
  };

  const ready = await fetch(`${server.origin}/health/ready`);
  if (ready.status !== 200) throw new Error(`not ready: ${ready.status}`);
  await note("after the start, once it was asked whether it is ready");
  progress(`posting ${COUNT} events`);
  const { accepted, perSecond } = await postEvents({ origin: server.origin, events: COUNT, connections: CONNECTIONS, sites: [SITE] });
  await note(`after ${whole(accepted)} events at ${whole(perSecond)}/s`);
  const fetchStats = (/** @type {string} */ endpoint) => getJson(`${server.origin}/api/stats/${endpoint}?site_id=${SITE}&period=7d`);
  const { total_events: total } = await fetchStats("main");
  if (total !== accepted) throw new Error(`${total} events were found instead of ${accepted}`);
  for (const endpoint of ["timeseries", "breakdown/pages", "breakdown/browsers"]) await fetchStats(endpoint);
  await note("after queries of all of them");
  await server.stop();
  printTable(`resident set of the process, ${CONNECTIONS} connections, one site`, ["", "resident", "peak so far"], rows);
});
