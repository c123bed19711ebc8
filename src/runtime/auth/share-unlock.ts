/**
 * The password of a share link, which opens it for a viewer (docs/sharing.md). Attempts share queue and lockout with the login. A
 * right password does not clear an address's failures: one link's password must not allow more guesses at another, or at the admin's.
 */
import { PASSWORD_BYTES_MAX } from "../config/limits.ts";
import { exceedsBytes } from "../config/code-points.ts";
import { AppError, invalidInput } from "../errors.ts";
import type { Counters } from "../metrics/counters.ts";
import type { Log } from "../metrics/log.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import type { SerialQueue } from "./serial-queue.ts";
import { shareNotFound, type Shares } from "./shares.ts";
import type { ViewerTokens } from "./viewer-tokens.ts";

export interface ShareUnlockParts {
  readonly shares: Shares;
  readonly viewerTokens: ViewerTokens;
  readonly hasher: PasswordHasher;
  readonly lockout: LoginLockout;
  readonly queue: SerialQueue;
  readonly counters: Counters;
  readonly log: Log;
}

export interface UnlockAttempt {
  /** Of the link. */
  readonly token: string;
  readonly password: string;
  /** The client's. In memory while it has failures, and nowhere else. */
  readonly address: string;
  readonly signal: AbortSignal;
}

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

  /** 404 for a link that does not work, 400 if it has no password, 429 when the address is locked out. */
  check(token: string, address: string): void {
    this.#passwordHashOf(token);
    this.#parts.lockout.check(address);
  }

  /** A viewer token. 401 for a wrong password, 429 when the address is locked out or too many passwords wait. */
  attempt({ token, password, address, signal }: UnlockAttempt): Promise<string> {
    const { shares, viewerTokens, lockout, queue } = this.#parts;
    return queue.run(async () => {
      // The link may have been revoked while the attempt waited, or while it was checked.
      const passwordHash = this.#passwordHashOf(token);
      lockout.check(address);
      if (!(await this.#matches(password, passwordHash))) throw this.#failed(address);
      const found = shares.find(token);
      if (found === null) throw shareNotFound();
      return viewerTokens.begin(found.share.shareHash);
    }, signal);
  }

  #passwordHashOf(token: string): string {
    const found = this.#parts.shares.find(token);
    if (found === null) throw shareNotFound();
    if (found.share.passwordHash === null) throw invalidInput("The share link has no password");
    return found.share.passwordHash;
  }

  /** No password is longer than the maximum, and the cost of a hash grows with its length. */
  async #matches(password: string, passwordHash: string): Promise<boolean> {
    return !exceedsBytes(password, PASSWORD_BYTES_MAX) && this.#parts.hasher.verify(password, passwordHash);
  }

  #failed(address: string): AppError {
    const { lockout, counters, log } = this.#parts;
    counters.loginFailures++;
    if (lockout.fail(address)) log.warn("an address is locked out after too many wrong passwords");
    return new AppError({ code: "unauthenticated" }, "Invalid password");
  }
}
