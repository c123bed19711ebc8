/** `npm run build:worker`: the Worker into `dist/worker/`. With `--size`: and how much of the platform's limit it takes. */
import { buildWorker, sizeOf } from "./build.mjs";

const FOLDER = "dist/worker";

/** What the platform takes on a paid plan, compressed. */
const GZIPPED_MB_MAX = 10;

const megabytes = (/** @type {number} */ bytes) => `${(bytes / 1024 / 1024).toFixed(2)} MB`;

await buildWorker(FOLDER);
if (process.argv.includes("--size")) {
  const { raw, gzipped } = await sizeOf(FOLDER);
  const share = Math.round((gzipped / (GZIPPED_MB_MAX * 1024 * 1024)) * 100);
  console.log(
    `${FOLDER}: ${megabytes(raw)}, gzipped ${megabytes(gzipped)}, which is ${share} % of the ${GZIPPED_MB_MAX} MB that the platform takes`,
  );
  if (share > 100) process.exitCode = 1;
}
