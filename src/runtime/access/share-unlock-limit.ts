/**
 * How many passwords of a share link are checked, whoever sends them (docs/http-api.md, "Viewers"). Beyond what all may send together, a
 * link has a reserve for networks that have hardly used it: guesses from many addresses of some networks do not keep the right password
 * from another one out, and all guesses together stay bounded.
 */
import {
  SHARES_MAX,
  SHARE_UNLOCKS_AT_ONCE,
  SHARE_UNLOCKS_OF_NETWORK_AT_ONCE,
  SHARE_UNLOCKS_OF_NETWORK_PER_SECOND,
  SHARE_UNLOCKS_PER_SECOND,
  SHARE_UNLOCK_NETWORKS_MAX,
} from "../base/config/admin-limits.ts";
import { AppError } from "../base/errors.ts";
import { wideNetworkOf } from "../base/rate-limit-key.ts";
import { createRateLimit, takeFromAll, type RateLimit } from "../base/rate-limit.ts";

const ofLinks = (): RateLimit =>
  createRateLimit({ perSecond: SHARE_UNLOCKS_PER_SECOND, burst: SHARE_UNLOCKS_AT_ONCE, bucketsMax: SHARES_MAX });

export class ShareUnlockLimit {
  readonly #monotonicMs: () => number;
  /** By link. */
  readonly #shared = ofLinks();
  readonly #reserve = ofLinks();
  /** By link and network. */
  readonly #ofNetworks = createRateLimit({
    perSecond: SHARE_UNLOCKS_OF_NETWORK_PER_SECOND,
    burst: SHARE_UNLOCKS_OF_NETWORK_AT_ONCE,
    bucketsMax: SHARE_UNLOCK_NETWORKS_MAX,
  });

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** Counts an attempt; 429 when there were too many. Call what it returns if the password was right: its network then keeps its part of the reserve. */
  take(shareHash: string, address: string): () => void {
    const nowMs = this.#monotonicMs();
    const verdict = this.#shared.take(shareHash, nowMs);
    if (verdict.allowed) return () => {};
    const ofNetwork = { limit: this.#ofNetworks, key: `${wideNetworkOf(address)} ${shareHash}` };
    if (takeFromAll([{ limit: this.#reserve, key: shareHash }, ofNetwork], nowMs).allowed)
      return () => this.#ofNetworks.giveBack(ofNetwork.key, this.#monotonicMs());
    const { retryAfterSecs } = verdict;
    throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many passwords were sent for this link. Try again later.");
  }
}
