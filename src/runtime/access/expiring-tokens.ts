/** Random tokens that expire, stored as hashes: login sessions (docs/http-api.md, "Login sessions") and the tokens of guests. */
import type { EpochMs } from "../../storage/event.ts";
import { toHex, type Sha256 } from "../base/bytes.ts";

/**
 * The port for what logins leave until the service restarts. On Node that is memory; a host that may end an idle instance without a restart
 * stores it. Entries contain no client address, and only hashes of tokens and of the setup code.
 */
export interface KeptEntry {
  readonly key: string;
  readonly value: string;
  /** Wall clock: a monotonic clock begins again with the instance. */
  readonly endMs: EpochMs;
}

/** Entries of one kind. A change is durable before a response that depends on it is sent. */
export interface KeptEntries {
  /** The earliest end first. */
  list(): readonly KeptEntry[];
  set(entry: KeptEntry): void;
  remove(key: string): void;
}

type KeptKind = "session" | "viewer" | "setup_code";

export type KeepEntries = (kind: KeptKind) => KeptEntries;

/** Memory outlives everything but a restart. */
export const KEPT_IN_MEMORY: KeptEntries = { list: () => [], set() {}, remove() {} };

interface ExpiringTokensOptions {
  readonly ttlSecs: number;
  readonly tokensMax: number;
  readonly sha256: Sha256;
  readonly now: () => EpochMs;
  readonly monotonicMs: () => number;
  readonly kept?: KeptEntries;
}

interface Entry {
  readonly value: string;
  /** Monotonic ms. */
  readonly endMs: number;
}

class ExpiringTokens {
  readonly #options: ExpiringTokensOptions;
  readonly #kept: KeptEntries;
  /** Keyed by hash, earliest end first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: ExpiringTokensOptions) {
    this.#options = options;
    this.#kept = options.kept ?? KEPT_IN_MEMORY;
    const { ttlSecs, now, monotonicMs } = options;
    for (const { key, value, endMs } of this.#kept.list()) {
      // A wall clock that was set back prolongs no token beyond what a new one lasts.
      const leftMs = Math.min(endMs - now(), ttlSecs * 1000);
      if (leftMs > 0) this.#entries.set(key, { value, endMs: monotonicMs() + leftMs });
      else this.#kept.remove(key);
    }
  }

  /** The token that ends first ends now when there are too many. */
  begin(token: string, value = ""): void {
    const { ttlSecs, tokensMax, now, monotonicMs } = this.#options;
    for (const [hash, { endMs }] of this.#entries) {
      if (endMs > monotonicMs() && this.#entries.size < tokensMax) break;
      this.#remove(hash);
    }
    const hash = this.hashOf(token);
    this.#entries.set(hash, { value, endMs: monotonicMs() + ttlSecs * 1000 });
    this.#kept.set({ key: hash, value, endMs: now() + ttlSecs * 1000 });
  }

  /** null for an unknown or expired token. */
  valueOf(token: string): string | null {
    const entry = this.#entries.get(this.hashOf(token));
    return entry !== undefined && this.#options.monotonicMs() < entry.endMs ? entry.value : null;
  }

  /** Does nothing for an unknown token. */
  end(token: string): void {
    this.#remove(this.hashOf(token));
  }

  /** Ends the tokens for which `isEnded` is true of hash and value, the earliest end first. */
  endWhere(isEnded: (hash: string, value: string) => boolean): void {
    for (const [hash, { value }] of this.#entries) if (isEnded(hash, value)) this.#remove(hash);
  }

  countOf(value: string): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.value === value) count++;
    return count;
  }

  hashOf(token: string): string {
    return toHex(this.#options.sha256(token));
  }

  #remove(hash: string): void {
    if (this.#entries.delete(hash)) this.#kept.remove(hash);
  }
}

interface SessionsOptions extends Omit<ExpiringTokensOptions, "tokensMax"> {
  readonly sessionsMax: number;
  readonly randomBytes: (length: number) => Uint8Array;
}

const TOKEN_BYTES = 32;

const SESSION_TOKEN = /^[0-9a-f]{64}$/;

export const isSessionToken = (text: string): boolean => SESSION_TOKEN.test(text);

export const newSessionToken = (randomBytes: (length: number) => Uint8Array): string => toHex(randomBytes(TOKEN_BYTES));

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #tokens: ExpiringTokens;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#tokens = new ExpiringTokens({ ...options, tokensMax: options.sessionsMax });
  }

  /** The token of a new session. The oldest session ends when there are too many. */
  begin(): string {
    const token = newSessionToken(this.#options.randomBytes);
    this.#tokens.begin(token);
    return token;
  }

  isValid(token: string): boolean {
    return isSessionToken(token) && this.#tokens.valueOf(token) !== null;
  }

  /** Ends the session; does nothing for an unknown token. */
  end(token: string): void {
    if (isSessionToken(token)) this.#tokens.end(token);
  }

  endOthers(tokens: readonly string[]): void {
    const kept = new Set(tokens.filter(isSessionToken).map((token) => this.#tokens.hashOf(token)));
    this.#tokens.endWhere((hash) => !kept.has(hash));
  }
}

/** `~`, with which no site id begins, and 256 random bits in base64url (RFC 4648, 5): share links and the tokens of their guests. */
const LINK_TOKEN = /^~[A-Za-z0-9_-]{43}$/;

export const isLinkToken = (text: string): boolean => LINK_TOKEN.test(text);

export function newLinkToken(randomBytes: (length: number) => Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...randomBytes(TOKEN_BYTES)));
  return `~${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

interface GuestTokensOptions extends ExpiringTokensOptions {
  /** Limits the tokens per link: guests of one link do not end the tokens of another. */
  readonly tokensOfShareMax: number;
  readonly randomBytes: (length: number) => Uint8Array;
}

export class GuestTokens {
  readonly #options: GuestTokensOptions;
  /** Their values are the hashes of links. */
  readonly #tokens: ExpiringTokens;

  constructor(options: GuestTokensOptions) {
    this.#options = options;
    this.#tokens = new ExpiringTokens(options);
  }

  /** A new token for the link. Its oldest one ends when there are too many of it, and the oldest of all when there are too many in all. */
  begin(shareHash: string): string {
    const { tokensOfShareMax, randomBytes } = this.#options;
    let tooMany = this.#tokens.countOf(shareHash) - tokensOfShareMax + 1;
    this.#tokens.endWhere((_, value) => value === shareHash && tooMany-- > 0);
    const token = newLinkToken(randomBytes);
    this.#tokens.begin(token, shareHash);
    return token;
  }

  /** The hash of the link that the token stands for; null for an unknown or expired token. */
  shareHashOf(token: string): string | null {
    return isLinkToken(token) ? this.#tokens.valueOf(token) : null;
  }
}
