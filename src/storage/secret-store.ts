/** The port to where the generated secret of visitor ids is stored: one short text that leaves as little behind as the host allows. */
import type { RecordStore } from "./record-store.ts";

export interface SecretStore {
  /** Where the text is stored, for messages. */
  readonly location: string;
  /** The stored text, which is durable; null when there is none. */
  read(): Promise<string | null>;
  /** Replaces the text, all or nothing; resolves once it is durable. The host overwrites what was there as far as it can. */
  write(text: string): Promise<void>;
  /** Overwrites the text as far as the host can and removes it; resolves once that is durable. Nothing to erase is fine. */
  erase(): Promise<void>;
}

const SECRET_RECORD = "secret.json";

/** For hosts without files: the text is a record, and overwriting it is the database's business. */
export const createRecordSecretStore = (records: RecordStore): SecretStore => ({
  location: `the record ${SECRET_RECORD}`,
  async read() {
    const bytes = await records.read(SECRET_RECORD);
    return bytes && new TextDecoder().decode(bytes);
  },
  write: (text) => records.write(SECRET_RECORD, new TextEncoder().encode(text)),
  erase: () => records.remove(SECRET_RECORD),
});
