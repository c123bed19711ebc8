/**
 * Ingestion throughput of one process, compared with an empty handler: the same program with its routes, limits, headers and
 * counters, but an event handler that only parses the JSON. And compared with the bare HTTP stack, which routes the request, parses
 * the JSON and responds, without anything that the program does for every request.
 *
 *   node test/bench/ingestion.mjs [rounds] [seconds per round]
 *
 * All take turns in each round, so that other load of the machine affects all of them. Ratios are by requests per second, and by
 * CPU time per request, which other programs disturb less. Target: at least 0.5 of the empty handler, by requests per second,
 * with the journal's default sync mode.
 */
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import {
  buildBenchProgram,
  buildEmptyProgram,
  startEmptyProgram,
  startProgram,
  startScript,
  untilIdle,
  withTempFolder,
} from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { median, milliseconds, printTable, progress, twoDecimals, whole } from "./table.mjs";

const ROUNDS = Number(process.argv[2] ?? 5);
const SECONDS = Number(process.argv[3] ?? 4);
const WARM_UP_SECONDS = 3;
const CONNECTIONS = 32;
const SITES = ["one.test", "two.test", "three.test", "four.test"];
const TARGET = 0.5;

const EMPTY = "empty handler";
const BARE = "bare HTTP stack";

await buildBenchProgram();
await buildEmptyProgram();
await withTempFolder(async (folder) => {
  const contenders = [
    { name: BARE, server: await startScript([fileURLToPath(new URL("empty-server.mjs", import.meta.url))]) },
    { name: EMPTY, server: await startEmptyProgram(join(folder, "empty")) },
  ];
  for (const mode of ["off", "interval", "always"]) {
    contenders.push({ name: `journal_fsync = ${mode}`, server: await startProgram(join(folder, mode), { SVC_JOURNAL_FSYNC: mode }) });
  }
  /** @type {Map<string, { perSecond: number[], p99Ms: number[], cpuMicros: number[] }>} */
  const samples = new Map(contenders.map(({ name }) => [name, { perSecond: [], p99Ms: [], cpuMicros: [] }]));

  for (let round = 0; round <= ROUNDS; round++) {
    const isWarmUp = round === 0;
    for (const { name, server } of contenders) {
      const cpuBefore = await server.cpuSecs();
      const load = { origin: server.origin, seconds: isWarmUp ? WARM_UP_SECONDS : SECONDS, connections: CONNECTIONS, sites: SITES };
      const result = await postEvents(load);
      // The CPU time of the remaining flushes belongs to the requests of this round.
      await untilIdle(server);
      if (result.failed > 0) throw new Error(`${name}: ${result.failed} requests failed`);
      progress(
        `${isWarmUp ? "warm-up" : `round ${round}`}, ${name}: ${whole(result.perSecond)} requests/s, p99 ${milliseconds(result.p99Ms)}`,
      );
      if (isWarmUp) continue;
      const sample = samples.get(name);
      sample?.perSecond.push(result.perSecond);
      sample?.p99Ms.push(result.p99Ms);
      sample?.cpuMicros.push((((await server.cpuSecs()) - cpuBefore) * 1_000_000) / result.accepted);
    }
  }
  for (const { server } of contenders) await server.stop();

  const empty = samples.get(EMPTY) ?? { perSecond: [], cpuMicros: [] };
  const bare = samples.get(BARE) ?? { perSecond: [], cpuMicros: [] };
  /** The median of the ratios within each round, whose two values are measured within seconds of each other. */
  const ratio = (/** @type {number[]} */ above, /** @type {number[]} */ below) =>
    median(above.map((value, i) => value / (below[i] ?? Number.NaN)));
  const rows = [...samples].map(([name, { perSecond, p99Ms, cpuMicros }]) => [
    name,
    whole(median(perSecond)),
    twoDecimals(ratio(perSecond, empty.perSecond)),
    twoDecimals(ratio(perSecond, bare.perSecond)),
    milliseconds(median(p99Ms)),
    `${median(cpuMicros).toFixed(1)} µs`,
    twoDecimals(ratio(empty.cpuMicros, cpuMicros)),
    twoDecimals(ratio(bare.cpuMicros, cpuMicros)),
  ]);
  printTable(
    `POST /api/event, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${SECONDS} s; target ${TARGET} with interval`,
    ["", "requests/s", "of empty", "of bare", "p99", "processor time a request", "of empty", "of bare"],
    rows,
  );
});
