/**
 * workerd compared with Node: ingestion, the main queries, and memory.
 *
 *   node test/bench/workerd.mjs [rounds] [seconds per round] [events]
 *
 * Both read the same events from files; workerd has them in its bucket on the same disk, and caches what its default of
 * `engine_memory_mb` allows. Requests go directly to the Worker, not through the development server.
 */
import { join } from "node:path";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { buildBenchProgram, getJson, startProgram, withTempFolder } from "./bench-server.mjs";
import { DAYS, SITE, provideEvents } from "./generate-events.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { mebibytes, median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";
import { fillBucket, startWorkerd, WORKER_FOLDER } from "./workerd-process.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 4);
const EVENTS = Number(process.argv[4] ?? 500_000);
const CONNECTIONS = 32;
const DAY_MS = 86_400_000;

const dayOf = (/** @type {number} */ ms) => new Date(ms).toISOString().slice(0, 10);
const RANGE = `site_id=${SITE}&start_date=${dayOf(Date.now() - DAYS * DAY_MS)}&end_date=${dayOf(Date.now() - DAY_MS)}`;
const QUERIES = ["main", "timeseries", "breakdown/pages", "breakdown/cities", "goals"];

await buildBenchProgram();
await buildWorker(WORKER_FOLDER);
await withTempFolder(async (folder) => {
  const dataFolder = join(folder, "node");
  await provideEvents(dataFolder, EVENTS);
  const program = await startProgram(dataFolder);
  const node = { name: "node", origin: program.origin, rss: async () => (await program.memory()).rss, stop: () => program.stop() };
  const workerd = await startWorkerd({ folder: join(folder, "workerd") });
  await fillBucket(workerd.miniflare, dataFolder);
  const contenders = [node, workerd];

  /** @type {Map<string, number[]>} */
  const memory = new Map(contenders.map(({ name }) => [name, []]));
  const lookAtMemory = async () => {
    for (const { name, rss } of contenders) memory.get(name)?.push(await rss());
  };
  for (const { origin } of contenders) await (await fetch(`${origin}/health`)).text();
  await lookAtMemory();
  for (const { origin } of contenders) await (await fetch(`${origin}/health/ready`)).text();
  await lookAtMemory();

  /** @type {string[][]} */
  const queryRows = [];
  for (const query of QUERIES) {
    /** @type {Map<string, number[]>} */
    const ms = new Map(contenders.map(({ name }) => [name, []]));
    const responses = new Set();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { name, origin } of contenders) {
        const startMs = performance.now();
        responses.add(JSON.stringify(await getJson(`${origin}/api/stats/${query}?${RANGE}`)));
        ms.get(name)?.push(performance.now() - startMs);
      }
    }
    if (responses.size !== 1) throw new Error(`${query}: the responses of node and workerd differ`);
    const [first, rest] = [
      (/** @type {string} */ name) => ms.get(name)?.[0] ?? 0,
      (/** @type {string} */ name) => median(ms.get(name)?.slice(1) ?? []),
    ];
    progress(query);
    queryRows.push([
      query,
      milliseconds(first("node")),
      milliseconds(first("workerd")),
      milliseconds(rest("node")),
      milliseconds(rest("workerd")),
      twoDecimals(rest("workerd") / rest("node")),
    ]);
  }
  await lookAtMemory();

  /** @type {Map<string, { perSecond: number[], p99Ms: number[] }>} */
  const ingestion = new Map(contenders.map(({ name }) => [name, { perSecond: [], p99Ms: [] }]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { name, origin } of contenders) {
      const result = await postEvents({ origin, seconds: SECONDS, connections: CONNECTIONS, sites: ["one.test", "two.test"] });
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
      progress(`round ${round}, ${name}: ${whole(result.perSecond)} requests/s`);
      if (round === 0) continue;
      ingestion.get(name)?.perSecond.push(result.perSecond);
      ingestion.get(name)?.p99Ms.push(result.p99Ms);
    }
  }
  await lookAtMemory();
  for (const { stop } of contenders) await stop();

  printTable(
    `queries of ${whole(EVENTS)} events of ${DAYS} days: the first response, and the median of ${ROUNDS} more`,
    ["", "node, first", "workerd, first", "node", "workerd", "ratio"],
    queryRows,
  );
  printTable(
    `POST /api/event, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${SECONDS} s`,
    ["", "requests/s", "p99"],
    [...ingestion].map(([name, { perSecond, p99Ms }]) => [name, whole(median(perSecond)), milliseconds(median(p99Ms))]),
  );
  printTable(
    "resident memory of the whole process",
    ["", "started", "engine up", "after the queries", "after ingestion"],
    [...memory].map(([name, samples]) => [name, ...samples.map(mebibytes)]),
  );
});
