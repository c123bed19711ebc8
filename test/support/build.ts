/** Builds the program once before all tests: some run it as a process, others use its engine thread. */
import { buildProgram } from "../../adapters/node/build.mjs";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { BUILT_FOLDER, BUILT_WORKER_FOLDER } from "./built.ts";

export default async function setup(): Promise<void> {
  await Promise.all([
    buildProgram(BUILT_FOLDER),
    buildWorker(BUILT_WORKER_FOLDER, {
      "test-worker": "test/support/workerd/worker.ts",
      "one-object-worker": "test/support/workerd/one-object-worker.ts",
    }),
  ]);
}
