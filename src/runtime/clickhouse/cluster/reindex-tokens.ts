/**
 * The deduplication tokens of inserts from files. The server may still complete the last insert of a run that was killed, so the next
 * run repeats it with the same token: one of both has no effect. All other inserts have new tokens, because the server also knows
 * those whose rows were deleted since. So the token is durable before its insert begins.
 */
import type { ObjectKey } from "../../../storage/object-store.ts";
import type { RecordStore } from "../../../storage/record-store.ts";
import { readJsonRecord, replaceJsonRecord } from "../../../storage/json-record.ts";

const RECORD = "reindex.json";

const TOKEN_BYTES = 16;

export interface TokenParts {
  readonly records: RecordStore;
  readonly randomBytes: (length: number) => Uint8Array;
}

export class ReindexTokens {
  readonly #parts: TokenParts;
  readonly #interrupted: { readonly key?: unknown; readonly token?: unknown };

  private constructor(parts: TokenParts, interrupted: { readonly key?: unknown; readonly token?: unknown }) {
    this.#parts = parts;
    this.#interrupted = interrupted;
  }

  static async open(parts: TokenParts): Promise<ReindexTokens> {
    return new ReindexTokens(parts, (await readJsonRecord(parts.records, RECORD)) ?? {});
  }

  /** The token of the last insert of a run that was interrupted, if it was of this file. */
  interrupted(file: ObjectKey): string | null {
    const { key, token } = this.#interrupted;
    return key === file && typeof token === "string" ? token : null;
  }

  /** A new token. */
  async next(key: ObjectKey): Promise<string> {
    const { records, randomBytes } = this.#parts;
    const token = Array.from(randomBytes(TOKEN_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
    await replaceJsonRecord(records, RECORD, { key, token });
    return token;
  }

  /** Called at the end of a run. */
  forget(): Promise<void> {
    return this.#parts.records.remove(RECORD);
  }
}
