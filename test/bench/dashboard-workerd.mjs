/**
 * The dashboard's views of 30 days and of 12 months in workerd, where an isolate has 128 MB: with rollups, with events of today, and
 * without rollups. Also the alarms that make rollups.
 *
 *   node test/bench/dashboard-workerd.mjs [events] [days]
 *   node test/bench/dashboard-workerd.mjs <data folder>
 *
 * A data folder has the events of `generate-events.mjs` and their rollups, and is only read. Each first view is that of a new process.
 * Memory is what V8 reports for the isolate of the object (objects, garbage included, and array buffers), and that of WebAssembly:
 * without WebAssembly memory, the engine was never started. Reads are those of the object in its bucket.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { buildBenchProgram, withTempFolder } from "./bench-server.mjs";
import { makeRollups } from "./dashboard-runs.mjs";
import { differencesOf, everyReport, load, reportsOf } from "./dashboard-view.mjs";
import { DAYS, EVENTS, provideEvents, SITE, writeToday } from "./generate-events.mjs";
import { duration, mebibytes, printTable, progress, whole } from "./table.mjs";
import { fillBucket, inspectIsolate, startWorkerd, usedBytes, WORKER_FOLDER, withPeak } from "./workerd-process.mjs";

const GIVEN_FOLDER = process.argv[2] !== undefined && existsSync(process.argv[2]) ? process.argv[2] : null;
const TODAY_EVENTS = 5_000;
/** The first one of an object only looks for files to merge. */
const ALARMS = 4;

/** Above the segments of all generated files. */
const TODAY_SEGMENT = 1_000_000;

/** As docs/workers.md recommends for Cloudflare. Views without rollups take longer than a request may. */
const ENVIRONMENT = { SVC_ENGINE_MEMORY_MB: "16", SVC_REQUEST_TIMEOUT_SECS: "3600" };
const WITHOUT_ROLLUPS = { ...ENVIRONMENT, SVC_ROLLUPS: "false" };

const kibibytes = (/** @type {number} */ bytes) => `${whole(bytes / 1024)} KiB`;

const HEADS = ["", "time", "isolate before", "peak", "after", "WebAssembly", "gets", "bytes", "lists", "process, peak"];

/** @param {string} folder @param {Record<string, string>} environment */
async function startMeasured(folder, environment) {
  const workerd = await startWorkerd({ folder, script: "measured-worker.js", siteClass: "MeasuredSite", environment, isInspected: true });
  const isolate = await inspectIsolate(workerd.miniflare);
  const reads = async () => (await fetch(`${workerd.origin}/measured/reads?site_id=${SITE}`)).json();
  return {
    ...workerd,
    /** A row of what the work takes. @param {string} name @param {() => Promise<unknown>} work */
    async measure(name, work) {
      await reads();
      const before = usedBytes(await isolate.heap());
      const startMs = performance.now();
      const { peakBytes } = await withPeak(isolate, work);
      const ms = performance.now() - startMs;
      const after = usedBytes(await isolate.heap());
      const { gets, bytes, lists, wasmBytes } = await reads();
      const row = [
        name,
        duration(ms),
        ...[before, peakBytes, after, wasmBytes].map(mebibytes),
        whole(gets),
        kibibytes(bytes),
        whole(lists),
      ];
      progress(row.join("  "));
      return [...row, mebibytes(await workerd.peakRss())];
    },
    async stop() {
      isolate.close();
      await workerd.stop();
    },
  };
}

/** The first view of a new process, and the same again. @param {string} folder @param {string} name @param {readonly string[]} paths @param {Record<string, string>} [environment] */
async function viewsOf(folder, name, paths, environment = ENVIRONMENT) {
  const workerd = await startMeasured(folder, environment);
  /** @type {import("./dashboard-view.mjs").Responses[]} */
  const responses = [];
  const view = async () => responses.push(await load(workerd.origin, paths));
  const rows = [await workerd.measure(`${name}, first`, view), await workerd.measure(`${name}, again`, view)];
  await workerd.stop();
  const [first = new Map(), again = new Map()] = responses;
  expectSame(first, again);
  return { rows, responses: first };
}

