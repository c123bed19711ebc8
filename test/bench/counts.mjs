/**
 * Cost of the reports of dropped events and of what AI crawlers read over a year of which each day is as full as its limits allow: time and
 * processor time, the longest block of the event loop of the thread that accepts events, the wait of a second reader, and the latency of
 * events meanwhile. Beside them, in the same run: the same reports of one such day, and a filtered breakdown of the year.
 *
 *   node test/bench/counts.mjs [days] [--rounds 5] [--seconds 8] [--rate 500] [--paths same,other]
 *
 * Each day has 1,000 paths, each with five combinations of labels, a row for each name and reason, or name and status, without a path, and
 * 5,000 ids of batches.
 * `the same paths`: all days have the same. `other paths`: no two days have one in common, so that the sum of the range is pruned.
 */
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { buildBenchProgram, getJson, importSource, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { pathOf } from "./dashboard-view.mjs";
import { provideEvents, SITE } from "./generate-events.mjs";
import { compareIngestion, LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { duration, mebibytes, median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "8" },
    rate: { type: "string", default: "500" },
    paths: { type: "string", default: "same,other" },
  },
});
const [DAYS = 366] = positionals.map(Number);
const [ROUNDS, SECONDS, RATE] = [options.rounds, options.seconds, options.rate].map(Number);

const DAY_MS = 86_400_000;
const EVENTS = 200_000;
const PATHS = 1000;
const ROWS_OF_PATH = 5;

/** No request may run into a timeout. */
const ENVIRONMENT = { SVC_REQUEST_TIMEOUT_SECS: "3600" };

const dayBefore = (/** @type {number} */ days) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const RANGE = { start_date: dayBefore(DAYS), end_date: dayBefore(1) };
const ONE_DAY = { start_date: dayBefore(1), end_date: dayBefore(1) };

const { BATCHES_MAX, CRAWLS, countFileOf, DayCounts, DROPPED, encodeCounts } = await importSource("src/storage/day-counts.ts");
const { AI_CRAWLERS } = await importSource("src/runtime/bots/ai-crawlers.ts");
const { DROP_REASONS } = await importSource("src/runtime/bots/drop-reasons.ts");

/** The number of names on the list of known bots. */
const NAMES = Array.from({ length: 140 }, (_, i) => AI_CRAWLERS[i]?.name ?? `Bot ${i}`);

const STATUSES = ["200", "301", "304", "403", "404", "410", "500", "503", ""];

/** All labels of each kind. @type {Readonly<Record<string, { kind: any, labels: readonly (readonly string[])[] }>>} */
const KINDS = {
  dropped: {
    kind: DROPPED,
    labels: DROP_REASONS.flatMap((/** @type {string} */ reason) =>
      reason === "bot" ? NAMES.map((name) => [reason, name]) : [[reason, ""]],
    ),
  },
  crawls: {
    kind: CRAWLS,
    labels: AI_CRAWLERS.flatMap((/** @type {{ name: string }} */ { name }) => STATUSES.map((status) => [name, status, ""])),
  },
};

/** @param {readonly (readonly string[])[]} labels @param {string} section */
function* rowsOfDay(labels, section) {
  for (let i = 0; i < PATHS; i++) {
    const path = `/${section}/${i}/a-title-of-usual-length`;
    for (let j = 0; j < ROWS_OF_PATH; j++) yield { labels: labels[(i * 7 + j) % labels.length], path, count: PATHS - i + j, missed: 3 };
  }
  for (const each of labels) yield { labels: each, path: null, count: 5, missed: 3 };
}

/** Writes full days. @param {string} folder @param {boolean} isSame whether all have the same paths */
async function writeCounts(folder, isSame) {
  let bytes = 0;
  for (const { kind, labels } of Object.values(KINDS)) {
    for (let day = 1; day <= DAYS; day++) {
      const date = dayBefore(day);
      const counts = DayCounts.from(rowsOfDay(labels, isSame ? "articles" : `articles-${day}`));
      // Ids of batches are 24 hexadecimal digits.
      if (kind === CRAWLS) for (let i = 0; i < BATCHES_MAX; i++) counts.noteBatch((day * BATCHES_MAX + i).toString(16).padStart(24, "a"));
      const content = await encodeCounts(kind, date, counts);
      const file = join(folder, countFileOf(kind, SITE, date, 0).key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      bytes += content.length;
    }
  }
  progress(`wrote ${mebibytes(bytes)} of counts`);
}

/** @param {import("./bench-server.mjs").BenchProcess} server @param {string} file */
async function longestBlock({ pid }, file) {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(file)) await setTimeout(5);
  return Number(await readFile(file, "utf8"));
}

/**
 * Time, processor time and the longest block of one request.
 * @param {import("./bench-server.mjs").BenchProcess} server @param {string} file @param {string} path
 */
