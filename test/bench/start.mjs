/**
 * How soon the program is ready after its start, and how soon it knows a month: with nothing on disk and with a million events.
 *
 *   node test/bench/start.mjs [events]
 *
 * Target: ready within 3 s in both cases. Days are loaded when a question first needs them.
 */
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { milliseconds, printTable, whole } from "./table.mjs";

const events = Number(process.argv[2] ?? EVENTS);
const WARM_ROUNDS = 5;

/** @param {string} url */
async function timed(url) {
  const startedMs = performance.now();
  await getJson(url);
  return performance.now() - startedMs;
}

/** @param {string} origin */
async function untilReady(origin) {
  while ((await fetch(`${origin}/health/ready`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
}

await buildBenchProgram();
const rows = [];
for (const count of [0, events]) {
  await withTempFolder(async (folder) => {
    if (count > 0) await provideEvents(folder, count);
    const server = await startProgram(folder);
    const listeningMs = performance.now() - server.startedMs;
    await untilReady(server.origin);
    const readyMs = performance.now() - server.startedMs;
    const url = `${server.origin}/api/stats/main?site_id=${SITE}&period=30d`;
    const coldMs = await timed(url);
    let warmMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < WARM_ROUNDS; round++) warmMs = Math.min(warmMs, await timed(url));
    await server.stop();
    rows.push([whole(count), ...[listeningMs, readyMs, coldMs, warmMs].map(milliseconds)]);
  });
}
printTable("Start of the process, target: ready within 3 s", ["events on disk", "listening", "ready", "first 30 days", "again"], rows);
