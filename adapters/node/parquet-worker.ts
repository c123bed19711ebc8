/** Entry point of the Parquet thread. It runs at low priority, because no request waits for it. */
import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { eventOf } from "../../src/storage/event-text.ts";
import { encodeEvents, mergeFiles, type MergedFile } from "../../src/storage/parquet-events.ts";
import { serveTasks } from "./task-thread.ts";
import type { ParquetTask } from "./threaded-parquet-writer.ts";

/** A nice(2) value: 0 is normal, 19 the lowest priority. */
const NICE = 10;

/** Does nothing where threads have no priority of their own. */
function lowerPriority(): void {
  try {
    // Linux gives threads ids like processes. This link of the calling thread ends in its own: <process>/task/<thread>.
    setPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)), NICE);
  } catch {
    // Another system, or one without /proc.
  }
}

function transferablesOf(result: Uint8Array | MergedFile): ArrayBuffer[] {
  if ("unreadable" in result) return [];
  return [("bytes" in result ? result.bytes : result).buffer as ArrayBuffer];
}

lowerPriority();
serveTasks(
  async (task: ParquetTask): Promise<Uint8Array | MergedFile> =>
    task.kind === "encode" ? encodeEvents(task.events.map(eventOf)) : mergeFiles(task.files),
  transferablesOf,
);
