/** The port to whoever makes Parquet files: a thread on Node, so that no flush holds up ingestion; the same code inline elsewhere. */
import type { StoredEvent } from "./event.ts";
import { encodeEvents } from "./parquet-events.ts";

export interface ParquetWriter {
  /** One file of the events, in their order, as `encodeEvents` makes it. */
  encode(events: readonly StoredEvent[]): Promise<Uint8Array>;
}

/** Does the work where it is called. */
export const inlineParquetWriter: ParquetWriter = {
  encode: async (events) => encodeEvents(events),
};
