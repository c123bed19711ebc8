/** The in-memory segment log of the tests against the contract of its port. */
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { describeSegmentLog } from "./segment-log.suite.ts";

describeSegmentLog("in memory", async () => {
  const log = createMemorySegmentLog();
  return { log, reopen: async () => log };
});
