/**
 * What a raw export of a million events costs: time, the server's memory, and how long ingestion waits meanwhile.
 *
 *   node test/bench/export.mjs [events] [csv|json ...]
 *
 * Files of a site are written as the program writes them, then the built program is started afresh for each format.
 * Events are posted at a steady rate before and during the export, each timed from the moment it was due.
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, get, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { build } from "esbuild";
import { buildProgram } from "../../adapters/node/build.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const BUILT_FOLDER = "test/.built/bench";
const SITE = "bench.test";
const DAYS = 30;
const DAY_MS = 86_400_000;
const POSTS_PER_SEC = 200;
const QUIET_MS = 5_000;
const USER_AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const mebibytes = (bytes) => Math.round(bytes / 1024 / 1024);

/** The same numbers on every run, from 0 to below 1. */
function numbersFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How the program writes its files. */
async function loadStorage() {
  const outfile = join(root, BUILT_FOLDER, "storage.mjs");
  await build({
    stdin: {
      contents: 'export { encodeEvents } from "./parquet-events.ts"; export { partitionKey } from "./partition-path.ts";',
      resolveDir: join(root, "src/storage"),
      loader: "ts",
    },
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

/** An event of a mid-sized site: few pages get most views, one in ten carries properties, one in a hundred money. */
function eventAt(timestampMs, random) {
  const often = (count) => Math.floor(count * random() ** 3);
  const pick = (values) => values[often(values.length)];
  const referred = random() < 0.6;
  const source = often(400);
  const tagged = random() < 0.15;
  const isGoal = random() < 0.1;
  const paid = isGoal && random() < 0.1;
  return {
    siteId: SITE,
    timestampMs,
    visitorId: BigInt.asUintN(64, BigInt(often(400_000)) * 0x9e3779b97f4a7c15n),
    eventName: isGoal ? pick(["Signup", "Download", "Outbound Link: Click", "Purchase"]) : "pageview",
    pathname: `/articles/${often(5000)}/a-title-of-usual-length`,
    hostname: SITE,
    referrer: referred ? `https://www.source-${source}.example/search/results/${often(5000)}` : null,
    referrerSource: referred ? `source-${source}.example` : null,
    countryCode: pick(["US", "DE", "GB", "FR", "IN", "BR", "JP", "CA", "NL", "PL"]),
    region: null,
    city: null,
    browser: pick(["Chrome", "Safari", "Firefox", "Edge"]),
    browserVersion: String(110 + often(20)),
    os: pick(["Windows", "iOS", "macOS", "Android", "Linux"]),
    osVersion: String(10 + often(8)),
    deviceType: pick(["desktop", "mobile", "tablet"]),
    screenSize: String(360 + 40 * often(60)),
    utmSource: tagged ? pick(["newsletter", "social", "ads"]) : null,
    utmMedium: tagged ? pick(["email", "cpc"]) : null,
    utmCampaign: tagged ? `campaign-${often(50)}` : null,
    utmContent: null,
    utmTerm: null,
    props: isGoal ? JSON.stringify({ plan: pick(["free", "pro"]), id: Math.floor(random() * 1e6) }) : null,
    revenueCents: paid ? Math.floor(random() * 20_000) - 1000 : null,
    currency: paid ? "EUR" : null,
  };
}

/** A file for each of the days before today. */
async function writeEvents(dataFolder, count) {
  const { encodeEvents, partitionKey } = await loadStorage();
  const random = numbersFrom(7);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let bytes = 0;
  for (let day = 0; day < DAYS; day++) {
    const startMs = today - (DAYS - day) * DAY_MS;
    const events = Math.floor(((day + 1) * count) / DAYS) - Math.floor((day * count) / DAYS);
    const times = Array.from({ length: events }, () => startMs + Math.floor(random() * DAY_MS)).sort((a, b) => a - b);
    const file = encodeEvents(times.map((timestampMs) => eventAt(timestampMs, random)));
    const path = join(dataFolder, partitionKey(SITE, new Date(startMs).toISOString().slice(0, 10), day + 1, day + 1));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, file);
    bytes += file.length;
  }
  return { bytes, firstDay: new Date(today - DAYS * DAY_MS).toISOString().slice(0, 10), lastDay: new Date(today).toISOString().slice(0, 10) };
}

async function startServer(dataFolder) {
  const child = spawn(process.execPath, [join(root, BUILT_FOLDER, "main.js")], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { SVC_PORT: "0", SVC_DATA_DIR: dataFolder },
  });
  let printed = "";
  const origin = await new Promise((resolve, reject) => {
    const look = (chunk) => {
      printed += chunk;
      const match = /listens on (http:\S+)/.exec(printed);
      if (match) resolve(match[1]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.once("exit", () => reject(new Error(`the program ended:\n${printed}`)));
  });
  const status = async (name) => {
    const text = await readFile(`/proc/${child.pid}/status`, "utf8");
    return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1024;
  };
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.once("exit", resolve);
      child.kill("SIGTERM");
    });
  return { origin, status, stop };
}

/** Posts on and on at a steady rate; `take` gives the delays since it was last called. */
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

/** In a thread of its own, so that taking the file in does not hold up the posts. */
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

async function measure(dataFolder, { firstDay, lastDay }, format, count) {
  const server = await startServer(dataFolder);
  try {
    const posting = startPosting(server.origin);
    await wait(1000);
    posting.take();
    await wait(QUIET_MS);
    const before = posting.take();
    const rssBefore = await server.status("VmRSS");
    const url = `${server.origin}/api/stats/export?site_id=${SITE}&kind=raw&format=${format}&limit=${count}&start_date=${firstDay}&end_date=${lastDay}`;
    for (const name of ["cold", "warm"]) {
      posting.take();
      const { status, headersMs, totalMs, bytes, lines, announced } = await download(url);
      const during = posting.take();
      console.log(
        `${format}, ${name}: status ${status}, ${mebibytes(bytes)} MiB in ${lines} lines, ` +
          `${(headersMs / 1000).toFixed(2)} s to the first byte, ${(totalMs / 1000).toFixed(2)} s to the last` +
          (announced === bytes ? "" : `; announced were ${announced} bytes, ${bytes} came`),
      );
      console.log(`  posting during it: ${described(during)}`);
      console.log(`  memory: ${mebibytes(rssBefore)} MiB before, ${mebibytes(await server.status("VmHWM"))} MiB at the peak`);
    }
    console.log(`  posting before: ${described(before)}; refused: ${posting.stop()}`);
    await wait(3000);
    console.log(`  memory 3 s later: ${mebibytes(await server.status("VmRSS"))} MiB`);
  } finally {
    await server.stop();
  }
}

async function run() {
  const count = Number(process.argv[2] ?? 1_000_000);
  const formats = process.argv.length > 3 ? process.argv.slice(3) : ["csv", "json"];
  await buildProgram(BUILT_FOLDER);
  const dataFolder = await mkdtemp(join(tmpdir(), "sandpiper-bench-"));
  try {
    const range = await writeEvents(dataFolder, count);
    console.log(`${count} events in ${DAYS} files, ${mebibytes(range.bytes)} MiB; ${POSTS_PER_SEC} posts a second`);
    for (const format of formats) await measure(dataFolder, range, format, count);
  } finally {
    await rm(dataFolder, { recursive: true, force: true });
  }
}

if (isMainThread) await run();
else downloadHere(workerData.url);
