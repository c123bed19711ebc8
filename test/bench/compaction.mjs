/**
 * A past day of very many events in very many files is merged while events come in and questions about it are asked: whether every
 * answer stays exact, how long events wait meanwhile, what the process holds, and how few files are left. The same load on the same
 * files with merging switched off is what it is compared with. Ends with code 1 when an answer differs, when files are left
 * unmerged, or when merging takes much more memory.
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

/** More than what a day of any size is merged into would have too many to read. */
const FILES_LEFT_MAX = FILES / 10;

/** Beside what the same load takes without merging: the files of a merge, two parts of them as values, and its thread's garbage. */
const MERGING_MB_MAX = 400;

const ROUNDS_MIN = 6;
const ROUNDS_MAX = 100;
const LOAD = { seconds: 5, connections: 32, rate: 1000, sites: ["other.test"] };
const QUESTIONS = ["main", "timeseries", "breakdown/pages", "goals", "sessions"];

/** @param {string} folder */
async function writeDay(folder) {
  const { encodeEvents } = await importSource("src/storage/parquet-events.ts");
  const { partitionKey } = await importSource("src/storage/partition-path.ts");
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

/** @param {string} origin @param {string} question @returns {Promise<string>} */
const answerTo = async (origin, question) =>
  JSON.stringify(await getJson(`${origin}/api/stats/${question}?site_id=${SITE}&start_date=${DAY}&end_date=${DAY}`));

/** Asks until `stop` is called; the answers to each question, each different one once. @param {string} origin */
function keepAsking(origin) {
  /** @type {Map<string, Set<string>>} */
  const answers = new Map(QUESTIONS.map((question) => [question, new Set()]));
  let stopped = false;
  const asking = (async () => {
    for (let asked = 0; ; asked++) {
      if (stopped) return { answers, asked };
      const question = QUESTIONS[asked % QUESTIONS.length] ?? "";
      answers.get(question)?.add(await answerTo(origin, question));
    }
  })();
  return {
    stop() {
      stopped = true;
      return asking;
    },
  };
}

/** Rounds of the load until as many are done, and until the files are few if they are to be. @param {string} folder @param {boolean} merges */
async function run(folder, merges) {
  const server = await startProgram(folder, merges ? {} : { SVC_COMPACT_AFTER_FILES: "0" });
  const questions = keepAsking(server.origin);
  const startMs = performance.now();
  /** @type {import("./ingestion-load.mjs").LoadResult[]} */
  const rounds = [];
  const isAtWork = async () => rounds.length < ROUNDS_MIN || (merges && (await filesLeft(folder)) > FILES_LEFT_MAX);
  while (rounds.length < ROUNDS_MAX && (await isAtWork())) {
    rounds.push(await postEvents({ ...LOAD, origin: server.origin }));
    progress(`${await filesLeft(folder)} files, events waited ${milliseconds(rounds.at(-1)?.p99Ms ?? 0)} (p99)`);
  }
  const secs = (performance.now() - startMs) / 1000;
  const { answers, asked } = await questions.stop();
  await untilIdle(server);
  const { rss, peakRss } = await server.memory();
  await server.stop();
  return { rounds, secs, answers, asked, rss, peakRss, files: await filesLeft(folder) };
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
  for (const question of QUESTIONS) beside.answers.get(question)?.add(await answerTo(after.origin, question));
  await after.stop();

  for (const question of QUESTIONS) {
    const [right, ...others] = new Set([...(without.answers.get(question) ?? []), ...(beside.answers.get(question) ?? [])]);
    if (right === undefined || others.length > 0) wrong.push(`${question} had ${others.length + 1} different answers`);
  }
  if (beside.files > FILES_LEFT_MAX) wrong.push(`${beside.files} files are left`);
  const takenMb = (beside.peakRss - without.peakRss) / 1024 / 1024;
  if (takenMb > MERGING_MB_MAX) wrong.push(`merging took ${whole(takenMb)} MiB`);
  const refused = [...without.rounds, ...beside.rounds].reduce((sum, { otherAnswers }) => sum + otherAnswers, 0);
  if (refused > 0) wrong.push(`${refused} events were not accepted`);

  const p99 = (/** @type {Run} */ { rounds }) => median(rounds.map(({ p99Ms }) => p99Ms));
  const row = (/** @type {string} */ name, /** @type {Run} */ done) => [
    name,
    `${Math.round(done.secs)} s`,
    whole(done.asked),
    milliseconds(p99(done)),
    milliseconds(Math.max(...done.rounds.map(({ maxMs }) => maxMs))),
    whole(done.files),
    mebibytes(done.rss),
    mebibytes(done.peakRss),
  ];
  printTable(
    `A day of ${whole(EVENTS)} events in ${whole(FILES)} files, ${whole(LOAD.rate)} events/s and questions without a pause; p99 ratio ${twoDecimals(p99(beside) / p99(without))}`,
    ["", "time", "answers", "p99", "longest", "files left", "resident", "at most"],
    [row("without merging", without), row("merging", beside)],
  );
});
for (const line of wrong) console.log(line);
if (wrong.length > 0) process.exitCode = 1;
