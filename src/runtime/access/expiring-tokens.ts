/** Random tokens that expire, by their hashes: of login sessions and of guests. All of a kind last equally long. */
import type { EpochMs } from "../../storage/event.ts";
import { KEPT_IN_MEMORY, type KeptEntries } from "./kept-entries.ts";
import { toHex, type Sha256 } from "../base/sha256.ts";

export interface ExpiringTokensOptions {
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

export class ExpiringTokens {
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
