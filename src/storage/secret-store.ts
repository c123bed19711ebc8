/** The port to the generated secrets of visitor ids: short strings by name, of which an erasure leaves as little as the host allows. */
import type { LocalDate } from "./event.ts";
import type { RecordStore } from "./record-store.ts";

/** Lower-case letters, digits and hyphens, at most 64. */
export type SecretName = string;

/** The secret of UTC. Until there were time zones, it was the only one. */
export const UTC_SECRET: SecretName = "utc";

export const SECRET_NAME = /^[a-z0-9-]{1,64}$/;

/** The folder of all other secrets. */
export const SECRETS_FOLDER = "secrets";

const IMPORT_SECRET_PREFIX = "import-";

/** The salt of a running import's visitors, or of a day of a log that grows. No time zone has such a name. */
export const importSecretName = (importNumber: number, day?: LocalDate): SecretName =>
  `${IMPORT_SECRET_PREFIX}${importNumber}${day === undefined ? "" : `-${day}`}`;

export const isImportSecret = (name: SecretName): boolean => name.startsWith(IMPORT_SECRET_PREFIX);

/** One secret, stored or not. */
export interface StoredSecret {
  /** Its location, for messages. */
  readonly location: string;
  /** The stored secret, which is durable; null if there is none. */
  read(): Promise<string | null>;
  /** Replaces the secret atomically; resolves once the new one is durable. Overwrites the previous one as far as the host can. */
  write(text: string): Promise<void>;
  /** Overwrites the secret as far as the host can and removes it; resolves once that is durable. Succeeds if there is none. */
  erase(): Promise<void>;
}

export interface SecretStore {
  /** The names under which something is stored, even if it is a secret that an interrupted erasure has left; sorted. */
  names(): Promise<SecretName[]>;
  /** Throws if it is no name. */
  secret(name: SecretName): StoredSecret;
}

/** Returns the name; throws if it is not valid. */
export function secretName(name: string): SecretName {
  if (!SECRET_NAME.test(name)) throw new Error(`not the name of a secret: ${name}`);
  return name;
}

const UTC_RECORD = "secret.json";

const recordOf = (name: SecretName): string => (name === UTC_SECRET ? UTC_RECORD : `${SECRETS_FOLDER}/${secretName(name)}.json`);

function recordSecret(records: RecordStore, record: string): StoredSecret {
  return {
    location: `the record ${record}`,
    async read() {
      const bytes = await records.read(record);
      return bytes && new TextDecoder().decode(bytes);
    },
    write: (text) => records.write(record, new TextEncoder().encode(text)),
    erase: () => records.remove(record),
  };
}

/** Used on hosts without files: a secret is a record, and the database overwrites it as far as it can. */
export const createRecordSecretStore = (records: RecordStore): SecretStore => ({
  async names() {
    const prefix = `${SECRETS_FOLDER}/`;
    const others = (await records.list(prefix)).map((record) => record.slice(prefix.length, -".json".length));
    const hasUtc = (await records.list(UTC_RECORD)).includes(UTC_RECORD);
    return [...others, ...(hasUtc ? [UTC_SECRET] : [])].sort();
  },
  secret: (name) => recordSecret(records, recordOf(name)),
});
