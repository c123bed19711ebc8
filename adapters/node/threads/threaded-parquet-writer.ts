/** The Parquet writer port on two threads, so that encoding does not delay ingestion, nor a merge of large files the next flush. */
import type { EventText } from "../../../src/storage/event-text.ts";
import type { EventFile, MergedFile } from "../../../src/storage/parquet-events.ts";
import type { ParquetWriter } from "../../../src/storage/parquet-writer.ts";
import { TaskThread } from "./task-thread.ts";

export type ParquetTask =
  | { readonly kind: "encode"; readonly events: readonly EventText[] }
  | { readonly kind: "merge"; readonly files: readonly EventFile[] };

/** How long the thread that merges is kept for the next merge. */
const MERGER_IDLE_MS = 10_000;

export class ThreadedParquetWriter implements ParquetWriter {
  readonly #encoder: TaskThread<ParquetTask, Uint8Array | MergedFile>;
  readonly #merger: TaskThread<ParquetTask, Uint8Array | MergedFile>;

  constructor(script: string) {
    this.#encoder = new TaskThread({ script });
    this.#merger = new TaskThread({ script, idleMs: MERGER_IDLE_MS });
  }

  async encode(events: readonly EventText[]): Promise<Uint8Array> {
    return (await this.#encoder.run({ kind: "encode", events })) as Uint8Array;
  }

  async merge(files: readonly EventFile[]): Promise<MergedFile> {
    return (await this.#merger.run({ kind: "merge", files })) as MergedFile;
  }

  /** Ends the current merge, and rejects further ones. */
  closeMerger(): Promise<void> {
    return this.#merger.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#encoder.close(), this.#merger.close()]);
  }
}
