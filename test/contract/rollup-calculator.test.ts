/** The contract of the rollup calculator port: inline, with caches and without, and in threads. */
import { ThreadedRollupCalculator } from "../../adapters/node/threaded-rollup-calculator.ts";
import { createFileObjectStore } from "../../adapters/node/file-object-store.ts";
import { createInlineRollupCalculator } from "../../src/runtime/rollups/inline-rollup-calculator.ts";
import { ROLLUP_WORKER_URL } from "../support/built.ts";
import { describeRollupCalculator } from "./rollup-calculator.suite.ts";

const inline = (bytesMax: number) => (dataFolder: string) =>
  createInlineRollupCalculator(createFileObjectStore(dataFolder), { fileBytesMax: bytesMax, measureBytesMax: bytesMax });

describeRollupCalculator("on the calling thread", inline(1024 * 1024));
describeRollupCalculator("without memory for caches", inline(0));
describeRollupCalculator("in threads", (dataFolder) => new ThreadedRollupCalculator(ROLLUP_WORKER_URL, dataFolder));
