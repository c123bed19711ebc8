/** What a viewer gets for the password of a share link, to send in its place: random, held hashed and in memory only. */
import { isLinkToken, newLinkToken } from "./link-token.ts";
import { toHex, type Sha256 } from "./sha256.ts";

export interface ViewerTokensOptions {
  readonly ttlSecs: number;
  readonly tokensMax: number;
  /** So that viewers of one link do not end the tokens of another. */
  readonly tokensOfShareMax: number;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly monotonicMs: () => number;
}

interface Viewing {
  readonly shareHash: string;
  readonly endMs: number;
}

export class ViewerTokens {
  readonly #options: ViewerTokensOptions;
  /** By the hash of the token, the earliest end first, because all tokens last equally long. */
  readonly #viewings = new Map<string, Viewing>();

  constructor(options: ViewerTokensOptions) {
    this.#options = options;
  }

  /** A new token for the link. Its oldest one ends when there are too many of it, and the oldest of all when there are too many in all. */
  begin(shareHash: string): string {
    const { ttlSecs, tokensMax, sha256, randomBytes, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    this.#makeRoomOf(shareHash);
    for (const [hash, { endMs }] of this.#viewings) {
      if (endMs > nowMs && this.#viewings.size < tokensMax) break;
      this.#viewings.delete(hash);
    }
    const token = newLinkToken(randomBytes);
    this.#viewings.set(toHex(sha256(token)), { shareHash, endMs: nowMs + ttlSecs * 1000 });
    return token;
  }

  #makeRoomOf(shareHash: string): void {
    const own = [...this.#viewings].filter(([, viewing]) => viewing.shareHash === shareHash);
    const [oldest] = own;
    if (oldest && own.length >= this.#options.tokensOfShareMax) this.#viewings.delete(oldest[0]);
  }

  /** The hash of the link that the token stands for; null for an unknown or expired token. */
  shareHashOf(token: string): string | null {
    const viewing = isLinkToken(token) ? this.#viewings.get(toHex(this.#options.sha256(token))) : undefined;
    return viewing !== undefined && this.#options.monotonicMs() < viewing.endMs ? viewing.shareHash : null;
  }
}
