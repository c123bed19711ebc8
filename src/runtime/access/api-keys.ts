/** API keys: how they are created, stored as hashes, checked and revoked (docs/http-api.md, "API keys"). */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, type RecordStore } from "../../storage/record-store.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import { API_KEY_CHANGES_WAITING_MAX, API_KEY_SITES_MAX } from "../base/config/admin-limits.ts";
import type { Log } from "../base/metrics/log.ts";
import { API_KEY_PREFIX, isSiteId } from "../base/config/names.ts";
import { RecordTable, type RecordKind, type SiteBelongings } from "../base/record-table.ts";
import { equalBytes, fromHex, toHex, type Sha256 } from "../base/bytes.ts";
import { exceedsChars } from "../../shared/text.ts";
import { API_KEY_NAME_CHARS_MAX } from "../../shared/limits.ts";

/** `ReadOnly` keys read stats; `Admin` keys also manage keys and delete data. */
export const KEY_SCOPES = ["ReadOnly", "Admin"] as const;

type KeyScope = (typeof KEY_SCOPES)[number];

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

const KEY_BYTES = 32;

const KEY = new RegExp(`^${API_KEY_PREFIX}[0-9a-f]{${KEY_BYTES * 2}}$`);

const isScope = (value: unknown): value is KeyScope => KEY_SCOPES.some((scope) => scope === value);

const isValidName = (name: string): boolean => name !== "" && !exceedsChars(name, API_KEY_NAME_CHARS_MAX);

