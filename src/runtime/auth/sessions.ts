/** Who is logged in: opaque random tokens, stored as hashes, in memory only (docs/http-api.md, "Sessions"). */
import type { EpochMs } from "../../storage/event.ts";
import { toHex, type Sha256 } from "./sha256.ts";

export interface SessionsOptions {
  readonly ttlSecs: number;
  readonly sessionsMax: number;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
}

const TOKEN_BYTES = 32;

const TOKEN = /^[0-9a-f]{64}$/;

export class Sessions {
  readonly #options: SessionsOptions;
  /** Expiry by the hash of the token, the earliest first, because all sessions last equally long. */
  readonly #endMs = new Map<string, EpochMs>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** The token of a new session. The oldest session ends when there are too many. */
  begin(nowMs: EpochMs): string {
    const { ttlSecs, sessionsMax, randomBytes } = this.#options;
    for (const [hash, endMs] of this.#endMs) {
      if (endMs > nowMs && this.#endMs.size < sessionsMax) break;
      this.#endMs.delete(hash);
    }
    const token = toHex(randomBytes(TOKEN_BYTES));
    this.#endMs.set(this.#hashOf(token), nowMs + ttlSecs * 1000);
    return token;
  }

  isValid(token: string, nowMs: EpochMs): boolean {
    if (!TOKEN.test(token)) return false;
    const endMs = this.#endMs.get(this.#hashOf(token));
    return endMs !== undefined && nowMs < endMs;
  }

  /** Ends the session; does nothing for an unknown token. */
  end(token: string): void {
    if (TOKEN.test(token)) this.#endMs.delete(this.#hashOf(token));
  }

  #hashOf(token: string): string {
    return toHex(this.#options.sha256(token));
  }
}
