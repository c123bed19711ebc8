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
