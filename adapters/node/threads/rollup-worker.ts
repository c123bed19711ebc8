/** Entry point of the threads of rollups: reads files itself, so that their bytes never pass the main thread. */
import { workerData } from "node:worker_threads";
import { ROLLUP_CACHE } from "../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createFileObjectStore } from "../files/file-stores.ts";
import { servePort } from "./port-thread.ts";
import type { RollupThread } from "./instance-threads.ts";

const { dataFolder, isUrgent } = workerData as RollupThread;

// No cache for the thread that makes rollups: each is made once.
const cache = isUrgent ? ROLLUP_CACHE : { fileBytesMax: 0, unpackedBytesMax: 0, measureBytesMax: 0 };

servePort(createInlineRollupCalculator(createFileObjectStore(dataFolder), cache), isUrgent ? "query" : "background");
