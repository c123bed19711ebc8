/**
 * `npm run trace [-- --files]`: the source files that one warm request passes through, by V8's precise function coverage.
 *
 * A file counts if one of its functions, other than its top level, is called between the start of the request and the end of its
 * response. Coverage cannot tell a request from a timer that fires meanwhile, so the request is repeated, each time at a quiet moment,
 * and a file counts only if every repetition calls it. Files that only some of them call, mostly those of timers, are counted apart.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { isCurrent } from "../adapters/node/build-stamp.mjs";
import { buildProgram } from "../adapters/node/build.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The build of the tests, in which the in-process target finds its engine. Relative to the repository. */
const BUILT = "test/.built";

const SITE = "trace.test";
const PAST_DAYS = 2;
const DAY_MS = 86_400_000;

/** Repetitions before the count: connections, caches and threads are then in use. */
const WARM_UP = 5;
const COUNTED = 7;

/** Events of a past day, which are flushed to its files. The fewer events of today stay in the journal. */
const FLUSHED_EVENTS = 40;

/** The pause before each counted request, in which the work that the one before leaves behind ends. No divisor of the program's intervals. */
const QUIET_MS = 370;

/** The time that the program takes after its warm-up to make rollups and fill its caches. */
const SETTLE_MS = 5_000;

const WAIT_MS_MAX = 120_000;

const BROWSER = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36";

/** esbuild begins each file of a bundle with a line that names it. */
const FILE_LINE = /^\s*\/\/ (\S+\.(?:[mc]?[jt]sx?|json|wasm))$/gm;

/** Files of workerd are in the in-process target because its tests share one engine. */
const COUNTED_FILE = /^(?:src|adapters(?!\/workerd))\//;

/** @typedef {import("node:inspector").Profiler.ScriptCoverage} ScriptCoverage */
/** @typedef {(method: string, params?: object) => Promise<any>} Post sends a command to the inspector of one thread */
/** @typedef {{ fetch(path: string, init?: RequestInit): Promise<Response>, nextDay(): Promise<void> }} Target */

const pathOf = (/** @type {string} */ name) => join(ROOT, BUILT, name);

/** The inspectors of this thread and of all worker threads that it starts. */
class Inspectors {
  #main = new Session();
  /** @type {Post} */
  #postToMain = (method, params) => this.#main.post(method, params);
  /** Workers by session id. @type {Map<string, { post: Post, replies: Map<number, (result: any) => void> }>} */
  #workers = new Map();
  #commands = 0;

