/** Entry point of the Parquet threads. They run at low priority, because no request waits for them. */
import { eventOf } from "../../../src/storage/event-text.ts";
import { encodeEvents, mergeFiles, type MergedFile } from "../../../src/storage/parquet-events.ts";
import { serveTasks, lowerPriority } from "./task-thread.ts";
import type { ParquetTask } from "./instance-threads.ts";

function transferablesOf(result: Uint8Array | MergedFile): ArrayBuffer[] {
  if ("unreadable" in result) return [];
  return [("bytes" in result ? result.bytes : result).buffer as ArrayBuffer];
}

lowerPriority("background");
serveTasks(
  async (task: ParquetTask): Promise<Uint8Array | MergedFile> =>
    task.kind === "encode" ? encodeEvents(task.events.map(eventOf)) : mergeFiles(task.files),
  transferablesOf,
);