/** @param {import("./dashboard-view.mjs").Responses} expected @param {import("./dashboard-view.mjs").Responses} found */
function expectSame(expected, found) {
  const differences = differencesOf(expected, found);
  for (const difference of differences) console.log(`a response differs: ${difference}`);
  if (differences.length > 0) process.exitCode = 1;
}

/** @param {string} folder @param {string} dataFolder @param {"events" | "rollups"} kind */
async function fill(folder, dataFolder, kind) {
  progress(`putting ${kind} into the bucket`);
  const workerd = await startWorkerd({ folder });
  await fillBucket(workerd.miniflare, dataFolder, kind);
  await workerd.stop();
}

/** Alarms of a new object. They make rollups of the newest days that have none. @param {string} folder @param {number} count */
async function alarms(folder, count) {
  const workerd = await startMeasured(folder, ENVIRONMENT);
  await (await fetch(`${workerd.origin}/health`)).text();
  const rows = [];
  for (let i = 1; i <= count; i++) {
    const row = await workerd.measure(`alarm ${i}`, () => fetch(`${workerd.origin}/measured/alarm?site_id=${SITE}`));
    const metrics = await (await fetch(`${workerd.origin}/metrics`)).text();
    rows.push([
      ...row,
      /^svc_rollups_made_total (\d+)/m.exec(metrics)?.[1] ?? "",
      /^svc_rollup_failures_total (\d+)/m.exec(metrics)?.[1] ?? "",
    ]);
  }
  await workerd.stop();
  return rows;
}

/** @param {string} folder */
async function providedData(folder) {
  const [events, days] = [Number(process.argv[2] ?? EVENTS), Number(process.argv[3] ?? DAYS)];
  await provideEvents(folder, events, days);
  progress("making rollups");
  await buildBenchProgram();
  await makeRollups(folder);
  return folder;
}

await withTempFolder(async (folder) => {
  const dataFolder = GIVEN_FOLDER ?? (await providedData(join(folder, "data")));
  await buildWorker(WORKER_FOLDER, { "measured-worker": "test/bench/measured-worker.ts" });
  const bucketFolder = join(folder, "workerd");
  await mkdir(bucketFolder);
  await fill(bucketFolder, dataFolder, "events");
  printTable("alarms while rollups are missing", [...HEADS, "made", "failed"], await alarms(bucketFolder, ALARMS));

  await fill(bucketFolder, dataFolder, "rollups");
  printTable("alarms once all are stored", [...HEADS, "made", "failed"], await alarms(bucketFolder, 2));
  const [month, year] = [reportsOf({ period: "30d" }), reportsOf({ period: "12mo" })];
  const monthWith = await viewsOf(bucketFolder, "30 days", month);
  const yearWith = await viewsOf(bucketFolder, "12 months", year);
  const every = await viewsOf(bucketFolder, "every report of 12 months", await everyReport("12mo"));
  printTable("eight reports with rollups", HEADS, [...monthWith.rows, ...yearWith.rows, ...every.rows]);
  const monthWithout = await viewsOf(bucketFolder, "30 days", month, WITHOUT_ROLLUPS);
  expectSame(monthWithout.responses, monthWith.responses);
  printTable("eight reports without rollups", HEADS, monthWithout.rows);

  const todayFolder = join(folder, "today");
  await writeToday(todayFolder, TODAY_EVENTS, TODAY_SEGMENT);
  await fill(bucketFolder, todayFolder, "events");
  const monthToday = await viewsOf(bucketFolder, "30 days", month);
  const yearToday = await viewsOf(bucketFolder, "12 months", year);
  printTable(`eight reports with rollups and ${whole(TODAY_EVENTS)} events of today`, HEADS, [...monthToday.rows, ...yearToday.rows]);
});
