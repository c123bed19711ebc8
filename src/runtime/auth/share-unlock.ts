/**
 * The password of a share link, which opens it for a viewer (docs/sharing.md). Attempts share their queue with the login, of which each
 * link may take a part only, and have a lockout of their own: whoever mistypes a link's password, or knows it, changes nothing for
 * another link or for the login.
 */
import { PASSWORD_BYTES_MAX } from "../config/auth-limits.ts";
import { exceedsBytes } from "../config/code-points.ts";
import { AppError, invalidInput } from "../errors.ts";
import type { RateLimit } from "../ingest/rate-limit.ts";
import type { Counters } from "../metrics/counters.ts";
import type { Log } from "../metrics/log.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import type { SerialQueue } from "./serial-queue.ts";
import type { Share } from "./share.ts";
import { shareNotFound, type Shares } from "./shares.ts";
import type { ViewerTokens } from "./viewer-tokens.ts";

export interface ShareUnlockParts {
  readonly shares: Shares;
  readonly viewerTokens: ViewerTokens;
  readonly hasher: PasswordHasher;
  /** Of links. */
  readonly lockout: LoginLockout;
  /** Of attempts, by link. */
  readonly rateLimit: RateLimit;
  readonly queue: SerialQueue;
  readonly counters: Counters;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

export interface UnlockAttempt {
  /** Of the link. */
  readonly token: string;
  readonly password: string;
  /** The client's. In memory while it has failures, and nowhere else. */
  readonly address: string;
  readonly signal: AbortSignal;
}

type LockedShare = Share & { readonly passwordHash: string };

const hasPassword = (share: Share): share is LockedShare => share.passwordHash !== null;

export class ShareUnlock {
  readonly #parts: ShareUnlockParts;

  constructor(parts: ShareUnlockParts) {
    this.#parts = parts;
  }

  /** The hash of a link's new password, which takes its turn among the logins. */
  hash(password: string, signal: AbortSignal): Promise<string> {
    const { queue, hasher } = this.#parts;
    return queue.run(() => hasher.hash(password), signal);
  }

  /**
   * A viewer token. 404 for a link that does not work, 400 if it has no password, 401 for a wrong one; 429 when the address is locked
   * out of the link, when the link had too many attempts, or when too many passwords wait.
   */
  async attempt({ token, password, address, signal }: UnlockAttempt): Promise<string> {
    const { shares, viewerTokens, lockout, queue } = this.#parts;
    const { shareHash } = this.#shareOf(token);
    lockout.check(address, shareHash);
    this.#limit(shareHash);
    return queue.run(async () => {
      // The link may have been revoked while the attempt waited, or while it was checked.
      const { passwordHash } = this.#shareOf(token);
      lockout.check(address, shareHash);
      if (!(await this.#matches(password, passwordHash))) throw this.#failed(address, shareHash);
      lockout.clear(address, shareHash);
      if (shares.find(token) === null) throw shareNotFound();
      return viewerTokens.begin(shareHash);
    }, signal);
  }

  #shareOf(token: string): LockedShare {
    const found = this.#parts.shares.find(token);
    if (found === null) throw shareNotFound();
    if (!hasPassword(found.share)) throw invalidInput("The share link has no password");
    return found.share;
  }

  #limit(shareHash: string): void {
    const { rateLimit, monotonicMs } = this.#parts;
    const verdict = rateLimit.take(shareHash, monotonicMs());
    if (verdict.allowed) return;
    const { retryAfterSecs } = verdict;
    throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many passwords were sent for this link. Try again later.");
  }

  /** No password is longer than the maximum, and the cost of a hash grows with its length. */
  async #matches(password: string, passwordHash: string): Promise<boolean> {
    return !exceedsBytes(password, PASSWORD_BYTES_MAX) && this.#parts.hasher.verify(password, passwordHash);
  }

  #failed(address: string, shareHash: string): AppError {
    const { lockout, counters, log } = this.#parts;
    counters.loginFailures++;
    if (lockout.fail(address, shareHash))
      log.warn("an address is locked out of a share link after too many wrong passwords", { shareHash });
    return new AppError({ code: "unauthenticated" }, "Invalid password");
  }
}
