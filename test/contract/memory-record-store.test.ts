/** The in-memory record store of the tests against the contract of its port. */
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { describeRecordStore } from "./record-store.suite.ts";

describeRecordStore("in memory", async () => {
  const store = createMemoryRecordStore();
  return { store, reopen: async () => store };
});
