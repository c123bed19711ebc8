/** The query engine on the calling thread and in a thread of its own, against the contract of its port. */
import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { createThreadedEngine } from "../../adapters/node/threads/engine-thread.ts";
import { ROLLUP_CACHE } from "../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createLocalEngine, type EngineParts, exportMemoryOf } from "../../src/runtime/engine/duckdb-queries.ts";
import { COUNTRY_DATABASE_URL, ENGINE_MODULE_URL, threadScript } from "../support/built.ts";
import { createLosableEngine, type LosableEngine } from "../support/losable-engine.ts";
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { createRecordingLog } from "../support/recording-log.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { createWorld, describeQueryEngine, type EngineHost, type OpenedEngine, owner, reportQuery } from "./query-engine.suite.ts";

const DIVIDED: readonly (readonly [path: string, parameters: Readonly<Record<string, string>>])[] = [
  ["/api/stats/main", { compare: "previous_period" }],
  ["/api/stats/timeseries", { filters: "pages!=/1" }],
  ["/api/stats/breakdown/:dimension", { dimension: "pages", columns: "bounce_rate,comparison" }],
  ["/api/stats/breakdown/:dimension", { dimension: "entry-pages", search: "/", limit: "1", with_total: "true" }],
  ["/api/stats/funnel", { steps: "page:/1,page:/2" }],
  ["/api/stats/retention", {}],
  ["/api/stats/flow", { page: "/1" }],
];

async function localHost(): Promise<EngineHost> {
  const objects = createMemoryObjectStore();
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  let database: LosableEngine | null = null;
  return {
    objects,
    open: (parts) => ({
      engine: createLocalEngine(
        { ...parts, objects, calculator, exportMemory: exportMemoryOf(parts.config), wait, now: Date.now, log: createRecordingLog() },
        async () => (database = await createLosableEngine()),
      ),
      kill: async () => database?.lose(),
    }),
  };
}

/** The script or the module may be another one, which does not work. */
async function threadHost({ script = threadScript("engine"), module = ENGINE_MODULE_URL, threads = 1 } = {}): Promise<EngineHost> {
  const dataFolder = await tempFolder();
  const log = createRecordingLog();
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => workers.push(worker);
  process.on("worker", onWorker);
  onTestFinished(() => void process.off("worker", onWorker));
  return {
    objects: createFileObjectStore(dataFolder),
    open: (parts: EngineParts): OpenedEngine => ({
      engine: createThreadedEngine({ script, readModule: () => readFile(module), dataFolder, threads, dividedBytesMin: 1, log }, parts),
      kill: async () => void (await workers.at(-1)?.terminate()),
    }),
  };
}

describeQueryEngine("on the calling thread", localHost);
describeQueryEngine("in a thread of its own", () => threadHost());
describeQueryEngine("in three threads", () => threadHost({ threads: 3 }));

it("three threads that divide a range answer as one does, and each has some of its days", async () => {
  const one = await createWorld(await localHost());
  const three = await createWorld(await threadHost({ threads: 3 }));
  for (const world of [one, three]) {
    for (let back = 0; back < 60; back++) await world.append(back, back, Math.floor(back / 2));
    await world.flush();
    await world.append(0, 3);
  }
  for (const [path, parameters] of DIVIDED) {
    const query = await reportQuery(path, { period: "90d", ...parameters });
    expect(await three.engine.execute(query, owner()), path).toBe(await one.engine.execute(query, owner()));
  }
  expect(three.engine.state.threads).toBe(3);
  expect(three.engine.state.cachedDays).toBe(one.engine.state.cachedDays);
});

it.each([
  ["script throws", { script: "throw new Error('no engine here')" }],
  ["module cannot be compiled", { module: COUNTRY_DATABASE_URL }],
])("a thread whose %s makes queries a 503", async (_, broken) => {
  const { count } = await createWorld(await threadHost(broken));
  await expect(count()).rejects.toMatchObject({
    failure: { code: "unavailable" },
    message: expect.stringContaining("failed twice") as string,
  });
});
