/**
 * Cost of an import of server logs: processor time and memory of the server from the upload to the last event, and latency of ingestion
 * meanwhile. The known baseline is what Node takes to cut the same file into lines and fields with a regular expression.
 *
 *   node test/bench/imports.mjs [lines] [distinct lines]
 *
 * With fewer distinct lines than lines, the log repeats them: 4,000,000 lines are about 1 GB.
 */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { numbersFrom } from "../support/seeded-numbers.mjs";
import { buildBenchProgram, startProgram, untilIdle, withTempFolder } from "./bench-server.mjs";
import { postEvents } from "./ingestion-load.mjs";
import { LATENCY_HEADS, latencyRow } from "./ingestion-latency.mjs";
import { mebibytes, printTable, progress, twoDecimals, whole } from "./table.mjs";

const LINES = Number(process.argv[2] ?? 1_000_000);
const DISTINCT = Math.min(LINES, Number(process.argv[3] ?? LINES));
const DAYS = 90;
const SITE = "imported.test";
const PASSWORD = "a long password of the benchmark";

const RATE = 200;
const CONNECTIONS = 32;
const ROUND_SECONDS = 5;

const PART_BYTES = 8 * 1024 * 1024;
const LOOK_MS = 200;

const FIRST_MS = Date.parse("2026-03-01T00:00:00Z");
const DAY_MS = 86_400_000;
const PAGES = 3_000;
const VISITORS = 100_000;

/** Of a hundred requests, 30 are for pages, 60 for what they consist of, and the rest is left out for other reasons. */
const PAGE_SHARE = 0.3;
const FILE_SHARE = 0.9;

const BROWSERS = 2_000;

/** User-Agents as logs have them: many versions of few browsers. @param {number} n */
const userAgentOf = (n) =>
  n % 3 === 0
    ? `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${90 + (n % 50)}.0.${n}.0 Safari/537.36`
    : n % 3 === 1
      ? `Mozilla/5.0 (iPhone; CPU iPhone OS 17_${n % 7} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${n} Mobile/15E148 Safari/604.1`
      : `Mozilla/5.0 (X11; Linux x86_64; rv:${100 + (n % 40)}.0) Gecko/20100101 Firefox/${100 + (n % 40)}.${n}`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** @param {number} atMs */
function timeOf(atMs) {
  const at = new Date(atMs).toISOString();
  return `${at.slice(8, 10)}/${MONTHS[Number(at.slice(5, 7)) - 1]}/${at.slice(0, 4)}:${at.slice(11, 19)} +0000`;
}

/** @param {number} i @param {() => number} random */
function lineOf(i, random) {
  const visitor = Math.floor(VISITORS * random());
  const address = `203.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`;
  const kind = random();
  const path =
    kind < PAGE_SHARE
      ? `/articles/${Math.floor(PAGES * random() ** 3)}/a-title-of-usual-length${random() < 0.1 ? "?utm_source=newsletter&utm_medium=email" : ""}`
      : `/assets/${Math.floor(200 * random())}/main.${kind < FILE_SHARE ? "js" : "html"}`;
  const [method, status] = kind < FILE_SHARE ? ["GET", 200] : kind < 0.95 ? ["POST", 200] : ["GET", 404];
  const referrer = random() < 0.3 ? `https://www.source-${Math.floor(50 * random() ** 3)}.example/search` : "-";
  const atMs = FIRST_MS + Math.floor((i / DISTINCT) * DAYS * DAY_MS);
  return `${address} - - [${timeOf(atMs)}] "${method} ${path} HTTP/1.1" ${status} ${Math.floor(50_000 * random())} "${referrer}" "${userAgentOf(visitor % BROWSERS)}"\n`;
}

/** @param {string} path */
async function writeLog(path) {
  const file = await open(path, "w");
  for (let written = 0; written < LINES;) {
    // The same for each repetition.
    const random = numbersFrom(7);
    for (let from = 0; from < DISTINCT && written < LINES; from += 10_000) {
      const count = Math.min(10_000, DISTINCT - from, LINES - written);
      await file.write(Array.from({ length: count }, (_, i) => lineOf(from + i, random)).join(""));
      written += count;
    }
  }
  await file.close();
}

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

/** The session of the only caller. @type {Record<string, string>} */
const headers = {};

/** @param {string} origin */
async function logIn(origin) {
  const { token } = await ask(`${origin}/api/auth/login`, "POST", JSON.stringify({ password: PASSWORD }));
  Object.assign(headers, { cookie: `svc_session=${token}`, origin });
}

/** @param {string} url @param {string} [method] @param {Uint8Array | string} [body] */
async function ask(url, method = "GET", body) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** @param {string} imports @param {string} path @returns {Promise<string>} where the import is */
async function upload(imports, path) {
  const { size } = await stat(path);
  const { import_id: id } = await ask(imports, "POST", JSON.stringify({ site_id: SITE, files: [{ name: "access.log", bytes: size }] }));
  const file = await open(path, "r");
  const part = Buffer.alloc(PART_BYTES);
  for (let offset = 0; offset < size; offset += PART_BYTES) {
    const { bytesRead } = await file.read(part, 0, PART_BYTES, offset);
    await ask(`${imports}/${id}/files/0?offset=${offset}`, "PUT", part.subarray(0, bytesRead));
  }
  await file.close();
  return `${imports}/${id}`;
}

/** @param {string} url @param {string} state */
async function until(url, state) {
  for (;;) {
    const found = await ask(url);
    if (found.state === state) return found;
    if (found.state === "failed") throw new Error(found.failure);
    await setTimeout(LOOK_MS);
  }
}

await buildBenchProgram();
await withTempFolder(async (folder) => {
  const path = join(folder, "access.log");
  await writeLog(path);
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
