/**
 * Three reports of a year, filtered in each way and with the lens `strict`, one after the other with the program's own limits: as the first
 * requests after a start and again; against native DuckDB on the same Parquet files, with as many threads, in the same run.
 *
 *   node test/bench/filtered-year.mjs [events] [days] [--engine-threads <n>[,<n>…]] [--every-filter] [--only <name>[,<name>…]]
 *
 * Rollups are made before, which is measured, too. Results are not cached. A report that runs into `request_timeout_secs` is requested
 * again, as it continues where it stopped: its time is that of all requests, and their 408s are counted. Exits with code 1 if a report has
 * another status, no result at last, or other numbers than native DuckDB. With `--every-filter` also those that DuckDB is not asked about.
 */
import { parseArgs } from "node:util";
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { makeRollups } from "./dashboard-runs.mjs";
import { pathOf } from "./dashboard-view.mjs";
import { FILTERS } from "./filters.mjs";
import { provideEvents } from "./generate-events.mjs";
import { NATIVE_FILTERS, numbersIn, openNative } from "./native-year.mjs";
import { duration, mebibytes, median, printTable, progress, twoDecimals, whole } from "./table.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { "engine-threads": { type: "string" }, "every-filter": { type: "boolean", default: false }, only: { type: "string" } },
});
const [EVENTS = 1_000_000, DAYS = 365] = positionals.map(Number);

/** Null leaves the number of threads to the program. @type {readonly (number | null)[]} */
const THREADS = options["engine-threads"]?.split(",").map(Number) ?? [null];

const REPORTS = /** @type {const} */ (["main", "timeseries", "breakdown/pages"]);
const YARDSTICK = "one of 60 countries";

/** What is asked, by its name. The lens is compared with a filter that keeps all events, which reads as many. */
const QUESTIONS = {
  ...Object.fromEntries(
    Object.entries(FILTERS)
      .filter(([name]) => options["every-filter"] || name in NATIVE_FILTERS)
      .map(([name, filters]) => [name, { filters }]),
  ),
  "all events": { filters: "countries!=ZZ" },
  "the lens strict": { lens: "strict" },
};

/** Requests of one report until it counts as without a result. */
const REQUESTS_MAX = 6;

const ROUNDS_AGAIN = 3;

