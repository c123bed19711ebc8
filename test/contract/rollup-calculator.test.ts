/** The contract of the rollup calculator port: inline, with caches and without, and in threads. */
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, it } from "vitest";
import { threadedRollupCalculator } from "../../adapters/node/threads/instance-threads.ts";
import { createFileObjectStore } from "../../adapters/node/files/file-stores.ts";
import { createInlineRollupCalculator } from "../../src/runtime/duckdb/rollups/rollup-calculator.ts";
import { threadScript } from "../support/built.ts";
import { integers, NO_EVENTS, originOf, totalOf } from "../support/rollups.ts";
import { skippedFor } from "../support/skipped.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeRollupCalculator } from "./rollup-calculator.suite.ts";

const inline = (bytesMax: number) => (dataFolder: string) =>
  createInlineRollupCalculator(createFileObjectStore(dataFolder), {
    fileBytesMax: bytesMax,
    unpackedBytesMax: bytesMax,
    measureBytesMax: bytesMax,
  });

describeRollupCalculator("on the calling thread", inline(1024 * 1024));
describeRollupCalculator("without memory for caches", inline(0));
describeRollupCalculator("with little memory for caches", inline(5_000));
describeRollupCalculator("in threads", (dataFolder) => threadedRollupCalculator(threadScript("rollup"), dataFolder));

describe("the threads of rollups", () => {
  /** The priority of each thread of this process; a higher number is a lower priority. */
  const priorities = (): number[] => readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)));

  it(
    "add up rollups for dashboards at a lower priority than ingestion, and make rollups at a still lower one",
    skippedFor(process.platform === "linux" ? null : "On Linux alone, threads have a priority of their own."),
    async () => {
      const calculator = threadedRollupCalculator(threadScript("rollup"), await tempFolder());
      const before = priorities();
      const lowered = () => {
        const added = priorities().sort((a, b) => a - b);
        for (const priority of before) added.splice(added.indexOf(priority), 1);
        return added.filter((priority) => priority > getPriority());
      };
      expect(await totalOf(calculator, { measure: "main", rollups: [], added: [{ visitors: integers(1) }] })).toEqual([{ visitors: 1 }]);
      expect(lowered()).toEqual([5]);
      await calculator.make(originOf(), [], NO_EVENTS);
      expect(lowered()).toEqual([5, 10]);
      await calculator.close();
    },
  );
});
