/** Imports of hits over stores in memory and in a folder. */
import { createFileObjectStore, createFileRecordStore, createFileSecretStore } from "../../adapters/node/files/file-stores.ts";
import { createMemorySegmentLog } from "../support/memory-segment-log.ts";
import { memoryStores } from "../support/mortal-stores.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { describeHitImports } from "./hit-imports.suite.ts";

describeHitImports("in memory", async () => [memoryStores()]);

describeHitImports("in a folder", async () => {
  const folder = await tempFolder();
  const stores = { objects: createFileObjectStore(folder), records: createFileRecordStore(folder), segmentLog: createMemorySegmentLog() };
  return [stores, createFileSecretStore(folder)];
});
