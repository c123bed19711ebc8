/** How an instance stops within `STOP_MS_MAX`: its phases share the time. What is unfinished by then is as after a kill. */
import { setTimeout } from "node:timers/promises";
import { STOP_FLUSH_MS, STOP_WRITES_MS } from "../../src/runtime/base/config/limits.ts";
import type { Log } from "../../src/runtime/base/metrics/log.ts";
import type { Services } from "../../src/runtime/service/services.ts";
import type { FolderLock } from "./data-dir/folder-lock.ts";
import type { InstanceThreads } from "./threads/instance-threads.ts";
import type { RunningServer } from "./http/server.ts";

export interface RunningParts {
  readonly server: RunningServer;
  readonly services: Services;
  readonly threads: InstanceThreads;
  readonly lock: FolderLock;
  readonly stopTimers: () => void;
  readonly log: Log;
}

async function endRequests({ server, threads, stopTimers }: RunningParts): Promise<void> {
  await server.stop();
  stopTimers();
  // Nobody waits for their results any more, and a job that waits for one ends.
  await threads.closeAllButEncoder();
}

/** The lock is released last: the next process may change the folder from then on. */
async function endWrites(parts: RunningParts): Promise<void> {
  const { services, threads, lock } = parts;
  const late = AbortSignal.timeout(STOP_FLUSH_MS);
  // Also ends the encoding of a file: that of many events takes seconds.
  late.addEventListener("abort", () => void threads.close());
  await services.stop(endRequests(parts), late);
  await threads.close();
  await lock.release();
}

/**
 * Resolves when the process may exit. If a file is still being written then, by a slow disk, the lock is not released: the exit of the
 * process releases it.
 */
export async function shutDown(parts: RunningParts): Promise<void> {
  const tooLate = setTimeout(STOP_WRITES_MS, "tooLate", { ref: false });
  const outcome = await Promise.race([endWrites(parts), tooLate]);
  if (outcome === "tooLate") parts.log.warn("stopped before all file operations had ended; no accepted event is lost");
}
