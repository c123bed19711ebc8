/**
 * `npm run build:worker`: bundles the Worker into `dist/worker/`, unless that has been done: `wrangler dev` asks for the first build twice.
 * With `--size`, compares its size with the platform's limit.
 */
import { readdir } from "node:fs/promises";
import { hashOfSources, isCurrent, removeStamp, writeStamp } from "../node/build-stamp.mjs";
import { buildWorker, sizeOf } from "./build.mjs";

const FOLDER = "dist/worker";

/** The limit of a paid plan (https://developers.cloudflare.com/workers/platform/limits/#worker-size). */
const GZIPPED_MB_MAX = 10;

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

if (!isCurrent(FOLDER)) {
  const sources = hashOfSources();
  await removeStamp(FOLDER);
  await buildWorker(FOLDER);
  await writeStamp(FOLDER, sources, await readdir(FOLDER));
  console.log(`${FOLDER}: built`);
}
if (process.argv.includes("--size")) {
  const { raw, gzipped } = await sizeOf(FOLDER);
  const share = Math.round((gzipped / (GZIPPED_MB_MAX * 1024 * 1024)) * 100);
  console.log(`${FOLDER}: ${megabytes(raw)}, gzipped ${megabytes(gzipped)}, ${share} % of the platform's limit of ${GZIPPED_MB_MAX} MB`);
  if (share > 100) process.exitCode = 1;
}
