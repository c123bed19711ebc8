/** Starts the built program as a child process, measures its resource use, and provides data folders. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildProgram } from "../../adapters/node/build.mjs";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The folder for everything that benchmarks build and cache, relative to the repository. */
export const BENCH_FOLDER = "dist/bench";

const START_MS_MAX = 60_000;

/** Clock ticks per second in `/proc`: a constant of Linux. */
const TICKS_PER_SEC = 100;

const EMPTY_FOLDER = `${BENCH_FOLDER}/empty`;
const PLAIN_FOLDER = `${BENCH_FOLDER}/plain`;

const mainIn = (/** @type {string} */ folder) => join(ROOT, folder, "main.js");

export const buildBenchProgram = () => buildProgram(BENCH_FOLDER);

/** The program with an event handler that does nothing, to measure the fixed cost of a request. */
export async function buildEmptyProgram() {
  let isReplaced = false;
  /** @type {import("esbuild").Plugin} */
  const withoutIngestion = {
    name: "without-ingestion",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/ingest\.ts$/ }, ({ importer }) => {
        if (!importer.endsWith("/handlers/app.ts")) return undefined;
        isReplaced = true;
        return { path: join(ROOT, "test/bench/empty-post-event.ts") };
      });
    },
  };
  await buildProgram(EMPTY_FOLDER, { plugins: [withoutIngestion] });
  if (!isReplaced) throw new Error("the build did not replace the event handler");
}

/** What events cost for evidence, networks and counts of what is dropped, and a program without it has in its place. */
const OF_EVIDENCE = [
  ["evidence: evidenceOf({ door, origin, userAgent, named, clientHints, mark: input.mark, isSignedAgent, network })", "evidence: null"],
  ["const network = networkOf(context, options);", "void [door, origin, isSignedAgent];"],
  ["if (droppedEvents === null || !knownSites.has(siteId)) return;", "if (droppedEvents !== undefined) return;"],
];

/** The program without evidence, lookup of networks and counts of dropped events, to measure what these cost. */
export async function buildPlainProgram() {
  /** @type {import("esbuild").Plugin} */
  const withoutEvidence = {
    name: "without-evidence",
    setup({ onLoad }) {
      onLoad({ filter: /\/ingest\/accept-event\.ts$/ }, async ({ path }) => {
        let contents = await readFile(path, "utf8");
        for (const [code = "", other = ""] of OF_EVIDENCE) {
          if (!contents.includes(code)) throw new Error(`${path} has no such line any more: ${code}`);
          contents = contents.replace(code, other);
        }
        return { contents, loader: "ts" };
      });
    },
  };
  await buildProgram(PLAIN_FOLDER, { plugins: [withoutEvidence] });
}

/**
 * A module of `src`, which plain Node cannot load.
 * @param {string} path relative to the repository
 */
export async function importSource(path) {
  const outfile = join(
    ROOT,
    BENCH_FOLDER,
    path
      .replace(/^src\//, "")
      .replaceAll("/", "-")
      .replace(/\.ts$/, ".mjs"),
  );
  await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

/**
 * Runs the task with an empty folder, and removes the folder afterwards.
 * @template T
 * @param {(folder: string) => Promise<T>} task
 */
export async function withTempFolder(task) {
  const folder = await mkdtemp(join(tmpdir(), "sandpiper-bench-"));
  try {
    return await task(folder);
  } finally {
    // A failed task leaves its program running, which would continue to write here.
    for (const child of running) child.kill("SIGKILL");
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/**
 * @typedef {object} BenchProcess
 * @property {number} pid
 * @property {string} origin
 * @property {number} startedMs when it was started, by `performance.now()`
 * @property {() => Promise<number>} cpuSecs of all its threads
 * @property {() => Promise<{ rss: number, peakRss: number }>} memory in bytes
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} kill9
 */

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** What a program prints when it listens. */
const LISTENS = /listens on (http:\/\/\S+)/;

/**
 * Starts a script that prints its origin.
 * @param {readonly string[]} args of Node
 * @param {Record<string, string>} [environment]
 * @param {RegExp} [listens] the line whose first group is the origin
 * @returns {Promise<BenchProcess>}
 */
export async function startScript(args, environment = {}, listens = LISTENS) {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: environment });
  running.add(child);
  const pid = child.pid ?? 0;
  let printed = "";
  const exited = new Promise((resolve) => {
    child.once("close", (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  const origin = await new Promise((resolve, reject) => {
    const giveUp = setTimeout(() => reject(new Error(`does not listen after ${START_MS_MAX} ms:\n${printed}`)), START_MS_MAX);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        printed += chunk;
        const match = listens.exec(printed);
        if (!match) return;
        clearTimeout(giveUp);
        resolve(match[1]);
      });
    }
    void exited.then((code) => reject(new Error(`ended with code ${code} before it listened:\n${printed}`)));
  });
  return {
    pid,
    origin,
    startedMs,
    async cpuSecs() {
      const status = await readFile(`/proc/${pid}/stat`, "utf8");
      const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
    },
    async memory() {
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      const bytes = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) * 1024;
      return { rss: bytes("VmRSS"), peakRss: bytes("VmHWM") };
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
    async kill9() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/**
 * Starts the program on a data folder, without the result cache.
 * @param {string} dataFolder
 * @param {Record<string, string>} [environment]
 */
export const startProgram = (dataFolder, environment = {}) => startMain(BENCH_FOLDER, dataFolder, environment);

/**
 * Like `startProgram`, with the program that `buildPlainProgram` built.
 * @param {string} dataFolder
 * @param {Record<string, string>} [environment]
 */
export const startPlainProgram = (dataFolder, environment = {}) => startMain(PLAIN_FOLDER, dataFolder, environment);

/**
 * Like `startProgram`, with the program that `buildEmptyProgram` built.
 * @param {string} dataFolder
 */
export const startEmptyProgram = (dataFolder) => startMain(EMPTY_FOLDER, dataFolder, {});

/**
 * Runs a command of the built program to its end.
 * @param {readonly string[]} args
 * @param {Record<string, string>} environment
 * @returns {Promise<string>} what it printed to standard output
 */
export async function runProgram(args, environment) {
  const child = spawn(process.execPath, [mainIn(BENCH_FOLDER), ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: environment,
  });
  running.add(child);
  let [printed, errors] = ["", ""];
  child.stdout.on("data", (chunk) => (printed += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  const code = await new Promise((resolve) => child.once("close", resolve));
  running.delete(child);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with code ${code}:\n${printed}${errors}`);
  return printed;
}

/** @param {string} folder @param {string} dataFolder @param {Record<string, string>} environment */
const startMain = (folder, dataFolder, environment) =>
  startScript([mainIn(folder)], {
    SVC_CACHE_TTL_SECS: "0",
    ...environment,
    SVC_PORT: "0",
    SVC_DATA_DIR: dataFolder,
  });

const SETTLED_CPU_SHARE = 0.05;
const LOOK_MS = 250;

/**
 * Waits until the process is idle.
 * @param {BenchProcess} server
 */
export async function untilIdle(server) {
  for (let idle = 0; idle < 2;) {
    const before = await server.cpuSecs();
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    idle = (await server.cpuSecs()) - before <= (SETTLED_CPU_SHARE * LOOK_MS) / 1000 ? idle + 1 : 0;
  }
}

/**
 * @param {string} url
 * @returns {Promise<any>} the JSON of a success
 */
export async function getJson(url) {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}
