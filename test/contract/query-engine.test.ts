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
import { createWorld, describeQueryEngine, type EngineHost, type OpenedEngine } from "./query-engine.suite.ts";

async function localHost(): Promise<EngineHost> {
  const objects = createMemoryObjectStore();
  const calculator = createInlineRollupCalculator(objects, ROLLUP_CACHE);
  let database: LosableEngine | null = null;
  return {
    objects,
    open: (parts) => ({
      engine: createLocalEngine(
        { ...parts, objects, calculator, exportMemory: exportMemoryOf(parts.config), wait, log: createRecordingLog() },
        async () => (database = await createLosableEngine()),
      ),
      kill: async () => database?.lose(),
    }),
  };
}

/** The script or the module may be another one, which does not work. */
async function threadHost({ script = threadScript("engine"), module = ENGINE_MODULE_URL } = {}): Promise<EngineHost> {
  const dataFolder = await tempFolder();
  const log = createRecordingLog();
  const workers: Worker[] = [];
  const onWorker = (worker: Worker) => workers.push(worker);
  process.on("worker", onWorker);
  onTestFinished(() => void process.off("worker", onWorker));
  return {
    objects: createFileObjectStore(dataFolder),
    open: (parts: EngineParts): OpenedEngine => ({
      engine: createThreadedEngine({ script, readModule: () => readFile(module), dataFolder, log }, parts),
      kill: async () => void (await workers.at(-1)?.terminate()),
    }),
  };
}

describeQueryEngine("on the calling thread", localHost);
describeQueryEngine("in a thread of its own", () => threadHost());

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
