/** The port to the generated secret of visitor ids: one short string, of which an erasure leaves as little as the host allows. */
import type { RecordStore } from "./record-store.ts";

export interface SecretStore {
  /** Where the secret is stored, for messages. */
  readonly location: string;
  /** The stored secret, which is durable; null if there is none. */
  read(): Promise<string | null>;
  /** Replaces the secret atomically; resolves once the new one is durable. Overwrites the previous one as far as the host can. */
  write(text: string): Promise<void>;
  /** Overwrites the secret as far as the host can and removes it; resolves once that is durable. Succeeds if there is none. */
  erase(): Promise<void>;
}

const SECRET_RECORD = "secret.json";

/** For hosts without files: the secret is a record, and the database overwrites it as far as it can. */
export const createRecordSecretStore = (records: RecordStore): SecretStore => ({
  location: `the record ${SECRET_RECORD}`,
  async read() {
    const bytes = await records.read(SECRET_RECORD);
    return bytes && new TextDecoder().decode(bytes);
  },
  write: (text) => records.write(SECRET_RECORD, new TextEncoder().encode(text)),
  erase: () => records.remove(SECRET_RECORD),
});
