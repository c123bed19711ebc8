/** Entry point of the threads of rollups: reads files itself, so that their bytes never pass the main thread. */
import { workerData } from "node:worker_threads";
import { ROLLUP_CACHE } from "../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createFileObjectStore } from "../files/file-stores.ts";
import { serveTasks, lowerPriority } from "./task-thread.ts";
import type { RollupResult, RollupTask, RollupThread } from "./instance-threads.ts";

const { dataFolder, isUrgent } = workerData as RollupThread;

lowerPriority(isUrgent ? "query" : "background");

const calculator = createInlineRollupCalculator(
  createFileObjectStore(dataFolder),
  // No cache: a rollup that is the sum of others is made once.
  isUrgent ? ROLLUP_CACHE : { fileBytesMax: 0, unpackedBytesMax: 0, measureBytesMax: 0 },
);

const serve = (task: RollupTask): Promise<RollupResult> => {
  if (task.kind === "headers") return calculator.headers(task.keys);
  if (task.kind === "total") return calculator.total(task.request);
  return calculator.make(task.origin, task.rollups, task.computed);
};

serveTasks(serve, (result) => (result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []));
