/**
 * What the process holds in memory after it has taken in many events, and after questions about all of them.
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

  await note("after the start");
  progress(`posting ${COUNT} events`);
  const { answered, perSecond } = await postEvents({ origin: server.origin, events: COUNT, connections: CONNECTIONS, sites: [SITE] });
  await note(`after ${whole(answered)} events at ${whole(perSecond)}/s`);
  const ask = (/** @type {string} */ endpoint) => getJson(`${server.origin}/api/stats/${endpoint}?site_id=${SITE}&period=7d`);
  const { total_events: total } = await ask("main");
  if (total !== answered) throw new Error(`${total} events were found instead of ${answered}`);
  for (const endpoint of ["timeseries", "breakdown/pages", "breakdown/browsers"]) await ask(endpoint);
  await note("after questions about all of them");
  await server.stop();
  printTable(`resident set of the process, ${CONNECTIONS} connections, one site`, ["", "resident", "peak so far"], rows);
});
