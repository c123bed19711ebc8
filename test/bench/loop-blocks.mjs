/** Loaded before the program: writes the longest block of its event loop to `BENCH_LOOP_FILE` at each SIGUSR2, and begins anew. */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";

const file = process.env["BENCH_LOOP_FILE"];
const RESOLUTION_MS = 1;

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on("SIGUSR2", () => {
    writeFileSync(`${file}.new`, String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS)));
    renameSync(`${file}.new`, file);
    delay.reset();
  });
}
