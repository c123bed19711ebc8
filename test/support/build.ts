/** Before all tests, builds the program and the Workers, which some run, unless the last run built them from the same sources. */
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildProgram } from "../../adapters/node/build.mjs";
import { hashOfSources, isCurrent, removeStamp, writeStamp } from "../../adapters/node/build-stamp.mjs";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { BUILT_FOLDER, BUILT_WORKER_FOLDER, WORKER_FOLDER } from "./built.ts";

const PROGRAM_FOLDER = fileURLToPath(new URL("../.built", import.meta.url));

/** Of the Workers of the tests. */
const FURTHER_SOURCES = ["test/support"];

async function buildProgramIfChanged(): Promise<void> {
  if (!isCurrent(PROGRAM_FOLDER)) await buildProgram(BUILT_FOLDER);
}

async function buildWorkersIfChanged(): Promise<void> {
  if (isCurrent(WORKER_FOLDER, FURTHER_SOURCES)) return;
  const sources = hashOfSources(FURTHER_SOURCES);
  await removeStamp(WORKER_FOLDER);
  await buildWorker(BUILT_WORKER_FOLDER, {
    "test-worker": "test/support/workerd/worker.ts",
    "one-object-worker": "test/support/workerd/one-object-worker.ts",
  });
  await writeStamp(WORKER_FOLDER, sources, await readdir(WORKER_FOLDER));
}

export default async function setup(): Promise<void> {
  await Promise.all([buildProgramIfChanged(), buildWorkersIfChanged()]);
}
