/**
 * Duration of a start, and of the first query after it.
 *
 *   node test/bench/start.mjs [events] [rounds]
 *
 * Measures the time from the start of the process to a successful `/health/ready`, with nothing on disk and with a month of events
 * of one site; then `/api/stats/main` for that month: immediately, so that the month has to be loaded, and again. Target: ready within
 * 3 s.
 */
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { median, milliseconds, printTable, progress, whole } from "./table.mjs";

const COUNT = Number(process.argv[2] ?? EVENTS);
const ROUNDS = Number(process.argv[3] ?? 3);
const TARGET_MS = 3000;

/** Polls until the server is ready. @param {{ origin: string, startedMs: number }} server */
async function msUntilReady({ origin, startedMs }) {
  for (;;) {
    const response = await fetch(`${origin}/health/ready`);
    await response.text();
    if (response.status === 200) return performance.now() - startedMs;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** @param {() => Promise<unknown>} work */
async function msOf(work) {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Queries 90 days, which cover the files even after midnight. @param {string} origin */
async function fetchMain(origin) {
  const { total_events: total } = await getJson(`${origin}/api/stats/main?site_id=${SITE}&period=90d`);
  if (total !== COUNT) throw new Error(`${total} events were found instead of ${COUNT}`);
}

await buildBenchProgram();
/** @type {{ empty: number[], full: number[], cold: number[], again: number[] }} */
const times = { empty: [], full: [], cold: [], again: [] };
for (let round = 1; round <= ROUNDS; round++) {
  progress(`round ${round} of ${ROUNDS}`);
  await withTempFolder(async (folder) => {
    const server = await startProgram(folder);
    times.empty.push(await msUntilReady(server));
    await server.stop();
  });
  await withTempFolder(async (folder) => {
    await provideEvents(folder, COUNT, DAYS);
    const server = await startProgram(folder);
    times.full.push(await msUntilReady(server));
    times.cold.push(await msOf(() => fetchMain(server.origin)));
    for (let i = 0; i < 5; i++) times.again.push(await msOf(() => fetchMain(server.origin)));
    await server.stop();
  });
}

const row = (/** @type {string} */ name, /** @type {number[]} */ ms) => [name, milliseconds(median(ms)), milliseconds(Math.max(...ms))];
printTable(
  `start and first query, ${whole(COUNT)} events of ${DAYS} days, ${ROUNDS} rounds; target: ready within ${milliseconds(TARGET_MS)}`,
  ["", "median", "longest"],
  [
    row("ready, nothing on disk", times.empty),
    row("ready, all events on disk", times.full),
    row("main, first", times.cold),
    row("main, again", times.again),
  ],
);
