/** Entry point of the threads of rollups: reads files itself, so that their bytes never pass the main thread. */
import { workerData } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import { ROLLUP_CACHE, ROLLUPS_MADE_BYTES_MAX } from "../../../src/runtime/base/config/report-limits.ts";
import { createInlineRollupCalculator } from "../../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { createFileObjectStore } from "../files/file-stores.ts";
import { servePort } from "./port-thread.ts";
import type { RollupThread } from "./instance-threads.ts";

const { dataFolder, isUrgent } = workerData as RollupThread;

const limits = isUrgent
  ? ROLLUP_CACHE
  : {
      // It reads no rollup twice.
      ...{ fileBytesMax: 0, unpackedBytesMax: 0, measureBytesMax: 0, madeBytesMax: ROLLUPS_MADE_BYTES_MAX },
      // Blocks the thread, for which nothing waits. The platform's streams take several times as long for many small pages.
      gzip: (bytes: Uint8Array) => gzipSync(bytes),
    };

servePort(createInlineRollupCalculator(createFileObjectStore(dataFolder), limits), isUrgent ? "query" : "background");
