/** The in-memory object store of the tests against the contract of its port. */
import { createMemoryObjectStore } from "../support/memory-object-store.ts";
import { describeObjectStore } from "./object-store.suite.ts";

describeObjectStore("in memory", async () => createMemoryObjectStore());
