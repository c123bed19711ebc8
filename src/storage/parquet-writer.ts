/** The port to the encoder of Parquet files: a thread on Node, so that neither flush nor merge delays ingestion; inline elsewhere. */
import { eventOf, type EventText } from "./event-text.ts";
import { encodeEvents, mergeFiles, type EventFile, type MergedFile } from "./parquet-events.ts";

export interface ParquetWriter {
  /** One file of the events, in their order, as `encodeEvents` returns it. */
  encode(events: readonly EventText[]): Promise<Uint8Array>;
  /** One file of several, in their order. */
  merge(files: readonly EventFile[]): Promise<MergedFile>;
}

/** Encodes on the calling thread. */
export const inlineParquetWriter: ParquetWriter = {
  encode: async (events) => encodeEvents(events.map(eventOf)),
  merge: async (files) => mergeFiles(files),
};
