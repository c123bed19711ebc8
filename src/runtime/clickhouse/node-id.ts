/** The id under which an instance stores its events in ClickHouse: made once, and kept beside the journal whose segments it qualifies. */
import type { RecordStore } from "../../storage/record-store.ts";

const RECORD = "node.json";

const ID_BYTES = 8;

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export interface NodeIdParts {
  readonly records: RecordStore;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** Rejects if the record is damaged: with another id, events of the journal might be inserted twice. */
export async function nodeIdOf({ records, randomBytes }: NodeIdParts): Promise<string> {
  const bytes = await records.read(RECORD);
  if (bytes === null) {
    const id = toHex(randomBytes(ID_BYTES));
    await records.write(RECORD, new TextEncoder().encode(`${JSON.stringify({ id })}\n`));
    return id;
  }
  const id = /^\{"id":"([0-9a-f]{16})"\}\n$/.exec(new TextDecoder().decode(bytes))?.[1];
  if (id === undefined) throw new Error(`${RECORD} in the data folder is damaged; restore it from a backup`);
  return id;
}
