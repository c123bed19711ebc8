/**
 * Merges a past day with many events in many files during ingestion and queries: measures the latency of ingestion, the memory of
 * the process and the number of files left, and compares all responses. The baseline is the same load without merging. Exits with
 * code 1 if a response differs, if files are left unmerged, or if merging takes much more memory.
 *
 *   node test/bench/compaction.mjs [events] [files]
 */
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buildBenchProgram, getJson, importSource, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { SITE, eventsOfDay } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, mebibytes, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const EVENTS = Number(process.argv[2] ?? 2_000_000);
const FILES = Number(process.argv[3] ?? 200);

const DAY_MS = 86_400_000;
const START_MS = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS;
const DAY = new Date(START_MS).toISOString().slice(0, 10);

/** Merging must leave at most this many files. */
const FILES_LEFT_MAX = FILES / 10;

/** Additional memory allowed for merging: the files of a merge, two parts of them as values, and uncollected garbage of its thread. */
const MERGING_MB_MAX = 400;

const ROUNDS_MIN = 6;
const ROUNDS_MAX = 100;
const LOAD = { seconds: 5, connections: 32, rate: 1000, sites: ["other.test"] };
const QUERIES = ["main", "timeseries", "breakdown/pages", "goals", "sessions"];

/** @param {string} folder */
async function writeDay(folder) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partitions.ts");
  const events = eventsOfDay(START_MS, EVENTS, numbersFrom(5));
  for (let file = 0; file < FILES; file++) {
    const path = join(folder, partitionKey(SITE, DAY, file + 1, file + 1));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, encodeEvents(events.slice((file * EVENTS) / FILES, ((file + 1) * EVENTS) / FILES)));
  }
}

/** @param {string} folder */
const filesLeft = async (folder) =>
  (await readdir(join(folder, "events", `site_id=${SITE}`, `date=${DAY}`))).filter((name) => name.endsWith(".parquet")).length;

/** @param {string} origin @param {string} query @returns {Promise<string>} */
const fetchReport = async (origin, query) =>
  JSON.stringify(await getJson(`${origin}/api/stats/${query}?site_id=${SITE}&start_date=${DAY}&end_date=${DAY}`));

/** Sends queries until `stop` is called, and collects the distinct responses to each. @param {string} origin */
function keepQuerying(origin) {
  /** @type {Map<string, Set<string>>} */
  const responses = new Map(QUERIES.map((query) => [query, new Set()]));
  let stopped = false;
  const querying = (async () => {
    for (let sent = 0; ; sent++) {
      if (stopped) return { responses, sent };
      const query = QUERIES[sent % QUERIES.length] ?? "";
      responses.get(query)?.add(await fetchReport(origin, query));
    }
  })();
  return {
    stop() {
      stopped = true;
      return querying;
    },
  };
}

/** Runs at least `ROUNDS_MIN` rounds of the load, with merging until few files are left. @param {string} folder @param {boolean} merges */
async function run(folder, merges) {
  const server = await startProgram(folder, merges ? {} : { SVC_COMPACT_AFTER_FILES: "0" });
  const queries = keepQuerying(server.origin);
  const startMs = performance.now();
  /** @type {import("./ingestion-load.mjs").LoadResult[]} */
  const rounds = [];
  const isAtWork = async () => rounds.length < ROUNDS_MIN || (merges && (await filesLeft(folder)) > FILES_LEFT_MAX);
  while (rounds.length < ROUNDS_MAX && (await isAtWork())) {
    rounds.push(await postEvents({ ...LOAD, origin: server.origin }));
    progress(`${await filesLeft(folder)} files, events waited ${milliseconds(rounds.at(-1)?.p99Ms ?? 0)} (p99)`);
  }
  const secs = (performance.now() - startMs) / 1000;
  const { responses, sent } = await queries.stop();
  await untilIdle(server);
  const { rss, peakRss } = await server.memory();
  await server.stop();
  return { rounds, secs, responses, sent, rss, peakRss, files: await filesLeft(folder) };
}

/** @typedef {Awaited<ReturnType<typeof run>>} Run */

/** @type {string[]} */
const wrong = [];

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const [still, merged] = [join(folder, "still"), join(folder, "merged")];
  await writeDay(still);
  await cp(still, merged, { recursive: true });
  const without = await run(still, false);
  const beside = await run(merged, true);
  const after = await startProgram(merged);
  for (const query of QUERIES) beside.responses.get(query)?.add(await fetchReport(after.origin, query));
  await after.stop();

  for (const query of QUERIES) {
    const [right, ...others] = new Set([...(without.responses.get(query) ?? []), ...(beside.responses.get(query) ?? [])]);
    if (right === undefined || others.length > 0) wrong.push(`${query} had ${others.length + 1} different responses`);
  }
  if (beside.files > FILES_LEFT_MAX) wrong.push(`${beside.files} files are left`);
  const takenMb = (beside.peakRss - without.peakRss) / 1024 / 1024;
  if (takenMb > MERGING_MB_MAX) wrong.push(`merging took ${whole(takenMb)} MiB`);
  const refused = [...without.rounds, ...beside.rounds].reduce((sum, { failed }) => sum + failed, 0);
  if (refused > 0) wrong.push(`${refused} events were not accepted`);

  const p99 = (/** @type {Run} */ { rounds }) => median(rounds.map(({ p99Ms }) => p99Ms));
  const row = (/** @type {string} */ name, /** @type {Run} */ done) => [
    name,
    `${Math.round(done.secs)} s`,
    whole(done.sent),
    milliseconds(p99(done)),
    milliseconds(Math.max(...done.rounds.map(({ maxMs }) => maxMs))),
    whole(done.files),
    mebibytes(done.rss),
    mebibytes(done.peakRss),
  ];
  printTable(
    `A day of ${whole(EVENTS)} events in ${whole(FILES)} files, ${whole(LOAD.rate)} events/s and queries without a pause; p99 ratio ${twoDecimals(p99(beside) / p99(without))}`,
    ["", "time", "responses", "p99", "longest", "files left", "resident", "peak resident"],
    [row("without merging", without), row("merging", beside)],
  );
});
for (const line of wrong) console.log(line);
if (wrong.length > 0) process.exitCode = 1;
