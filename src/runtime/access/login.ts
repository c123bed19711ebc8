/**
 * The uses of the password: a session, or another password (docs/http-api.md, "Login" and "Change of password"). Attempts run one after the
 * other, so that concurrent ones cannot evade the lockout.
 */
import type { Counters } from "../base/metrics/metrics.ts";
import { AppError } from "../base/errors.ts";
import type { Log } from "../base/metrics/log.ts";
import type { AdminPassword } from "./admin-password.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { Sessions } from "./expiring-tokens.ts";
import type { PasswordQueue } from "./password-queue.ts";

interface LoginParts {
  readonly adminPassword: AdminPassword;
  readonly lockout: LoginLockout;
  readonly sessions: Sessions;
  readonly queue: PasswordQueue;
  readonly counters: Counters;
  readonly log: Log;
}

export interface LoginAttempt {
  readonly password: string;
  /** The client's. In memory while it has failures, and nowhere else. */
  readonly address: string;
  readonly signal: AbortSignal;
}

interface PasswordChange extends LoginAttempt {
  readonly newPassword: string;
  /** The tokens of the caller's session, which stays. All others end. */
  readonly sessionTokens: readonly string[];
}

export class Login {
  readonly #parts: LoginParts;

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /** Checks that need no password: 400 when none is set, 429 when the address is locked out. */
  check(address: string): void {
    const { adminPassword, lockout } = this.#parts;
    adminPassword.checkLoginIsOpen();
    lockout.check(address);
  }

  /** The token of a new session. 401 for a wrong password, 429 when the address is locked out or too many attempts wait. */
  attempt({ password, address, signal }: LoginAttempt): Promise<string> {
    const { sessions, queue } = this.#parts;
    const turn = { source: "login", address, signal } as const;
    return queue.run(async () => {
      if (await this.#isCorrect(password, address)) return sessions.begin();
      throw new AppError({ code: "unauthenticated" }, "Invalid password");
    }, turn);
  }

  /** Sets another password and ends all other sessions. 401 without a session, 403 for a wrong password, 429 as for a login. */
  async changePassword({ password, newPassword, address, sessionTokens, signal }: PasswordChange): Promise<void> {
    const { adminPassword, sessions, queue } = this.#parts;
    adminPassword.checkChange(newPassword);
    const turn = { source: "owner", signal } as const;
    await queue.run(async () => {
      // An earlier change in the queue, or a logout meanwhile, may have ended the caller's session.
      if (!sessionTokens.some((token) => sessions.isValid(token))) throw new AppError({ code: "unauthenticated" }, "The session has ended");
      if (!(await this.#isCorrect(password, address))) throw new AppError({ code: "forbidden" }, "The current password is wrong");
      await adminPassword.change(newPassword);
      sessions.endOthers(sessionTokens);
    }, turn);
  }

  /** Counts a wrong password. Call it from within the queue: earlier attempts may have locked the address out. */
  async #isCorrect(password: string, address: string): Promise<boolean> {
    const { adminPassword, lockout, counters, log } = this.#parts;
    lockout.check(address);
    if (await adminPassword.matches(password)) {
      lockout.clear(address);
      return true;
    }
    counters.loginFailures++;
    if (lockout.fail(address)) log.warn("an address is locked out after too many wrong passwords");
    return false;
  }
}
