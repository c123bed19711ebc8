/**
 * Processor time of the eight reports of a filtered dashboard over cached events, four at a time as the dashboard asks, against the
 * dearest of them alone. The first view after loading stores the sessions that its reports share; later views read them.
 *
 *   node test/bench/filtered-dashboard.mjs [rounds] [events]
 */
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { FILTERS } from "./filters.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { mebibytes, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 10);
const COUNT = Number(process.argv[3] ?? EVENTS);

const DAY_MS = 86_400_000;
const REQUESTS_MAX = 4;

const REPORTS = [
  "main",
  "timeseries",
  "session-timeseries",
  "breakdown/pages",
  "breakdown/entry-pages",
  "breakdown/sources",
  "breakdown/countries",
  "breakdown/browsers",
];

/** @typedef {import("./bench-server.mjs").BenchProcess} BenchProcess */

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);

/** @param {string} report @param {string} filters */
const pathOf = (report, filters) =>
  `/api/stats/${report}?${new URLSearchParams({
    site_id: SITE,
    start_date: dayOf(Date.now() - DAYS * DAY_MS),
    end_date: dayOf(Date.now() - DAY_MS),
    filters,
  })}`;

/** @param {BenchProcess} server @param {readonly string[]} reports @param {string} filters */
async function ask({ origin }, reports, filters) {
  const waiting = [...reports];
  const work = async () => {
    for (let report = waiting.shift(); report !== undefined; report = waiting.shift()) await getJson(origin + pathOf(report, filters));
  };
  await Promise.all(Array.from({ length: REQUESTS_MAX }, work));
}

/** The mean processor time of the reports in milliseconds. @param {BenchProcess} server @param {readonly string[]} reports @param {string} filters @param {number} rounds */
async function cpuMs(server, reports, filters, rounds) {
  const before = await server.cpuSecs();
  for (let round = 0; round < rounds; round++) await ask(server, reports, filters);
  return (((await server.cpuSecs()) - before) * 1000) / rounds;
}

/** Runs the task with a program that has the events cached, and has answered reports without sessions only. @template T @param {string} folder @param {(server: BenchProcess) => Promise<T>} task */
async function withCachedEvents(folder, task) {
  const server = await startProgram(folder);
  await ask(server, ["breakdown/os", "breakdown/devices", "timeseries"], "");
  await untilIdle(server);
  const result = await task(server);
  await server.stop();
  return result;
}

/** @param {string} folder @param {string} filters */
async function measured(folder, filters) {
  const firstAlone = await withCachedEvents(folder, (server) => cpuMs(server, ["main"], filters, 1));
  return withCachedEvents(folder, async (server) => {
    const first = await cpuMs(server, REPORTS, filters, 1);
    // Compiles what is not compiled yet.
    await cpuMs(server, REPORTS, filters, 2);
    const all = await cpuMs(server, REPORTS, filters, ROUNDS);
    const alone = [];
    for (const report of REPORTS) alone.push(await cpuMs(server, [report], filters, ROUNDS));
    return { firstAlone, first, all, alone, peakRss: (await server.memory()).peakRss };
  });
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, COUNT);
  const rows = [];
  const single = [];
  for (const [name, filters] of Object.entries(FILTERS)) {
    progress(name);
    const { firstAlone, first, all, alone, peakRss } = await measured(folder, filters);
    const dearest = Math.max(...alone);
    rows.push([
      name,
      ...[all, dearest].map(milliseconds),
      twoDecimals(all / dearest),
      ...[first, firstAlone].map(milliseconds),
      twoDecimals(first / firstAlone),
      mebibytes(peakRss),
    ]);
    single.push([name, ...alone.map(milliseconds)]);
  }
  printTable(
    `processor time of the eight reports of a dashboard over ${whole(COUNT)} cached events of ${DAYS} days, means of ${ROUNDS}`,
    ["filter", "eight", "dearest alone", "ratio", "first view: eight", "main alone", "ratio", "peak memory"],
    rows,
  );
  printTable("each report alone", ["filter", ...REPORTS.map((report) => report.replace("breakdown/", ""))], single);
});
