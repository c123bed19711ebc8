/**
 * Cost of an import of server logs: processor time and memory of the server from the upload to the last event, and latency of ingestion
 * meanwhile. The known baseline is what Node takes to cut the same file into lines and fields with a regular expression.
 *
 *   node test/bench/imports.mjs [lines] [distinct lines]
 *
 * With fewer distinct lines than lines, the log repeats them: 4,000,000 lines are about 1 GB.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { ask, logIn, PASSWORD, until, upload, writeLog } from "./import-load.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const LINES = Number(process.argv[2] ?? 1_000_000);
const DISTINCT = Math.min(LINES, Number(process.argv[3] ?? LINES));
const RATE = 200;
const CONNECTIONS = 32;
const ROUND_SECONDS = 5;

const COMBINED = /^(\S+) (\S+) (\S+) \[([^\]]+)\] "([A-Z]+) ([^ "]+) HTTP\/[\d.]+" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"$/;

/** Seconds of processor time of this process. @param {string} path */
async function baseline(path) {
  const before = process.cpuUsage();
  let matched = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) if (COMBINED.test(line)) matched++;
  const { user, system } = process.cpuUsage(before);
  if (matched !== LINES) throw new Error(`${matched} of ${LINES} lines match`);
  return (user + system) / 1_000_000;
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const path = join(folder, "access.log");
  await writeLog(path, LINES, DISTINCT);
  const { size } = await stat(path);
  progress(`${whole(LINES)} lines, ${mebibytes(size)}`);
  const baselineSecs = await baseline(path);
  const server = await startProgram(join(folder, "data"), { SVC_ADMIN_PASSWORD: PASSWORD });
  await logIn(server.origin);
  const load = { origin: server.origin, seconds: ROUND_SECONDS, connections: CONNECTIONS, rate: RATE, sites: ["live.test"] };
  await postEvents(load);
  await untilIdle(server);
  const alone = [await postEvents(load), await postEvents(load)];
  await untilIdle(server);
  const { rss: rssBefore } = await server.memory();

  /** @type {string[][]} */
  const costs = [["cut into fields by Node", baselineSecs.toFixed(1), "", twoDecimals(1)]];
  /** @type {string[][]} */
  const latencies = [latencyRow("alone", alone)];
  let totalSecs = 0;
  /** Without posts, so that their cost is not that of the import. @param {string} name @param {() => Promise<unknown>} work */
  async function phase(name, work) {
    const [cpuBefore, begunMs] = [await server.cpuSecs(), performance.now()];
    const result = await work();
    const secs = (await server.cpuSecs()) - cpuBefore;
    totalSecs += secs;
    costs.push([name, secs.toFixed(1), ((performance.now() - begunMs) / 1000).toFixed(1), twoDecimals(secs / baselineSecs)]);
    progress(`${name}: ${secs.toFixed(1)} s of processor time`);
    return result;
  }
  const url = /** @type {string} */ (await phase("upload", () => upload(`${server.origin}/api/imports`, path)));
  const ready = await phase("reading, until the manifest is ready", () => until(url, "ready"));
  await ask(`${url}/confirm`, "POST");
  const shown = await phase("running, until it is shown", () => until(url, "shown"));
  costs.push(["together", totalSecs.toFixed(1), "", twoDecimals(totalSecs / baselineSecs)]);
  const { peakRss } = await server.memory();
  printTable(
    `import of ${whole(LINES)} lines (${mebibytes(size)}), ${whole(shown.events)} events of ${ready.manifest.days} days; memory: ` +
      `${mebibytes(rssBefore)} before, ${mebibytes(peakRss)} at the peak`,
    ["", "processor s", "s", "to Node alone"],
    costs,
  );

  await ask(url, "DELETE");
  /** @param {string} name @param {() => Promise<unknown>} work */
  async function beside(name, work) {
    const ended = { value: false };
    const working = work().finally(() => (ended.value = true));
    const results = [];
    while (!ended.value) results.push(await postEvents(load));
    latencies.push(latencyRow(name, results));
    return working;
  }
  const again = /** @type {string} */ (await beside("during the upload", () => upload(`${server.origin}/api/imports`, path)));
  await beside("while it is read", () => until(again, "ready"));
  await ask(`${again}/confirm`, "POST");
  await beside("while it runs", () => until(again, "shown"));
  await server.stop();
  printTable(`POST /api/event at ${RATE}/s beside the same import, rounds of ${ROUND_SECONDS} s`, LATENCY_HEADS, latencies);
});
