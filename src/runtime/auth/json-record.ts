/** Records that hold one JSON object. One that holds anything else stops the start: it must never count as missing. */
import type { RecordStore } from "../../storage/record-store.ts";
import type { JsonObject } from "../ingest/json-fields.ts";

/** Names the record, which on Node is a file of the data folder, and quotes nothing of it. */
export const damagedRecord = (name: string, fault: string): Error =>
  new Error(`${name} in the data folder is damaged: ${fault}; restore it from a backup, or remove it on purpose`);

function objectOf(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** null when there is no such record. */
export async function readJsonRecord(records: Pick<RecordStore, "read">, name: string): Promise<JsonObject | null> {
  const bytes = await records.read(name);
  if (bytes === null) return null;
  const object = objectOf(bytes);
  if (object === null) throw damagedRecord(name, "it holds no JSON object");
  return object;
}

/** Writes a record that is not there yet. When that fails, nothing of it may turn up at the next start either. */
export async function createJsonRecord(records: RecordStore, name: string, value: object): Promise<void> {
  try {
    await replaceJsonRecord(records, name, value);
  } catch (error) {
    await records.remove(name).catch(() => {
      // A disk that takes no writes takes no removals; what stopped the write is what is told.
    });
    throw error;
  }
}

export const replaceJsonRecord = (records: Pick<RecordStore, "write">, name: string, value: object): Promise<void> =>
  records.write(name, new TextEncoder().encode(`${JSON.stringify(value)}\n`));
