/**
 * The password of a share link, which opens it for a guest (docs/sharing.md). Attempts wait behind those of the login and have a lockout of
 * their own: whoever mistypes a link's password, or knows it, changes nothing for another link or for the login.
 */
import {
  PASSWORD_BYTES_MAX,
  SHARE_UNLOCKS_PER_SECOND,
  SHARE_UNLOCKS_OF_NETWORK_AT_ONCE,
  SHARE_UNLOCKS_AT_ONCE,
  SHARE_UNLOCKS_OF_NETWORK_PER_SECOND,
  SHARE_UNLOCK_NETWORKS_MAX,
  SHARES_MAX,
} from "../base/config/admin-limits.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { wideNetworkOf, createRateLimit, takeFromAll, type RateLimit } from "../base/rate-limit.ts";
import type { Counters } from "../base/metrics/metrics.ts";
import type { Log } from "../base/metrics/log.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { PasswordAttempt } from "./login.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import type { PasswordQueue } from "./password-queue.ts";
import { shareNotFound, type Shares } from "./shares.ts";
import type { GuestTokens } from "./expiring-tokens.ts";
import { exceedsBytes } from "../../shared/text.ts";

const ofLinks = (): RateLimit =>
  createRateLimit({ perSecond: SHARE_UNLOCKS_PER_SECOND, burst: SHARE_UNLOCKS_AT_ONCE, bucketsMax: SHARES_MAX });

/**
 * Limits the password checks per link, whoever sends them (docs/http-api.md, "Guests"). Beyond what all clients may send together, each
 * link has a reserve for networks that have hardly used it: guesses from many addresses of some networks do not keep the right password
 * from another network out, and all guesses together stay bounded.
 */
export class ShareUnlockLimit {
  readonly #monotonicMs: () => number;
  /** Keyed by link. */
  readonly #shared = ofLinks();
  readonly #reserve = ofLinks();
  /** Keyed by link and network. */
  readonly #ofNetworks = createRateLimit({
    perSecond: SHARE_UNLOCKS_OF_NETWORK_PER_SECOND,
    burst: SHARE_UNLOCKS_OF_NETWORK_AT_ONCE,
    bucketsMax: SHARE_UNLOCK_NETWORKS_MAX,
  });

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /**
   * Counts an attempt; 429 when there were too many. Call what it returns if the password was right: its network then keeps its part of the
   * reserve.
   */
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

interface ShareUnlockParts {
  readonly shares: Shares;
  readonly guestTokens: GuestTokens;
  readonly hasher: PasswordHasher;
  readonly lockout: LoginLockout;
  readonly limit: ShareUnlockLimit;
  readonly queue: PasswordQueue;
  readonly counters: Counters;
  readonly log: Log;
}

interface UnlockAttempt extends PasswordAttempt {
  readonly token: string;
}

export class ShareUnlock {
  readonly #parts: ShareUnlockParts;

  constructor(parts: ShareUnlockParts) {
    this.#parts = parts;
  }

  hash(password: string, signal: AbortSignal): Promise<string> {
    const { queue, hasher } = this.#parts;
    return queue.run(() => hasher.hash(password), { source: "owner", signal });
  }

  /**
   * A guest token. 404 for a link that does not work, 400 if it has no password, 401 for a wrong one; 429 when the address is locked
   * out of the link, when the link had too many attempts, or when too many passwords wait.
   */
  async attempt({ token, password, address, signal }: UnlockAttempt): Promise<string> {
    const { shares, guestTokens, hasher, lockout, limit, queue } = this.#parts;
    const { shareHash } = this.#shareOf(token);
    lockout.check(address, shareHash);
    const noteRight = limit.take(shareHash, address);
    const turn = { source: "share", address, signal } as const;
    return queue.run(async () => {
      // The link may have been revoked while the attempt waited, or while it was checked.
      const { passwordHash } = this.#shareOf(token);
      lockout.check(address, shareHash);
      // No password is longer than the maximum, and the cost of a hash grows with its length.
      const isRight = !exceedsBytes(password, PASSWORD_BYTES_MAX) && (await hasher.verify(password, passwordHash));
      if (!isRight) throw this.#failed(address, shareHash);
      lockout.clear(address, shareHash);
      noteRight();
      if (shares.find(token) === null) throw shareNotFound();
      return guestTokens.begin(shareHash);
    }, turn);
  }

  #shareOf(token: string) {
    const found = this.#parts.shares.find(token);
    if (found === null) throw shareNotFound();
    const { shareHash, passwordHash } = found.share;
    if (passwordHash === null) throw invalidInput("The share link has no password");
    return { shareHash, passwordHash };
  }

  #failed(address: string, shareHash: string): AppError {
    const { lockout, counters, log } = this.#parts;
    counters.loginFailures++;
    if (lockout.fail(address, shareHash))
      log.warn("an address is locked out of a share link after too many wrong passwords", { shareHash });
    return new AppError({ code: "unauthenticated" }, "Invalid password");
  }
}
