/**
 * Three reports of twelve months, filtered in each way, one after the other with the program's own limits: as the first requests after
 * a start and again, against one country in the same run.
 *
 *   node test/bench/filtered-year.mjs [events] [days]
 *
 * Results are not cached. A report that runs into `request_timeout_secs` is requested again, as it continues where it stopped: its
 * time is that of all requests, and their 408s are counted. Exits with code 1 if a report has another status, or no result at last.
 */
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { pathOf } from "./dashboard-view.mjs";
import { FILTERS } from "./filters.mjs";
import { provideEvents } from "./generate-events.mjs";
import { duration, mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 365);

const REPORTS = ["main", "timeseries", "breakdown/pages"];
const YARDSTICK = "one of 60 countries";

/** Requests of one report until it counts as without a result. */
const REQUESTS_MAX = 6;

/** @typedef {{ ms: number, timeouts: number }} Answer */

/** @param {string} url @returns {Promise<Answer>} */
async function ask(url) {
  const startMs = performance.now();
  for (let timeouts = 0; timeouts < REQUESTS_MAX; timeouts++) {
    const response = await fetch(url);
    const text = await response.text();
    if (response.status === 200) return { ms: performance.now() - startMs, timeouts };
    if (response.status !== 408) throw new Error(`${url}: ${response.status} ${text}`);
  }
  throw new Error(`${url}: no result after ${REQUESTS_MAX} requests`);
}

/** @param {string} origin @param {string} filters */
async function askAll(origin, filters) {
  const answers = [];
  for (const report of REPORTS) answers.push(await ask(origin + pathOf(report, { period: "12mo", filters })));
  return answers;
}

/** @param {string} folder @param {string} filters */
async function measured(folder, filters) {
  const server = await startProgram(folder);
  const first = await askAll(server.origin, filters);
  const again = await askAll(server.origin, filters);
  const { peakRss } = await server.memory();
  await server.stop();
  return { first, again, peakRss };
}

/** @param {Answer} answer */
const cell = ({ ms, timeouts }) => duration(ms) + (timeouts > 0 ? `, ${timeouts} × 408` : "");

const sumMs = (/** @type {readonly Answer[]} */ answers) => answers.reduce((sum, { ms }) => sum + ms, 0);

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  const yardstickMs = sumMs((await measured(folder, FILTERS[YARDSTICK])).again);
  const rows = [];
  for (const [name, filters] of Object.entries(FILTERS)) {
    const { first, again, peakRss } = await measured(folder, filters);
    rows.push([name, ...[...first, ...again].map(cell), twoDecimals(sumMs(again) / yardstickMs), mebibytes(peakRss)]);
    progress(rows.at(-1)?.join("  ") ?? "");
  }
  printTable(
    `${REPORTS.join(", ")} of twelve months, ${whole(EVENTS)} events in ${DAYS} days`,
    [
      "filter",
      ...REPORTS.map((report) => `first: ${report}`),
      ...REPORTS.map((report) => `again: ${report}`),
      "again, to one country",
      "peak",
    ],
    rows,
  );
});
