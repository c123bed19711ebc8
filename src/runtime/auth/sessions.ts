/** Who is logged in: opaque random tokens, stored as hashes, in memory only (docs/http-api.md, "Sessions"). */
import { toHex, type Sha256 } from "./sha256.ts";

export interface SessionsOptions {
  readonly ttlSecs: number;
  readonly sessionsMax: number;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly monotonicMs: () => number;
}

const TOKEN_BYTES = 32;

const TOKEN = /^[0-9a-f]{64}$/;

export class Sessions {
  readonly #options: SessionsOptions;
  /** Expiry by the hash of the token, the earliest first, because all sessions last equally long. */
  readonly #endMs = new Map<string, number>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The token of a new session. The oldest session ends when there are too many. */
  begin(): string {
    const { ttlSecs, sessionsMax, randomBytes, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    for (const [hash, endMs] of this.#endMs) {
      if (endMs > nowMs && this.#endMs.size < sessionsMax) break;
      this.#endMs.delete(hash);
    }
    const token = toHex(randomBytes(TOKEN_BYTES));
    this.#endMs.set(this.#hashOf(token), nowMs + ttlSecs * 1000);
    return token;
  }

  isValid(token: string): boolean {
    if (!TOKEN.test(token)) return false;
    const endMs = this.#endMs.get(this.#hashOf(token));
    return endMs !== undefined && this.#options.monotonicMs() < endMs;
  }

  /** Ends the session; does nothing for an unknown token. */
  end(token: string): void {
    if (TOKEN.test(token)) this.#endMs.delete(this.#hashOf(token));
  }

  /** Ends all sessions but those of these tokens. */
  endOthers(tokens: readonly string[]): void {
    const kept = new Set(tokens.filter((token) => TOKEN.test(token)).map((token) => this.#hashOf(token)));
    for (const hash of this.#endMs.keys()) if (!kept.has(hash)) this.#endMs.delete(hash);
  }

  #hashOf(token: string): string {
    return toHex(this.#options.sha256(token));
  }
}
