/** API keys: how they are created, stored as hashes, checked and revoked (docs/http-api.md, "API keys"). */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import { API_KEY_CHANGES_WAITING_MAX, API_KEY_SITES_MAX } from "../base/config/admin-limits.ts";
import type { Log } from "../base/metrics/log.ts";
import { API_KEY_PREFIX, isSiteId } from "../base/config/names.ts";
import {
  createJsonRecord,
  damagedRecord,
  isInstant,
  readJsonRecord,
  replaceJsonRecord,
  type JsonObject,
} from "../../storage/json-record.ts";
import { SerialQueue } from "../base/queue.ts";
import { equalBytes, fromHex, toHex, type Sha256 } from "../base/bytes.ts";
import { exceedsChars } from "../../shared/text.ts";
import { API_KEY_NAME_CHARS_MAX } from "../../shared/limits.ts";

/** `ReadOnly` keys read stats; `Admin` keys also manage keys and delete data. */
export const KEY_SCOPES = ["ReadOnly", "Admin"] as const;

type KeyScope = (typeof KEY_SCOPES)[number];

/** The rights of a key. */
export interface KeyRights {
  readonly scope: KeyScope;
  /** The sites that it is limited to; null for all sites. */
  readonly sites: readonly SiteId[] | null;
}

/** The stored part of a key, in memory and in its record: everything but the key itself. */
export interface ApiKey extends KeyRights {
  /** SHA-256 of the whole key, in hex. */
  readonly keyHash: string;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly revoked: boolean;
}

interface ApiKeysParts {
  readonly records: RecordStore;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Revoked ones included. */
  readonly keysMax: number;
  readonly log: Log;
}

/** The prefix of the records. */
export const API_KEYS_FOLDER = "keys/";

const RECORD = /^keys\/([0-9a-f]{64})\.json$/;

const KEY_BYTES = 32;

const KEY = new RegExp(`^${API_KEY_PREFIX}[0-9a-f]{${KEY_BYTES * 2}}$`);

const recordOf = (keyHash: string): string => `${API_KEYS_FOLDER}${keyHash}.json`;

const isScope = (value: unknown): value is KeyScope => KEY_SCOPES.some((scope) => scope === value);

const isValidName = (name: string): boolean => name !== "" && !exceedsChars(name, API_KEY_NAME_CHARS_MAX);

