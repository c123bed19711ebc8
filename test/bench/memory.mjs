/**
 * What the process holds in memory after a million events came in, and after they were asked for.
 *
 *   node test/bench/memory.mjs [events]
 */
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { EVENTS } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { mebibytes, printTable, whole } from "./table.mjs";

const events = Number(process.argv[2] ?? EVENTS);
const SITE = "memory.test";

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const server = await startProgram(folder);
  await untilIdle(server);
  const rows = [];
  const note = async (/** @type {string} */ moment) => {
    const { rss, peakRss } = await server.memory();
    rows.push([moment, mebibytes(rss), mebibytes(peakRss)]);
  };
  await note("after the start");
  const { answered } = await postEvents({ origin: server.origin, seconds: 0, connections: 32, sites: [SITE], events });
  await note(`after ${whole(answered)} events`);
  await untilIdle(server);
  await note("when they are flushed");
  const figures = await getJson(`${server.origin}/api/stats/main?site_id=${SITE}&period=7d`);
  if (figures.total_events !== answered) throw new Error(`${answered} events were acknowledged, ${figures.total_events} are counted`);
  await note("after asking about them");
  await server.stop();
  printTable("Resident memory of the process", ["", "now", "peak"], rows);
});
