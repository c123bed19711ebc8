/**
 * How long events wait while heavy questions are answered, next to how long they wait otherwise.
 *
 *   node test/bench/ingestion-under-queries.mjs [rounds] [seconds a round] [events a second]
 *
 * Questions about a million events run back to back in every second stretch of a round. Target: the p99 at most 3 times.
 */
import { buildBenchProgram, getJson, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { SITE, provideEvents } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 5);
const RATE = Number(process.argv[4] ?? 2000);
const CONNECTIONS = 32;
const QUESTIONS = ["main", "timeseries", "breakdown/pages", "breakdown/cities", "goals"];

/** @param {string} origin */
function askWithoutPause(origin) {
  let asking = true;
  let answers = 0;
  const ended = (async () => {
    for (let i = 0; asking; i++) {
      await getJson(`${origin}/api/stats/${QUESTIONS[i % QUESTIONS.length]}?site_id=${SITE}&period=30d`);
      answers++;
    }
  })();
  return async () => {
    asking = false;
    await ended;
    return answers;
  };
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  await provideEvents(folder);
  const server = await startProgram(folder);
  await getJson(`${server.origin}/api/stats/main?site_id=${SITE}&period=30d`);
  const load = { origin: server.origin, seconds: SECONDS, connections: CONNECTIONS, rate: RATE, sites: ["live.test"] };
  await postEvents(load);
  const quiet = [];
  const busy = [];
  let answers = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    await untilIdle(server);
    quiet.push((await postEvents(load)).p99Ms);
    const stopAsking = askWithoutPause(server.origin);
    busy.push((await postEvents(load)).p99Ms);
    answers += await stopAsking();
    progress(`round ${round}: p99 ${quiet.at(-1)} ms alone, ${busy.at(-1)} ms beside questions`);
  }
  await server.stop();
  printTable(
    `POST /api/event at ${whole(RATE)} a second, medians of ${ROUNDS} rounds of ${SECONDS} s, ${answers} questions answered; target 3`,
    ["p99 alone", "p99 beside questions", "ratio"],
    [[milliseconds(median(quiet)), milliseconds(median(busy)), twoDecimals(median(busy.map((ms, i) => ms / (quiet[i] ?? Number.NaN))))]],
  );
});
