/** The object store of tests keeps the promises of the port. */
import { createMemoryObjectStore } from "../../src/storage/memory-object-store.ts";
import { describeObjectStore } from "./object-store.suite.ts";

describeObjectStore("in memory", async () => createMemoryObjectStore());