const isSiteList = (value: unknown): value is readonly SiteId[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= API_KEY_SITES_MAX &&
  value.every((id) => typeof id === "string" && isSiteId(id));

function parseApiKey({ keyHash, name, scope, sites = null, createdAt, revoked }: JsonObject): ApiKey {
  const isComplete =
    typeof keyHash === "string" &&
    typeof name === "string" &&
    isValidName(name) &&
    isScope(scope) &&
    (sites === null || isSiteList(sites)) &&
    isInstant(createdAt) &&
    typeof revoked === "boolean";
  if (!isComplete) throw new Error("it holds no API key");
  return { keyHash, name, scope, sites, createdAt, revoked };
}

/** The record of a key. One for all sites has no field `sites`. */
const recorded = ({ sites, ...key }: ApiKey): object => (sites === null ? key : { ...key, sites });

function notStored(cause: unknown): never {
  throw new AppError({ code: "not_stored" }, "The key could not be stored and does not work. The server's log says why.", { cause });
}

function onlyUntilRestart(cause: unknown): never {
  throw storageUnavailable(
    "The key is revoked, but only until the next restart, because the change could not be stored. Try again later.",
    cause,
  );
}

interface KnownKey {
  readonly key: ApiKey;
  readonly hash: Uint8Array;
}

const withHash = (key: ApiKey): KnownKey => ({ key, hash: fromHex(key.keyHash) });

export const API_KEY_RECORDS: RecordKind<KnownKey> = {
  folder: "keys",
  keyOf: ({ key }) => key.keyHash,
  hashOf: (keyHash) => keyHash,
  json: ({ key }) => recorded(key),
  parse: (json) => withHash(parseApiKey(json)),
};

export class ApiKeys implements SiteBelongings<SiteId> {
  readonly #parts: ApiKeysParts;
  readonly #table: RecordTable<KnownKey>;

  private constructor(parts: ApiKeysParts, table: RecordTable<KnownKey>) {
    this.#parts = parts;
    this.#table = table;
  }

  static async open(parts: ApiKeysParts): Promise<ApiKeys> {
    return new ApiKeys(parts, await RecordTable.open(API_KEY_RECORDS, { ...parts, changesWaitingMax: API_KEY_CHANGES_WAITING_MAX }));
  }

  /** All keys, revoked ones included, in order of creation. */
  list(): ApiKey[] {
    const order = ({ createdAt, keyHash }: ApiKey): string => `${createdAt} ${keyHash}`;
    return Array.from(this.#table.values(), ({ key }) => key).sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** True if a key works. */
  get hasAny(): boolean {
    for (const { key } of this.#table.values()) if (!key.revoked) return true;
    return false;
  }

  /** null when the key is unknown or revoked. Compares with every key in constant time, so the time reveals nothing about them. */
  rightsOf(key: string): KeyRights | null {
    if (!KEY.test(key)) return null;
    const hash = this.#parts.sha256(key);
    let rights: KeyRights | null = null;
    for (const { hash: knownHash, key: known } of this.#table.values()) {
      if (equalBytes(knownHash, hash) && !known.revoked) rights = { scope: known.scope, sites: known.sites };
    }
    return rights;
  }

  /**
   * The only time that the key itself is returned. It works once it is stored: 400 when there are too many keys, 500 when it cannot be
   * stored.
   */
  create(name: string, { scope, sites }: KeyRights, nowMs: EpochMs, signal: AbortSignal): Promise<ApiKey & { readonly key: string }> {
    const { sha256, randomBytes } = this.#parts;
    return this.#table.inTurn(async () => {
      await this.#makeRoom();
      const key = API_KEY_PREFIX + toHex(randomBytes(KEY_BYTES));
      const kept: ApiKey = { keyHash: toHex(sha256(key)), name, scope, sites, createdAt: new Date(nowMs).toISOString(), revoked: false };
      await this.#table.put(kept.keyHash, withHash(kept)).catch(notStored);
      return { ...kept, key };
    }, signal);
  }

  /**
   * Revokes a key at once. 404 when it is unknown; 503 when the change cannot be stored: the key then works again after a
   * restart, and a retry may store it.
   */
  async revoke(keyHash: string, signal: AbortSignal): Promise<void> {
    const revoked = this.#table.get(keyHash);
    if (!revoked) throw new AppError({ code: "not_found" }, "Key not found");
    this.#table.set(keyHash, withHash({ ...revoked.key, revoked: true }));
    await this.#table.inTurn(() => this.#table.save(keyHash).catch(onlyUntilRestart), signal);
  }

  /**
   * Takes a site from the keys that are limited to it; those that have no other are revoked. Resolves with their number; 503 when a change
   * could not be stored.
   */
  removeSite(siteId: SiteId, signal: AbortSignal): Promise<number> {
    return this.#table.inTurn(async () => {
      const ofSite = this.list().filter(({ sites, revoked }) => !revoked && sites?.includes(siteId));
      for (const key of ofSite) {
        const sites = key.sites?.filter((other) => other !== siteId) ?? [];
        const changed = sites.length > 0 ? { ...key, sites } : { ...key, revoked: true };
        this.#table.set(key.keyHash, withHash(changed));
        await this.#table.save(key.keyHash).catch(onlyUntilRestart);
      }
      return ofSite.length;
    }, signal);
  }

  // See `SiteBelongings`.

  /** A key may be for sites that do not exist yet. */
  hasSite(): boolean {
    return false;
  }

  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#table.inTurn(task, signal);
  }

  moveSite(from: SiteId, to: SiteId): void {
    for (const key of this.list()) {
      if (!key.sites?.includes(from)) continue;
      const sites = [...new Set(key.sites.map((siteId) => (siteId === from ? to : siteId)))];
      this.#table.set(key.keyHash, withHash({ ...key, sites }));
    }
  }

  async saveMoved(_from: SiteId, to: SiteId): Promise<void> {
    for (const { keyHash, sites } of this.list()) if (sites?.includes(to)) await this.#table.save(keyHash);
  }

  /** Removes the oldest revoked key when there are as many keys as allowed. */
  async #makeRoom(): Promise<void> {
    const { keysMax } = this.#parts;
    if (this.#table.size < keysMax) return;
    const oldest = this.list().find(({ revoked }) => revoked);
    if (!oldest) throw invalidInput(`There are already ${keysMax} API keys, the maximum. Revoke one first.`);
    await this.#table.put(oldest.keyHash, null).catch(notStored);
  }
}
