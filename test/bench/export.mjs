/**
 * Cost of a raw export of a million events: time, memory of the server, and latency of ingestion during the export.
 *
 *   node test/bench/export.mjs [events] [csv|json ...]
 *
 * Files of a site are written as the program writes them, then the built program is restarted for each format.
 * Events are posted at a steady rate before and during the export, with latency measured from the due time.
 */
import { Agent, get, request } from "node:http";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { buildBenchProgram, startProgram, withTempFolder } from "./bench-server.mjs";
import { DAYS, EVENTS, SITE, provideEvents } from "./generate-events.mjs";
import { mebibytes, progress, whole } from "./table.mjs";
import { USER_AGENT } from "./watched-load.mjs";

const POSTS_PER_SEC = 200;
const QUIET_MS = 5_000;

const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Posts at a steady rate until stopped; `take` returns the latencies since the last call. */
function startPosting(origin) {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const body = JSON.stringify({ d: SITE, n: "pageview", u: `https://${SITE}/live` });
  let delaysMs = [];
  let due = performance.now();
  let refused = 0;
  const post = (dueMs) => {
    const sent = request(
      `${origin}/api/event`,
      { agent, method: "POST", headers: { "content-length": body.length, "user-agent": USER_AGENT } },
      (response) => {
        if (response.statusCode !== 202) refused++;
        response.resume().once("end", () => delaysMs.push(performance.now() - dueMs));
      },
    );
    sent.once("error", () => refused++);
    sent.end(body);
  };
  const timer = setInterval(() => {
    for (; due <= performance.now(); due += 1000 / POSTS_PER_SEC) post(due);
  }, 1);
  return {
    take() {
      const taken = delaysMs.sort((a, b) => a - b);
      delaysMs = [];
      return taken;
    },
    stop() {
      clearInterval(timer);
      agent.destroy();
      return refused;
    },
  };
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
const described = (delays) =>
  `p50 ${quantile(delays, 0.5).toFixed(1)} ms, p99 ${quantile(delays, 0.99).toFixed(1)} ms, max ${quantile(delays, 1).toFixed(1)} ms (${delays.length} posts)`;

/** Downloads in a separate thread, so that reading the file does not delay the posts. */
function download(url) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { url } });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function downloadHere(url) {
  const begunMs = performance.now();
  get(url, (response) => {
    const headersMs = performance.now() - begunMs;
    let bytes = 0;
    let lines = 0;
    response.on("data", (chunk) => {
      bytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
    });
    response.once("end", () => {
      const announced = Number(response.headers["content-length"]);
      parentPort.postMessage({ status: response.statusCode, headersMs, totalMs: performance.now() - begunMs, bytes, lines, announced });
    });
  });
}

/** @param {string} dataFolder @param {string} format @param {number} count */
async function measure(dataFolder, format, count) {
  const server = await startProgram(dataFolder);
  try {
    const posting = startPosting(server.origin);
    await wait(1000);
    posting.take();
    await wait(QUIET_MS);
    const before = posting.take();
    const { rss: rssBefore } = await server.memory();
    const url = `${server.origin}/api/stats/export?site_id=${SITE}&kind=raw&format=${format}&limit=${count}&period=90d`;
    for (const name of ["cold", "warm"]) {
      posting.take();
      const cpuBefore = await server.cpuSecs();
      const { status, headersMs, totalMs, bytes, lines, announced } = await download(url);
      const cpuSecs = (await server.cpuSecs()) - cpuBefore;
      const during = posting.take();
      console.log(
        `${format}, ${name}: status ${status}, ${mebibytes(bytes)} in ${whole(lines)} lines, ` +
          `${(headersMs / 1000).toFixed(2)} s to the first byte, ${(totalMs / 1000).toFixed(2)} s to the last, ${cpuSecs.toFixed(1)} s of processor time` +
          (Number.isNaN(announced) || announced === bytes ? "" : `; announced were ${announced} bytes, ${bytes} came`),
      );
      console.log(`  posting during it: ${described(during)}`);
      console.log(`  memory: ${mebibytes(rssBefore)} before, ${mebibytes((await server.memory()).peakRss)} at the peak`);
    }
    console.log(`  posting before: ${described(before)}; refused: ${posting.stop()}`);
    await wait(3000);
    console.log(`  memory 3 s later: ${mebibytes((await server.memory()).rss)}`);
  } finally {
    await server.stop();
  }
}

async function run() {
  const count = Number(process.argv[2] ?? EVENTS);
  const formats = process.argv.length > 3 ? process.argv.slice(3) : ["csv", "json"];
  await buildBenchProgram();
  for (const format of formats) {
    await withTempFolder(async (folder) => {
      await provideEvents(folder, count, DAYS, "many");
      progress(`${whole(count)} events of ${DAYS} days with many texts; ${POSTS_PER_SEC} posts a second`);
      await measure(folder, format, count);
    });
  }
}

if (isMainThread) await run();
else downloadHere(workerData.url);
