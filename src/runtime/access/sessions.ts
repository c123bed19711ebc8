/** Who is logged in: opaque random tokens, stored as hashes (docs/http-api.md, "Login sessions"). */
import { ExpiringTokens, type ExpiringTokensOptions } from "./expiring-tokens.ts";
import { toHex } from "../base/sha256.ts";

export interface SessionsOptions extends Omit<ExpiringTokensOptions, "tokensMax"> {
  readonly sessionsMax: number;
  readonly randomBytes: (length: number) => Uint8Array;
}

const TOKEN_BYTES = 32;

const TOKEN = /^[0-9a-f]{64}$/;

export class Sessions {
  readonly #options: SessionsOptions;
  readonly #tokens: ExpiringTokens;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#tokens = new ExpiringTokens({ ...options, tokensMax: options.sessionsMax });
  }

  /** The token of a new session. The oldest session ends when there are too many. */
  begin(): string {
    const token = toHex(this.#options.randomBytes(TOKEN_BYTES));
    this.#tokens.begin(token);
    return token;
  }

  isValid(token: string): boolean {
    return TOKEN.test(token) && this.#tokens.valueOf(token) !== null;
  }

  /** Ends the session; does nothing for an unknown token. */
  end(token: string): void {
    if (TOKEN.test(token)) this.#tokens.end(token);
  }

  /** Ends all sessions but those of these tokens. */
  endOthers(tokens: readonly string[]): void {
    const kept = new Set(tokens.filter((token) => TOKEN.test(token)).map((token) => this.#tokens.hashOf(token)));
    this.#tokens.endWhere((hash) => !kept.has(hash));
  }
}
