/** The record store of tests keeps the promises of the port. */
import { createMemoryRecordStore } from "../../src/storage/memory-record-store.ts";
import { describeRecordStore } from "./record-store.suite.ts";

describeRecordStore("in memory", async () => {
  const store = createMemoryRecordStore();
  return { store, reopen: async () => store };
});
