/** The port to wherever small named records lie that are replaced whole: the admin password's hash, API keys. */

/** What records are called: `admin.json`, or one folder deep as `keys/<hash>.json`. Every adapter refuses other names. */
export const RECORD_NAME = /^(?:[a-z0-9-]{1,64}\/)?[a-z0-9-]{1,64}\.json$/;

/** Small named records that are replaced whole: the admin password's hash, API keys. */
export interface RecordStore {
  /** null when there is none. */
  read(name: string): Promise<Uint8Array | null>;
  /** Replaces the record; resolves once it is durable, and is all or nothing. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Names that begin with the prefix, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Removing what is not there is fine. Survives a crash once resolved. */
  remove(name: string): Promise<void>;
}

/** The name, or an error when it is none. */
export function recordName(name: string): string {
  if (!RECORD_NAME.test(name)) throw new Error(`not the name of a record: ${name}`);
  return name;
}
