/** The Parquet writer port on a worker thread, so that encoding does not delay ingestion. */
import type { EventText } from "../../src/storage/event-text.ts";
import type { EventFile, MergedFile } from "../../src/storage/parquet-events.ts";
import type { ParquetWriter } from "../../src/storage/parquet-writer.ts";
import { TaskThread } from "./task-thread.ts";

export type ParquetTask =
  | { readonly kind: "encode"; readonly events: readonly EventText[] }
  | { readonly kind: "merge"; readonly files: readonly EventFile[] };

export class ThreadedParquetWriter implements ParquetWriter {
  readonly #thread: TaskThread<ParquetTask, Uint8Array | MergedFile>;

  constructor(workerUrl: URL) {
    this.#thread = new TaskThread({ url: workerUrl });
  }

  async encode(events: readonly EventText[]): Promise<Uint8Array> {
    return (await this.#thread.run({ kind: "encode", events })) as Uint8Array;
  }

  async merge(files: readonly EventFile[]): Promise<MergedFile> {
    return (await this.#thread.run({ kind: "merge", files })) as MergedFile;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
