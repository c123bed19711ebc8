/** The segment log of tests keeps the promises of the port. */
import { createMemorySegmentLog } from "../../src/storage/memory-segment-log.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

describeSegmentLog("in memory", async () => {
  const log = createMemorySegmentLog();
  return { log, reopen: async () => log };
});
