/** How a password becomes a session (docs/http-api.md, "Login"). Attempts run one after the other, so that concurrent ones cannot evade the lockout. */
import type { Counters } from "../metrics/counters.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../metrics/log.ts";
import type { AdminPassword } from "./admin-password.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { Sessions } from "./sessions.ts";
import type { SerialQueue } from "./serial-queue.ts";

export interface LoginParts {
  readonly adminPassword: AdminPassword;
  readonly lockout: LoginLockout;
  readonly sessions: Sessions;
  readonly queue: SerialQueue;
  readonly counters: Counters;
  readonly log: Log;
}

export interface LoginAttempt {
  readonly password: string;
  /** The client's. In memory while it has failures, and nowhere else. */
  readonly address: string;
  readonly signal: AbortSignal;
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
    const { adminPassword, lockout, sessions, queue, counters, log } = this.#parts;
    return queue.run(async () => {
      // Earlier attempts in the queue may have locked the address out.
      lockout.check(address);
      if (await adminPassword.matches(password)) {
        lockout.clear(address);
        return sessions.begin();
      }
      counters.loginFailures++;
      if (lockout.fail(address)) log.warn("an address is locked out after too many wrong passwords");
      throw new AppError({ code: "unauthenticated" }, "Invalid password");
    }, signal);
  }
}
