/**
 * `npm run build:worker`: bundles the Worker into `dist/worker/`, unless that has been done: `wrangler dev` asks for the first build twice.
 * The option `--size` compares its size with the platform's limit.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { hashOfSources, isCurrent, removeStamp, writeStamp } from "../node/build-stamp.mjs";
import { buildWorker } from "./build.mjs";

const FOLDER = "dist/worker";

/** The limit of a paid plan (https://developers.cloudflare.com/workers/platform/limits/#worker-size). */
const GZIPPED_MB_MAX = 10;

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

/** The size that the platform limits: all modules of the bundle, raw and compressed, in bytes. @param {string} outdir */
async function sizeOf(outdir) {
  let [raw, gzipped] = [0, 0];
  for (const name of await readdir(outdir)) {
    if (name.endsWith(".map")) continue;
    const bytes = await readFile(join(outdir, name));
    raw += bytes.length;
    gzipped += gzipSync(bytes, { level: 9 }).length;
  }
  return { raw, gzipped };
}

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