const DAY_MS = 86_400_000;
const dayBefore = (/** @type {number} */ days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const YEAR = { start_date: dayBefore(DAYS), end_date: dayBefore(1), interval: "day" };

/** @typedef {{ ms: number, timeouts: number, numbers: unknown }} Answer */
/** @typedef {{ answers: readonly Answer[], cpuSecs: number }} Answers one of each report */

/** @typedef {Readonly<Record<string, string>>} Question parameters */

/** @param {string} origin @param {typeof REPORTS[number]} report @param {Question} question @returns {Promise<Answer>} */
async function ask(origin, report, question) {
  const url = origin + pathOf(report, { ...YEAR, ...question });
  const startMs = performance.now();
  for (let timeouts = 0; timeouts < REQUESTS_MAX; timeouts++) {
    const response = await fetch(url);
    const text = await response.text();
    const ms = performance.now() - startMs;
    if (response.status === 200) return { ms, timeouts, numbers: numbersIn(report, JSON.parse(text)) };
    if (response.status !== 408) throw new Error(`${url}: ${response.status} ${text}`);
  }
  throw new Error(`${url}: no result after ${REQUESTS_MAX} requests`);
}

/** @param {() => number | Promise<number>} cpuSecs @param {(report: typeof REPORTS[number]) => Promise<Answer>} answer @returns {Promise<Answers>} */
async function askAll(cpuSecs, answer) {
  const before = await cpuSecs();
  const answers = [];
  for (const report of REPORTS) answers.push(await answer(report));
  return { answers, cpuSecs: (await cpuSecs()) - before };
}

/** @param {string} folder @param {Question} question @param {number | null} threads */
async function ofProgram(folder, question, threads) {
  const server = await startProgram(folder, threads === null ? {} : { SVC_ENGINE_THREADS: String(threads) });
  const askServer = () => askAll(server.cpuSecs, (report) => ask(server.origin, report, question));
  const first = await askServer();
  const { rss, peakRss } = await server.memory();
  const again = [];
  for (let round = 0; round < ROUNDS_AGAIN; round++) again.push(await askServer());
  await server.stop();
  return { first, again, rss, peakRss };
}

/** @param {string} folder @param {import("./native-year.mjs").NativeFilter} filter @param {number} threads */
async function ofNative(folder, filter, threads) {
  const native = await openNative(folder, threads);
  const cpuSecs = () => Object.values(process.cpuUsage()).reduce((sum, micros) => sum + micros / 1e6, 0);
  const answers = await askAll(cpuSecs, async (report) => {
    const startMs = performance.now();
    const numbers = await native.numbersOf(report, filter);
    return { ms: performance.now() - startMs, timeouts: 0, numbers };
  });
  native.close();
  return answers;
}

/** Fails the run if the numbers differ. @param {string} name @param {readonly Answers[]} all of which the first is expected */
function expectSame(name, [expected, ...others]) {
  const wanted = expected?.answers.map(({ numbers }) => JSON.stringify(numbers)) ?? [];
  REPORTS.forEach((report, i) => {
    const found = others.map(({ answers }) => JSON.stringify(answers[i]?.numbers)).find((numbers) => numbers !== wanted[i]);
    if (found === undefined) return;
    console.log(`${name}, ${report}: the numbers differ:\n  expected ${wanted[i]?.slice(0, 500)}\n  found    ${found.slice(0, 500)}`);
    process.exitCode = 1;
  });
}

const sumMs = (/** @type {Answers} */ { answers }) => answers.reduce((sum, { ms }) => sum + ms, 0);
const seconds = (/** @type {number} */ secs) => `${secs.toFixed(secs < 10 ? 2 : 1)} s`;

/** Times of each report, of all, and processor time. @param {readonly Answers[]} rounds */
function times(rounds) {
  const reports = REPORTS.map((_, i) => {
    const timeouts = rounds.reduce((sum, { answers }) => sum + (answers[i]?.timeouts ?? 0), 0);
    return duration(median(rounds.map(({ answers }) => answers[i]?.ms ?? 0))) + (timeouts > 0 ? `, ${timeouts} × 408` : "");
  });
  return [...reports, duration(median(rounds.map(sumMs))), seconds(median(rounds.map(({ cpuSecs }) => cpuSecs)))];
}

const TIMES = [...REPORTS, "all", "CPU"];

/** Resident memory of the program with an empty folder. */
const memoryAtRest = () =>
  withTempFolder(async (folder) => {
    const server = await startProgram(folder);
    await untilIdle(server);
    const { rss } = await server.memory();
    await server.stop();
    return rss;
  });

await buildBenchProgram();
const restRss = await memoryAtRest();
await withTempFolder(async (folder) => {
  await provideEvents(folder, EVENTS, DAYS);
  progress("making rollups");
  const rollups = await makeRollups(folder);
  progress(`made in ${duration(rollups.ms)}, ${duration(rollups.cpuMs)} of processor time`);

  const [firstRows, againRows] = [/** @type {string[][]} */ ([]), /** @type {string[][]} */ ([])];
  const only = options.only?.split(",");
  const asked = Object.entries(QUESTIONS).filter(([name]) => only?.includes(name) ?? true);
  const questions = asked.sort(([a], [b]) => Number(b === YARDSTICK) - Number(a === YARDSTICK));
  for (const threads of THREADS) {
    /** @type {number | undefined} */
    let yardstickMs;
    for (const [name, question] of questions) {
      const { first, again, rss, peakRss } = await ofProgram(folder, question, threads);
      const nativeFilter = NATIVE_FILTERS[name];
      const native = nativeFilter && (await ofNative(folder, nativeFilter, threads ?? 1));
      expectSame(name, [...(native ? [native] : []), first, ...again]);
      const againMs = median(again.map(sumMs));
      yardstickMs ??= againMs;
      const label = threads === null ? name : `${name}, ${threads} threads`;
      const ofDuckdb = native
        ? [...times([native]).slice(-2), twoDecimals(sumMs(first) / sumMs(native)), twoDecimals(first.cpuSecs / native.cpuSecs)]
        : ["", "", "", ""];
      firstRows.push([label, ...times([first]), ...ofDuckdb, mebibytes(rss), mebibytes(peakRss)]);
      againRows.push([label, ...times(again), twoDecimals(againMs / yardstickMs), native ? twoDecimals(againMs / sumMs(native)) : ""]);
      progress(`${firstRows.at(-1)?.join("  ")}\n  again ${againRows.at(-1)?.join("  ")}`);
    }
  }
  const title = `${whole(EVENTS)} events in ${DAYS} days`;
  printTable(
    `first reports after a start, ${title}`,
    ["filter", ...TIMES, "native DuckDB", "CPU", "ratio", "ratio of CPU", "resident", "peak"],
    firstRows,
  );
  printTable(`again, medians of ${ROUNDS_AGAIN}, ${title}`, ["filter", ...TIMES, "to one country", "to native DuckDB"], againRows);
  printTable(
    "besides",
    ["", "time", "CPU", "resident"],
    [
      ["making rollups", duration(rollups.ms), duration(rollups.cpuMs), mebibytes(rollups.peakRss)],
      ["at rest, with an empty folder", "", "", mebibytes(restRss)],
    ],
  );
});
