/**
 * An import of a server log in workerd: time of each phase, and memory of the isolate, which Cloudflare bounds to 128 MB.
 *
 *   node test/bench/workerd-imports.mjs [lines]
 *
 * 500,000 lines are about 100 MB. The bucket is on the same disk.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildWorker } from "../../adapters/workerd/build.mjs";
import { withTempFolder } from "./bench-server.mjs";
import { ask, logIn, PASSWORD, until, upload, writeLog } from "./import-load.mjs";
import { mebibytes, printTable, progress, whole } from "./table.mjs";
import { inspectIsolate, startWorkerd, usedBytes, WORKER_FOLDER } from "./workerd-process.mjs";

const SAMPLE_MS = 1000;

const LINES = Number(process.argv[2] ?? 500_000);

await buildWorker(WORKER_FOLDER);
await withTempFolder(async (folder) => {
  const path = join(folder, "access.log");
  await writeLog(path, LINES);
  const { size } = await stat(path);
  const worker = await startWorkerd({ folder, environment: { SVC_ADMIN_PASSWORD: PASSWORD }, isInspected: true });
  const isolate = await inspectIsolate(worker.miniflare);
  await logIn(worker.origin);
  /** Memory that is left after a collection of garbage, each second. @template T @param {() => Promise<T>} work */
  async function withPeakOfLive(work) {
    let peakBytes = 0;
    const ended = { value: false };
    const working = work().finally(() => (ended.value = true));
    while (!ended.value) {
      await isolate.collectGarbage();
      peakBytes = Math.max(peakBytes, usedBytes(await isolate.heap()));
      await setTimeout(SAMPLE_MS);
    }
    return { result: await working, peakBytes };
  }

  /** @type {string[][]} */
  const rows = [];
  /** @template T @param {string} name @param {() => Promise<T>} work */
  async function phase(name, work) {
    const begunMs = performance.now();
    const { result, peakBytes } = await withPeakOfLive(work);
    rows.push([name, ((performance.now() - begunMs) / 1000).toFixed(1), mebibytes(peakBytes), mebibytes(await worker.peakRss())]);
    progress(`${name}: ${rows.at(-1)?.slice(1).join(", ")}`);
    return result;
  }
  const url = await phase("upload", () => upload(`${worker.origin}/api/imports`, path));
  await phase("reading, until the manifest is ready", () => until(url, "ready"));
  await ask(`${url}/confirm`, "POST");
  const shown = await phase("running, until it is shown", () => until(url, "shown"));
  isolate.close();
  await worker.stop();
  printTable(
    `import of ${whole(LINES)} lines (${mebibytes(size)}) in workerd, ${whole(shown.events)} events`,
    ["", "s", "isolate at the peak, without garbage", "process at the peak"],
    rows,
  );
});
