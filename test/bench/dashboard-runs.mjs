/** Runs of the program for `dashboard.mjs`: the first view after a start and the views after it, and the making of rollups. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { startProgram, untilIdle } from "./bench-server.mjs";
import { load } from "./dashboard-view.mjs";
import { mean, median } from "./table.mjs";

/** No view may run into a timeout, and events in the journal stay there. */
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600", SVC_FLUSH_INTERVAL_SECS: "86400" };

/** @typedef {"without" | "with"} Rollups */

/** @type {Record<Rollups, Record<string, string>>} */
const OPTIONS = { without: { ...ENVIRONMENT, SVC_ROLLUPS: "false" }, with: { ...ENVIRONMENT, SVC_ROLLUPS: "true" } };

/** Measurements are repeated until there are this many or they have taken this long. */
const STARTS_MAX = 3;
const STARTS_SECS = 20;
const VIEWS_MAX = 15;
const VIEWS_SECS = 2;

/** Jobs begin some seconds after a start. */
const JOBS_BEGIN_MS = 10_000;

/** The making counts as stuck if no day was finished for this long. */
const PROGRESS_MS_MAX = 600_000;

/** @param {string} folder @param {Rollups} rollups */
export const startWith = (folder, rollups) => startProgram(folder, OPTIONS[rollups]);

/**
 * Wall time, and the processor time that the whole process took meanwhile.
 * @template T
 * @param {import("./bench-server.mjs").BenchProcess} server
 * @param {() => Promise<T>} work
 */
async function timed(server, work) {
  const cpuBefore = await server.cpuSecs();
  const startMs = performance.now();
  const result = await work();
  const ms = performance.now() - startMs;
  return { result, ms, cpuMs: ((await server.cpuSecs()) - cpuBefore) * 1000 };
}

/** @template T @param {number} countMax @param {number} secsMax @param {() => Promise<T>} work */
async function repeated(countMax, secsMax, work) {
  const endMs = performance.now() + secsMax * 1000;
  const results = [await work()];
  while (results.length < countMax && performance.now() < endMs) results.push(await work());
  return results;
}

/** @typedef {{ ms: number, cpuMs: number }} Cost the median of the wall time, and the mean of the processor time */

/** @param {readonly Cost[]} costs @returns {Cost} */
const summary = (costs) => ({ ms: median(costs.map(({ ms }) => ms)), cpuMs: mean(costs.map(({ cpuMs }) => cpuMs)) });

/**
 * Loads a view as soon as the program listens, and then again. The program is killed, so that it does not flush its journal.
 * @param {string} folder
 * @param {Rollups} rollups
 * @param {readonly string[]} paths
 */
async function viewsOfOneStart(folder, rollups, paths) {
  const server = await startWith(folder, rollups);
  const first = await timed(server, () => load(server.origin, paths));
  const { peakRss } = await server.memory();
  const again = await repeated(VIEWS_MAX, VIEWS_SECS, () => timed(server, () => load(server.origin, paths)));
  await server.kill9();
  return { first, again, peakRss, responses: [first, ...again].map(({ result }) => result) };
}

/**
 * The cost of the first view after a start and of later ones, the peak of resident memory (bytes) up to the end of the first, and
 * the responses of all.
 * @param {string} folder
 * @param {Rollups} rollups
 * @param {readonly string[]} paths
 */
export async function measureView(folder, rollups, paths) {
  const starts = await repeated(STARTS_MAX, STARTS_SECS, () => viewsOfOneStart(folder, rollups, paths));
  return {
    first: summary(starts.map(({ first }) => first)),
    again: summary(starts.flatMap(({ again }) => again)),
    peakRss: Math.max(...starts.map(({ peakRss }) => peakRss)),
    responses: starts.flatMap(({ responses }) => responses),
  };
}

/** @typedef {Awaited<ReturnType<typeof measureView>>} ViewCost */

/** Loads the paths once, as soon as the program listens. @param {string} folder @param {Rollups} rollups @param {readonly string[]} paths */
export async function loadOnce(folder, rollups, paths) {
  const server = await startWith(folder, rollups);
  const { result: responses, ...cost } = await timed(server, () => load(server.origin, paths));
  await server.stop();
  return { ...cost, responses };
}

/** @param {string} origin */
async function rollupMetrics(origin) {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  const valueOf = (/** @type {string} */ name) => {
    const line = metrics.split("\n").find((candidate) => candidate.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  };
  const daysIn = (/** @type {string} */ state) => valueOf(`svc_rollup_partitions{state="${state}"}`);
  return { stored: daysIn("stored"), stale: daysIn("stale"), missing: daysIn("missing"), secs: valueOf("svc_rollup_seconds_total") };
}

/** Waits until every day that is due has its rollup. @param {string} origin */
async function untilNoneIsMissing(origin) {
  for (let [stored, sinceMs] = [0, performance.now()]; ;) {
    const days = await rollupMetrics(origin);
    if (days.stored > 0 && days.missing === 0 && days.stale === 0) return;
    if (days.stored > stored) [stored, sinceMs] = [days.stored, performance.now()];
    if (performance.now() - sinceMs > PROGRESS_MS_MAX) throw new Error(`rollups do not advance: ${JSON.stringify(days)}`);
    await setTimeout(250);
  }
}

/** Waits until no day waits for its rollup and the process is idle. @param {import("./bench-server.mjs").BenchProcess} server */
async function untilMade(server) {
  do {
    await untilNoneIsMissing(server.origin);
    await untilIdle(server);
  } while ((await rollupMetrics(server.origin)).missing > 0);
}

/**
 * What a start costs until all jobs are done, with nothing requested.
 * @param {string} folder
 * @param {Rollups} rollups
 */
async function costOfJobs(folder, rollups) {
  const server = await startWith(folder, rollups);
  if (rollups === "with") await untilNoneIsMissing(server.origin);
  const ms = performance.now() - server.startedMs;
  await setTimeout(Math.max(0, JOBS_BEGIN_MS - ms));
  await (rollups === "with" ? untilMade(server) : untilIdle(server));
  const cost = { ms, cpuMs: (await server.cpuSecs()) * 1000, ...(await server.memory()), ...(await rollupMetrics(server.origin)) };
  await server.stop();
  return cost;
}

/** Makes the rollups of a folder without any. The processor time is what the program takes more than without rollups. @param {string} folder */
export async function makeRollups(folder) {
  const without = await costOfJobs(folder, "without");
  const made = await costOfJobs(folder, "with");
  return { ...made, cpuMs: made.cpuMs - without.cpuMs };
}

/** Bytes of all files below a folder; 0 if it does not exist. @param {string} folder */
export async function bytesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
