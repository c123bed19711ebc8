/** The thread that makes Parquet files. */
import { encodeColumns, mergeFiles, type MergedFile } from "../../src/storage/parquet-events.ts";
import { serveTasks } from "./task-thread.ts";
import type { ParquetTask } from "./threaded-parquet.ts";

function memoryOf(result: Uint8Array | MergedFile): ArrayBuffer[] {
  if ("unreadable" in result) return [];
  return [("bytes" in result ? result.bytes : result).buffer as ArrayBuffer];
}

serveTasks(
  async (task: ParquetTask): Promise<Uint8Array | MergedFile> => (task.kind === "encode" ? encodeColumns(task.columns) : mergeFiles(task.files)),
  memoryOf,
);
