/** The thread that makes Parquet files. */
import { encodeColumns, type EventColumns } from "../../src/storage/parquet-events.ts";
import { serveTasks } from "./task-thread.ts";

serveTasks(
  async (columns: EventColumns) => encodeColumns(columns),
  (file) => [file.buffer as ArrayBuffer],
);