async function costOf(server, file, path) {
  await untilIdle(server);
  await longestBlock(server, file);
  const before = await server.cpuSecs();
  const startMs = performance.now();
  await getJson(server.origin + path);
  const ms = performance.now() - startMs;
  return { ms, cpuMs: ((await server.cpuSecs()) - before) * 1000, blockMs: await longestBlock(server, file) };
}

/** @typedef {Awaited<ReturnType<typeof costOf>>} Cost */

/** Medians, and the longest block of all. @param {readonly Cost[]} costs */
const summary = (costs) => ({
  ms: median(costs.map(({ ms }) => ms)),
  cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
  blockMs: Math.max(...costs.map(({ blockMs }) => blockMs)),
});

/** What a reader waits who asks when another one has just asked. @param {string} origin @param {string} path */
async function secondReaderMs(origin, path) {
  const first = getJson(origin + path);
  await setTimeout(50);
  const startMs = performance.now();
  await getJson(origin + path.replace(`end_date=${RANGE.end_date}`, `end_date=${RANGE.end_date}&limit=20`));
  const ms = performance.now() - startMs;
  await first;
  return ms;
}

/** Asks for the report without a pause until `stop` is called. @param {string} origin @param {string} path */
function keepAsking(origin, path) {
  let isStopped = false;
  const asking = (async () => {
    for (let responses = 0; ; responses++) {
      if (isStopped) return responses;
      await getJson(origin + path);
    }
  })();
  return {
    stop() {
      isStopped = true;
      return asking;
    },
  };
}

await buildBenchProgram();
for (const isSame of options.paths.split(",").map((paths) => paths === "same")) {
  await withTempFolder(async (folder) => {
    const data = join(folder, "data");
    const file = join(folder, "block");
    await provideEvents(data, EVENTS, DAYS);
    await writeCounts(data, isSame);
    const preload = fileURLToPath(new URL("loop-blocks.mjs", import.meta.url));
    const server = await startProgram(data, { ...ENVIRONMENT, NODE_OPTIONS: `--import=${preload}`, BENCH_LOOP_FILE: file });
    const breakdown = pathOf("breakdown/pages", { ...RANGE, filters: "countries!=ZZ" });
    await costOf(server, file, breakdown);
    const rows = [];
    const latencies = [];
    for (const name of Object.keys(KINDS)) {
      const [day, year] = [pathOf(name, ONE_DAY), pathOf(name, RANGE)];
      const first = await costOf(server, file, year);
      /** @type {Record<"day" | "year" | "breakdown", Cost[]>} */
      const costs = { day: [], year: [], breakdown: [] };
      for (let round = 1; round <= ROUNDS; round++) {
        for (const [key, path] of /** @type {const} */ ([
          ["day", day],
          ["year", year],
          ["breakdown", breakdown],
        ])) {
          costs[key].push(await costOf(server, file, path));
        }
        progress(`${name}, round ${round}: ${duration(costs.year.at(-1)?.ms ?? 0)}`);
      }
      const [ofDay, ofYear, ofBreakdown] = [summary(costs.day), summary(costs.year), summary(costs.breakdown)];
      await untilIdle(server);
      const secondMs = await secondReaderMs(server.origin, year);
      /** @param {string} what @param {Cost} cost */
      const row = (what, { ms, cpuMs, blockMs }) => [
        ...[`${name}, ${what}`, duration(ms), duration(cpuMs), milliseconds(blockMs)],
        ...[whole(ms / ofDay.ms), twoDecimals(ms / ofBreakdown.ms)],
      ];
      rows.push(
        row(`${DAYS} days, first`, first),
        row(`${DAYS} days`, ofYear),
        [`${name}, a second reader`, duration(secondMs), "", "", whole(secondMs / ofDay.ms), twoDecimals(secondMs / ofBreakdown.ms)],
        row("one day", ofDay),
        row("a filtered breakdown", ofBreakdown),
      );
      const load = { origin: server.origin, seconds: SECONDS, rate: RATE, connections: 32, sites: [SITE] };
      const { alone, beside, ratio, responses } = await compareIngestion(server, load, 3, () => keepAsking(server.origin, year));
      latencies.push(latencyRow(`alone`, alone), latencyRow(`beside ${name}`, beside));
      progress(`${name}: p99 ${twoDecimals(ratio)} times that alone; ${responses.join(", ")} responses`);
    }
    const what = `${DAYS} full days with ${isSame ? "the same" : "other"} paths`;
    printTable(what, ["report", "time", "processor time", "longest block", "of one day", "of the breakdown"], rows);
    printTable(`events at ${RATE} a second, ${what}`, LATENCY_HEADS, latencies);
    process.stdout.write(`peak memory ${mebibytes((await server.memory()).peakRss)}\n`);
    await server.stop();
  });
}