const isSiteList = (value: unknown): value is readonly SiteId[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= API_KEY_SITES_MAX &&
  value.every((id) => typeof id === "string" && isSiteId(id));

/** null when the object is not a record that `create` or `revoke` wrote for this hash. */
function keyOf({ keyHash, name, scope, sites = null, createdAt, revoked }: JsonObject, wantedHash: string): ApiKey | null {
  const isComplete =
    keyHash === wantedHash &&
    typeof name === "string" &&
    isValidName(name) &&
    isScope(scope) &&
    (sites === null || isSiteList(sites)) &&
    isInstant(createdAt) &&
    typeof revoked === "boolean";
  return isComplete ? { keyHash: wantedHash, name, scope, sites, createdAt, revoked } : null;
}

/** The record of a key. One for all sites has no field `sites`. */
const recorded = ({ sites, ...key }: ApiKey): object => (sites === null ? key : { ...key, sites });

/** The key of a record; null when the name is not that of a key record, or the record is gone. Rejects when it is damaged. */
export async function readApiKey(records: Pick<RecordStore, "read">, name: string): Promise<ApiKey | null> {
  const [, keyHash] = RECORD.exec(name) ?? [];
  const record = keyHash === undefined ? null : await readJsonRecord(records, name);
  if (keyHash === undefined || record === null) return null;
  const key = keyOf(record, keyHash);
  if (key === null) throw damagedRecord(name, "it holds no API key of this hash");
  return key;
}

function notStored(cause: unknown): never {
  throw new AppError({ code: "not_stored" }, "The key could not be stored and does not work. The server's log says why.", { cause });
}

interface KnownKey {
  readonly hash: Uint8Array;
  key: ApiKey;
}

export class ApiKeys {
  readonly #parts: ApiKeysParts;
  readonly #known: KnownKey[];
  readonly #queue = new SerialQueue({ waitingMax: API_KEY_CHANGES_WAITING_MAX, retryAfterSecs: 1 });

  private constructor(parts: ApiKeysParts, keys: readonly ApiKey[]) {
    this.#parts = parts;
    this.#known = keys.map((key) => ({ hash: fromHex(key.keyHash), key }));
  }

  /** Rejects when a record is damaged: skipping it would lose the key, or the fact that it is revoked. */
  static async open(parts: ApiKeysParts): Promise<ApiKeys> {
    const keys: ApiKey[] = [];
    for (const name of await parts.records.list(API_KEYS_FOLDER)) {
      const key = await readApiKey(parts.records, name);
      if (key) keys.push(key);
      else parts.log.warn("a record among the API keys is not an API key and is ignored", { name });
    }
    return new ApiKeys(parts, keys);
  }

  /** All keys, revoked ones included, in order of creation. */
  list(): ApiKey[] {
    const order = ({ createdAt, keyHash }: ApiKey): string => `${createdAt} ${keyHash}`;
    return this.#known.map(({ key }) => key).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** null when the key is unknown or revoked. Compares with every key in constant time, so the time reveals nothing about them. */
  rightsOf(key: string): KeyRights | null {
    if (!KEY.test(key)) return null;
    const hash = this.#parts.sha256(key);
    let rights: KeyRights | null = null;
    for (const known of this.#known) {
      if (equalBytes(known.hash, hash) && !known.key.revoked) rights = { scope: known.key.scope, sites: known.key.sites };
    }
    return rights;
  }

  /**
   * The only time that the key itself is returned. It works once it is stored: 400 when there are too many keys, 500 when it cannot be
   * stored.
   */
  create(name: string, { scope, sites }: KeyRights, nowMs: EpochMs, signal: AbortSignal): Promise<ApiKey & { readonly key: string }> {
    const { records, sha256, randomBytes } = this.#parts;
    return this.#queue.run(async () => {
      await this.#makeRoom();
      const key = API_KEY_PREFIX + toHex(randomBytes(KEY_BYTES));
      const hash = sha256(key);
      const kept: ApiKey = { keyHash: toHex(hash), name, scope, sites, createdAt: new Date(nowMs).toISOString(), revoked: false };
      await createJsonRecord(records, recordOf(kept.keyHash), recorded(kept)).catch(notStored);
      this.#known.push({ hash, key: kept });
      return { ...kept, key };
    }, signal);
  }

  /**
   * Revokes a key at once. 404 when it is unknown; 503 when the change cannot be stored: the key then works again after a
   * restart, and a retry may store it.
   */
  async revoke(keyHash: string, signal: AbortSignal): Promise<void> {
    const known = this.#known.find(({ key }) => key.keyHash === keyHash);
    if (!known) throw new AppError({ code: "not_found" }, "Key not found");
    known.key = { ...known.key, revoked: true };
    await this.#queue.run(() => {
      return replaceJsonRecord(this.#parts.records, recordOf(keyHash), recorded(known.key)).catch((cause: unknown) => {
        throw storageUnavailable(
          "The key is revoked, but only until the next restart, because the change could not be stored. Try again later.",
          cause,
        );
      });
    }, signal);
  }

  /** Removes the oldest revoked key when there are as many keys as allowed. */
  async #makeRoom(): Promise<void> {
    const { records, keysMax } = this.#parts;
    if (this.#known.length < keysMax) return;
    const oldest = this.list().find(({ revoked }) => revoked);
    if (!oldest) throw invalidInput(`There are already ${keysMax} API keys, the maximum. Revoke one first.`);
    await records.remove(recordOf(oldest.keyHash)).catch(notStored);
    this.#known.splice(
      this.#known.findIndex(({ key }) => key === oldest),
      1,
    );
  }
}
