/** Runs the Worker in workerd by Miniflare, with the bucket on the same disk, and measures its memory. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fetch as fetchSocket, Miniflare } from "miniflare";

export const WORKER_FOLDER = "dist/bench/worker";

const BUCKET = "PARTITIONS";
const SAMPLE_MS = 20;

/** The processes named workerd that this process has started. */
async function workerdPids() {
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  const pids = [];
  for (const pid of children.split(" ").filter(Boolean)) {
    if ((await readFile(`/proc/${pid}/comm`, "utf8")).trim() === "workerd") pids.push(pid);
  }
  return pids;
}

/**
 * @typedef {object} WorkerOptions
 * @property {string} folder for its data
 * @property {string} [script] of those in `WORKER_FOLDER`
 * @property {string} [siteClass] of the sites' Durable Objects
 * @property {Record<string, string>} [environment]
 * @property {boolean} [isInspected] whether `inspectIsolate` can be called
 */

/** @param {WorkerOptions} options */
export async function startWorkerd({ folder, script = "worker.js", siteClass = "SiteObject", environment = {}, isInspected = false }) {
  const root = fileURLToPath(new URL(`../../${WORKER_FOLDER}`, import.meta.url));
  const miniflare = new Miniflare({
    modules: true,
    modulesRoot: root,
    rootPath: root,
    scriptPath: script,
    modulesRules: [
      { type: "CompiledWasm", include: ["**/*.wasm"] },
      { type: "Data", include: ["**/*.bin"] },
      { type: "ESModule", include: ["**/*.js"] },
    ],
    compatibilityDate: "2026-04-01",
    durableObjects: {
      ANALYTICS: { className: "AnalyticsObject", useSQLite: true, unsafePreventEviction: true },
      SITES: { className: siteClass, useSQLite: true, unsafePreventEviction: true },
    },
    r2Buckets: [BUCKET],
    bindings: { SVC_CACHE_TTL_SECS: "0", ...environment },
    defaultPersistRoot: folder,
    ...(isInspected && { inspectorPort: 0 }),
    unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    handleRuntimeStdio: (/** @type {import("node:stream").Readable} */ out, /** @type {import("node:stream").Readable} */ errors) => {
      out.resume();
      errors.pipe(process.stderr);
    },
  });
  const { origin } = await miniflare.unsafeGetDirectURL();
  const [pid] = await workerdPids();
  if (pid === undefined) throw new Error("workerd does not run");
  const inProcess = async (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
  return {
    name: "workerd",
    origin,
    miniflare,
    rss: () => inProcess("VmRSS"),
    peakRss: () => inProcess("VmHWM"),
    stop: () => miniflare.dispose(),
  };
}

/** Puts the Parquet files of a folder into the bucket. @param {Miniflare} miniflare @param {string} dataFolder @param {"events" | "rollups"} kind */
export async function fillBucket(miniflare, dataFolder, kind = "events") {
  const bucket = await miniflare.getR2Bucket(BUCKET);
  for (const name of await readdir(join(dataFolder, kind), { recursive: true })) {
    if (name.endsWith(".parquet")) await bucket.put(`${kind}/${name}`, Uint8Array.from(await readFile(join(dataFolder, kind, name))));
  }
}

/**
 * @typedef {object} Heap bytes, as V8 reports them for the isolate of the Worker
 * @property {number} usedSize objects, and garbage that is not yet collected
 * @property {number} totalSize what the heap has from the system
 * @property {number} [embedderHeapUsedSize]
 * @property {number} [backingStorageSize] of array buffers
 */

/** Asks the inspector of the isolate in which the Worker runs. @param {Miniflare} miniflare */
export async function inspectIsolate(miniflare) {
  const { port } = await miniflare.getInspectorURL();
  const targets = /** @type {{ id: string }[]} */ (await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const target = targets.find(({ id }) => id.startsWith("core:user:"));
  if (!target) throw new Error(`none of the isolates is the Worker's: ${targets.map(({ id }) => id).join()}`);
  const { webSocket } = await fetchSocket(`http://127.0.0.1:${port}/${target.id}`, { headers: { Upgrade: "websocket" } });
  if (!webSocket) throw new Error("the inspector accepts no connection");
  let calls = 0;
  /** @type {Map<number, (result: any) => void>} */
  const waiting = new Map();
  webSocket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data));
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  webSocket.accept();
  const call = (/** @type {string} */ method) =>
    new Promise((resolve) => {
      waiting.set(++calls, resolve);
      webSocket.send(JSON.stringify({ id: calls, method }));
    });
  return {
    heap: () => /** @type {Promise<Heap>} */ (call("Runtime.getHeapUsage")),
    collectGarbage: () => call("HeapProfiler.collectGarbage"),
    close: () => webSocket.close(),
  };
}

/** @typedef {Awaited<ReturnType<typeof inspectIsolate>>} Isolate */

/** The memory of JavaScript in use, garbage included. @param {Heap} heap */
export const usedBytes = ({ usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 }) =>
  usedSize + embedderHeapUsedSize + backingStorageSize;

/**
 * The largest `usedBytes` while the work runs, of samples between its steps. That is an upper bound of what is needed: garbage is part of it.
 * @template T
 * @param {Isolate} isolate
 * @param {() => Promise<T>} work
 */
export async function withPeak(isolate, work) {
  const stop = new AbortController();
  let peak = 0;
  const sampling = (async () => {
    while (!stop.signal.aborted) {
      peak = Math.max(peak, usedBytes(await isolate.heap()));
      await setTimeout(SAMPLE_MS);
    }
  })();
  try {
    const result = await work();
    return { result, peakBytes: Math.max(peak, usedBytes(await isolate.heap())) };
  } finally {
    stop.abort();
    await sampling;
  }
}