  async start() {
    this.#main.connect();
    this.#main.on("NodeWorker.attachedToWorker", ({ params: { sessionId } }) => {
      const worker = this.#connectTo(sessionId);
      this.#workers.set(sessionId, worker);
      void this.#count(worker.post);
    });
    this.#main.on("NodeWorker.receivedMessageFromWorker", ({ params: { sessionId, message } }) => {
      const { id, result, error } = JSON.parse(message);
      if (error) throw new Error(error.message);
      this.#workers.get(sessionId)?.replies.get(id)?.(result);
    });
    this.#main.on("NodeWorker.detachedFromWorker", ({ params: { sessionId } }) => {
      // The thread ended: nothing was called.
      for (const reply of this.#workers.get(sessionId)?.replies.values() ?? []) reply({ result: [] });
      this.#workers.delete(sessionId);
    });
    await this.#main.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
    await this.#count(this.#postToMain);
  }

  /** @param {string} sessionId */
  #connectTo(sessionId) {
    /** @type {Map<number, (result: any) => void>} */
    const replies = new Map();
    /** @type {Post} */
    const post = async (method, params) => {
      const id = ++this.#commands;
      const replied = new Promise((resolve) => replies.set(id, resolve));
      await this.#main.post("NodeWorker.sendMessageToWorker", { sessionId, message: JSON.stringify({ id, method, params }) });
      return replied.finally(() => replies.delete(id));
    };
    return { post, replies };
  }

  /** @param {Post} post */
  async #count(post) {
    await post("Profiler.enable");
    await post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** The calls since the last call of `take`, by thread. @returns {Promise<{ post: Post, scripts: ScriptCoverage[] }[]>} */
  take() {
    const posts = [...[...this.#workers.values()].map(({ post }) => post), this.#postToMain];
    return Promise.all(posts.map(async (post) => ({ post, scripts: (await post("Profiler.takePreciseCoverage")).result })));
  }
}

/** @param {Post} post @param {ScriptCoverage[]} scripts */
async function calledFiles(post, scripts) {
  const called = new Set();
  await post("Debugger.enable");
  for (const { scriptId, url, functions } of scripts) {
    if (url.startsWith("node:")) continue;
    const { scriptSource } = await post("Debugger.getScriptSource", { scriptId });
    const files = [...scriptSource.matchAll(FILE_LINE)];
    for (const { ranges } of functions) {
      // The first range is the function as a whole. The top level of a bundle begins before its first file.
      const { count = 0, startOffset = 0 } = ranges[0] ?? {};
      if (count > 0) called.add(files.findLast(({ index }) => index <= startOffset)?.[1] ?? "");
    }
  }
  await post("Debugger.disable");
  return [...called].filter((path) => COUNTED_FILE.test(path));
}

/** The number of counted requests that call each file. @param {Inspectors} inspectors @param {(round: number) => Promise<void>} request */
async function trace(inspectors, request) {
  for (let round = 0; round < WARM_UP; round++) await request(round);
  await setTimeout(SETTLE_MS);
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (let round = WARM_UP; round < WARM_UP + COUNTED; round++) {
    await setTimeout(QUIET_MS);
    await inspectors.take();
    await request(round);
    const taken = await inspectors.take();
    const files = await Promise.all(taken.map(({ post, scripts }) => calledFiles(post, scripts)));
    for (const file of new Set(files.flat())) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return counts;
}

/** @param {Target} target @param {number} round */
async function postEvent(target, round) {
  const event = { d: SITE, n: "pageview", u: `https://${SITE}/page-${round}?utm_source=letter`, r: "https://www.google.com/", w: 1440 };
  const headers = { "user-agent": BROWSER, "content-type": "text/plain" };
  const response = await target.fetch("/api/event", { method: "POST", headers, body: JSON.stringify(event) });
  const text = await response.text();
  if (response.status !== 202) throw new Error(`an event was answered with ${response.status} ${text}`);
}

/** The filter has another value in each round, so that no cached result answers. @param {Target} target @param {number} round */
async function getBreakdown(target, round) {
  const response = await target.fetch(`/api/stats/breakdown/sources?site_id=${SITE}&period=30d&filters=pages==/page-${round}`);
  const text = await response.text();
  if (response.status !== 200 || text === "[]") throw new Error(`a breakdown was answered with ${response.status} ${text}`);
}

/** @param {Target} target */
async function loadEvents(target) {
  for (let day = 0; day < PAST_DAYS; day++) {
    for (let event = 0; event < FLUSHED_EVENTS; event++) await postEvent(target, event % (WARM_UP + COUNTED));
    await target.nextDay();
  }
}

/** The target of the tests that calls the app as a function: stores in memory, DuckDB in this thread, no timers. @returns {Promise<Target>} */
async function inProcess() {
  const outfile = pathOf("in-process-target.mjs");
  await build({
    absWorkingDir: ROOT,
    entryPoints: ["test/support/in-process-target.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    logLevel: "warning",
  });
  const { createInProcessTarget } = await import(pathToFileURL(outfile).href);
  const target = await createInProcessTarget({ SVC_CACHE_TTL_SECS: "60" });
  return {
    fetch: target.fetch,
    async nextDay() {
      await target.advance(DAY_MS);
      await target.flush();
    },
  };
}

/** @param {string} url @param {RegExp} [pattern] */
async function untilAnswered(url, pattern = /^/) {
  for (const endMs = performance.now() + WAIT_MS_MAX; performance.now() < endMs; await setTimeout(QUIET_MS)) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok && pattern.test(await response.text())) return;
  }
  throw new Error(`${url} did not answer ${pattern} within ${WAIT_MS_MAX} ms`);
}

/** The built program in this process, with its HTTP server, files and threads. Its clock is behind until the last `nextDay`. @returns {Promise<Target>} */
async function program() {
  const dataFolder = mkdtempSync(join(tmpdir(), "sandpiper-trace-"));
  process.once("exit", () => rmSync(dataFolder, { recursive: true, force: true }));
  const machineMs = Date.now;
  let behindMs = PAST_DAYS * DAY_MS;
  Date.now = () => machineMs() - behindMs;
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const port = String(/** @type {import("node:net").AddressInfo} */ (listener.address()).port);
  listener.close();
  Object.assign(process.env, {
    SVC_HOST: "127.0.0.1",
    SVC_PORT: port,
    SVC_DATA_DIR: dataFolder,
    SVC_LOG_LEVEL: "error",
    SVC_FLUSH_EVENT_COUNT: String(FLUSHED_EVENTS),
  });
  // The program reads it as its command line.
  process.argv.splice(2);
  await import(pathToFileURL(pathOf("main.js")).href);
  const origin = `http://127.0.0.1:${port}`;
  await untilAnswered(`${origin}/health/ready`);
  return {
    fetch: (path, init) => fetch(origin + path, init),
    async nextDay() {
      behindMs -= DAY_MS;
      await untilAnswered(`${origin}/metrics`, /^svc_buffered_events 0$/m);
    },
  };
}

/** A folder's own files before those of its subfolders. @param {string} a @param {string} b */
const inFolderOrder = (a, b) => (dirname(a) === dirname(b) ? (a < b ? -1 : 1) : dirname(a) < dirname(b) ? -1 : 1);

/** @param {string} title @param {Map<string, number>} counts @param {boolean} showsFiles */
function print(title, counts, showsFiles) {
  const paths = [...counts.keys()].sort(inFolderOrder);
  const always = paths.filter((path) => counts.get(path) === COUNTED);
  const sometimes = paths.filter((path) => counts.get(path) !== COUNTED);
  const lines = [
    `${title}: ${always.length} files`,
    ...(showsFiles ? always.map((path) => `  ${path}`) : []),
    ...(sometimes.length > 0 ? [`  and ${sometimes.length} that only some of the ${COUNTED} requests call`] : []),
    ...(showsFiles ? sometimes.map((path) => `    ${path}`) : []),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}

const showsFiles = process.argv.includes("--files");
if (!isCurrent(join(ROOT, BUILT))) await buildProgram(BUILT);
const inspectors = new Inspectors();
await inspectors.start();
for (const [setting, makeTarget] of /** @type {const} */ ([
  ["in process", inProcess],
  ["with host and threads", program],
])) {
  const target = await makeTarget();
  await loadEvents(target);
  print(`one event, ${setting}`, await trace(inspectors, (round) => postEvent(target, round)), showsFiles);
  print(`one filtered breakdown, ${setting}`, await trace(inspectors, (round) => getBreakdown(target, round)), showsFiles);
}
process.exit();
