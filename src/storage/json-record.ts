/** Records that hold one JSON object. A damaged record is an error: it must never count as missing. */
import type { RecordStore } from "./record-store.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** ISO 8601, UTC, as records are written. */
export function isInstant(value: unknown): value is string {
  const epochMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === value;
}

/** Names the record, on Node a file of the data folder, and quotes none of its content. */
export const damagedRecord = (name: string, fault: string): Error =>
  new Error(`${name} in the data folder is damaged: ${fault}; restore it from a backup, or remove it deliberately`);

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

/** Writes a new record. When that fails, the record must not exist at the next start either. */
export async function createJsonRecord(records: RecordStore, name: string, value: object): Promise<void> {
  try {
    await replaceJsonRecord(records, name, value);
  } catch (error) {
    await records.remove(name).catch(() => {
      // A disk that refuses writes refuses removals too; the caller gets the error of the write.
    });
    throw error;
  }
}

/** Replaces a record. When that fails, the earlier one must count at the next start. */
export async function updateJsonRecord(
  records: Pick<RecordStore, "write">,
  name: string,
  { from, to }: { readonly from: object; readonly to: object },
): Promise<void> {
  try {
    await replaceJsonRecord(records, name, to);
  } catch (error) {
    await replaceJsonRecord(records, name, from).catch(() => {
      // A disk that refuses writes refuses this one, too; the caller gets the error of the first.
    });
    throw error;
  }
}

export const replaceJsonRecord = (records: Pick<RecordStore, "write">, name: string, value: object): Promise<void> =>
  records.write(name, new TextEncoder().encode(`${JSON.stringify(value)}\n`));
