/** Parquet files made in a thread of their own, so that a flush takes from ingestion only what handing the events over takes. */
import { eventColumns, type EventColumns } from "../../src/storage/parquet-events.ts";
import type { ParquetWriter } from "../../src/storage/parquet-writer.ts";
import { TaskThread } from "./task-thread.ts";

export interface ThreadedParquetWriter extends ParquetWriter {
  close(): Promise<void>;
}

export function createThreadedParquetWriter(workerUrl: URL): ThreadedParquetWriter {
  const thread = new TaskThread<EventColumns, Uint8Array>({ url: workerUrl });
  return {
    encode: (events) => thread.run(eventColumns(events)),
    close: () => thread.close(),
  };
}
