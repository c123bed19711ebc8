/** The thread that makes Parquet files. */
import { eventOf } from "../../src/storage/event-text.ts";
import { encodeEvents, mergeFiles, type MergedFile } from "../../src/storage/parquet-events.ts";
import { serveTasks } from "./task-thread.ts";
import { giveWay } from "./thread-priority.ts";
import type { ParquetTask } from "./threaded-parquet.ts";

function memoryOf(result: Uint8Array | MergedFile): ArrayBuffer[] {
  if ("unreadable" in result) return [];
  return [("bytes" in result ? result.bytes : result).buffer as ArrayBuffer];
}

giveWay();
serveTasks(
  async (task: ParquetTask): Promise<Uint8Array | MergedFile> =>
    task.kind === "encode" ? encodeEvents(task.events.map(eventOf)) : mergeFiles(task.files),
  memoryOf,
);
