/**
 * Prints what an event takes: bytes in Parquet files, in rollups and in the engine, and the processor time to load it and to make its
 * rollup. docs/scaling.md has the figures.
 *
 *   node test/bench/event-size.mjs [events] [days]
 *
 * The engine holds what a filtered dashboard reads: all columns, and the sessions that its reports share. Loading takes what a start
 * with events takes more than one without.
 */
import { join } from "node:path";
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { bytesBelow, makeRollups } from "./dashboard-runs.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const COUNT = Number(process.argv[2] ?? EVENTS);
const DAYS_OF_EVENTS = Number(process.argv[3] ?? DAYS);
const DAY_MS = 86_400_000;

const ENVIRONMENT = { SVC_ROLLUPS: "false", SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_ENGINE_MEMORY_MB: "3072" };

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);

/** @param {import("./bench-server.mjs").BenchProcess} server @param {string} report */
const ask = ({ origin }, report) =>
  getJson(
    `${origin}/api/stats/${report}?${new URLSearchParams({
      site_id: SITE,
      start_date: dayOf(Date.now() - DAYS_OF_EVENTS * DAY_MS),
      end_date: dayOf(Date.now() - DAY_MS),
      filters: "props:plan==pro",
    })}`,
  );

/** @param {import("./bench-server.mjs").BenchProcess} server */
async function engineBytes({ origin }) {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^svc_engine_memory_bytes (\S+)/m.exec(metrics)?.[1]);
}

/** Starts, loads the events with one report, and stores their sessions with another. @param {string} folder */
async function measureEngine(folder) {
  const server = await startProgram(folder, ENVIRONMENT);
  await ask(server, "breakdown/pages");
  await untilIdle(server);
  const secs = await server.cpuSecs();
  await ask(server, "main");
  const bytes = await engineBytes(server);
  const { rss } = await server.memory();
  await server.stop();
  return { secs, bytes, rss };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, COUNT, DAYS_OF_EVENTS);
  progress("loading events");
  const start = await withTempFolder(measureEngine);
  const engine = await measureEngine(folder);
  progress("making rollups");
  const rollups = await makeRollups(folder);
  const perEvent = (/** @type {number} */ bytes) => `${twoDecimals(bytes / COUNT)} bytes`;
  const perMillion = (/** @type {number} */ secs) => `${twoDecimals((secs / COUNT) * 1e6)} s`;
  printTable(
    `what an event takes: ${whole(COUNT)} events of ${DAYS_OF_EVENTS} days`,
    ["", ""],
    [
      ["Parquet files, an event", perEvent(await bytesBelow(join(folder, "events")))],
      ["rollups, an event", perEvent(await bytesBelow(join(folder, "rollups")))],
      ["memory of the engine, an event", perEvent(engine.bytes)],
      ["resident memory of the process after loading", mebibytes(engine.rss)],
      ["processor time to load a million events", perMillion(engine.secs - start.secs)],
      ["processor time to make the rollups of a million events", perMillion(rollups.cpuMs / 1000)],
    ],
  );
});
