/** The port to storage of small named records, replaced atomically: the admin password's hash, API keys, settings of sites. */

/** Names of records: `admin.json`, or one folder deep as `keys/<hash>.json`. Every adapter refuses other names. */
export const RECORD_NAME = /^(?:[a-z0-9-]{1,64}\/)?[a-z0-9-]{1,64}\.json$/;

/** Small named records that are replaced whole: the admin password's hash, API keys, settings of sites. */
export interface RecordStore {
  /** null when there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces the record atomically; resolves once it is durable. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Names that begin with the prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Succeeds for an unknown name. Durable once resolved. */
  remove(name: string): Promise<void>;
}

/** Returns the name; throws if it is not valid. */
export function recordName(name: string): string {
  if (!RECORD_NAME.test(name)) throw new Error(`not the name of a record: ${name}`);
  return name;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Records that hold one JSON object. A damaged record is an error: it must never count as missing.
 *
 * ISO 8601, UTC, as records are written.
 */
export function isInstant(value: unknown): value is string {
  const epochMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === value;
}

/** Names the record, on Node a file of the data folder, and quotes none of its content. */
const damagedRecord = (name: string, fault: string): Error =>
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

/** The parsed record; null when there is none. `parse` throws with what is wrong with it. */
export async function readRecord<T>(records: Pick<RecordStore, "read">, name: string, parse: (json: JsonObject) => T): Promise<T | null> {
  const json = await readJsonRecord(records, name);
  if (json === null) return null;
  try {
    return parse(json);
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error);
    // What was found in place of a valid value stays out of the log.
    throw damagedRecord(name, fault.replace(/, got .*/s, ""));
  }
}

/** Replaces a record; null for none. When that fails, the earlier one must count at the next start. */
export async function changeJsonRecord(
  records: Pick<RecordStore, "write" | "remove">,
  name: string,
  { from, to }: { readonly from: object | null; readonly to: object | null },
): Promise<void> {
  const write = (value: object | null) => (value === null ? records.remove(name) : replaceJsonRecord(records, name, value));
  try {
    await write(to);
  } catch (error) {
    await write(from).catch(() => {
      // A disk that refuses one write refuses the other too; the caller gets the error of the first.
    });
    throw error;
  }
}

export const replaceJsonRecord = (records: Pick<RecordStore, "write">, name: string, value: object): Promise<void> =>
  records.write(name, new TextEncoder().encode(`${JSON.stringify(value)}\n`));
