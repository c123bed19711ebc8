/** The generated secret: made once, kept among the object's records. */
import { Secret } from "../../src/runtime/secret.ts";
import type { RecordStore } from "../../src/storage/record-store.ts";

const SECRET_RECORD = "secret.json";
const SECRET_BYTES = 32;

/** The secret in the record, or a new one. A record that holds none stops the start: a new one would split every visitor in two. */
export async function secretOfRecords(records: RecordStore): Promise<Secret> {
  const kept = await records.read(SECRET_RECORD);
  if (kept) return new Secret(secretIn(new TextDecoder().decode(kept)));
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  const text = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  await records.write(SECRET_RECORD, new TextEncoder().encode(JSON.stringify({ secret: text })));
  return new Secret(text);
}

function secretIn(json: string): string {
  const match = /^\{"secret":"([0-9a-f]{64})"\}$/.exec(json);
  if (!match?.[1]) throw new Error(`the record ${SECRET_RECORD} does not hold the secret it was made with`);
  return match[1];
}
