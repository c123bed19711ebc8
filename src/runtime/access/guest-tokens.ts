/** What a guest gets for the password of a share link, to send in its place: random, and stored as a hash. */
import { ExpiringTokens, type ExpiringTokensOptions } from "./expiring-tokens.ts";
import { isLinkToken, newLinkToken } from "./link-token.ts";

export interface GuestTokensOptions extends ExpiringTokensOptions {
  /** So that guests of one link do not end the tokens of another. */
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
