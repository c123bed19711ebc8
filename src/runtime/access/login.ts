/**
 * The uses of the password: a session, or another password (docs/http-api.md, "Login" and "Change of password"). Attempts run one after the
 * other, so that concurrent ones cannot evade the lockout.
 */
import type { Counters } from "../base/metrics/metrics.ts";
import { AppError } from "../base/errors.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { AdminPassword } from "./admin-password.ts";
import type { LoginLockout } from "./login-lockout.ts";
import type { Sessions } from "./expiring-tokens.ts";
import type { Device, PersistentSessions } from "./persistent-sessions.ts";
import type { PasswordQueue } from "./password-queue.ts";

interface LoginParts {
  readonly adminPassword: AdminPassword;
  readonly lockout: LoginLockout;
  readonly sessions: Sessions;
  readonly persistentSessions: PersistentSessions;
  readonly queue: PasswordQueue;
  readonly counters: Counters;
  readonly log: Log;
}

export interface PasswordAttempt {
  readonly password: string;
  /** The client's. In memory while it has failures, and nowhere else. */
  readonly address: string;
  readonly signal: AbortSignal;
}

interface LoginAttempt extends PasswordAttempt {
  /** The device that stays logged in; null for a session without `remember`. */
  readonly device: Device | null;
}

export interface NewSession {
  readonly token: string;
  readonly isPersistent: boolean;
}

interface PasswordChange extends PasswordAttempt {
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

  /** A new session. 401 for a wrong password, 429 when the address is locked out or too many attempts wait. */
  attempt({ password, address, device, signal }: LoginAttempt): Promise<NewSession> {
    const turn = { source: "login", address, signal } as const;
    return this.#parts.queue.run(async () => {
      // Within the queue: a change of the password must not come between the check and the session.
      if (await this.#isCorrect(password, address)) return this.begin(device);
      throw new AppError({ code: "unauthenticated" }, "Invalid password");
    }, turn);
  }

  /** A persistent session for a device. One that cannot be stored becomes one without `remember`: on a full disk, too, owners log in. */
  async begin(device: Device | null): Promise<NewSession> {
    const { sessions, persistentSessions, log } = this.#parts;
    try {
      if (device !== null) return { token: await persistentSessions.begin(device), isPersistent: true };
    } catch (error) {
      log.warn("a session could not be stored, and lasts until the next restart at most", { reason: reasonOf(error) });
    }
    return { token: sessions.begin(), isPersistent: false };
  }

  isLoggedIn(token: string): boolean {
    const { sessions, persistentSessions } = this.#parts;
    return sessions.isValid(token) || persistentSessions.isValid(token);
  }

  /** Ends the sessions of the tokens, and never rejects. */
  async logOut(tokens: readonly string[]): Promise<void> {
    for (const token of tokens) this.#parts.sessions.end(token);
    await this.#parts.persistentSessions.logOut(tokens);
  }

  /** Ends all sessions at once. 503 when that cannot be stored: a retry may store it. */
  async logOutEverywhere(): Promise<void> {
    this.#parts.sessions.endOthers([]);
    await this.#parts.persistentSessions.endAll();
  }

  /** Sets another password and ends all other sessions. 401 without a session, 403 for a wrong password, 429 as for a login. */
  async changePassword({ password, newPassword, address, sessionTokens, signal }: PasswordChange): Promise<void> {
    const { adminPassword, sessions, persistentSessions, queue } = this.#parts;
    adminPassword.checkChange(newPassword);
    const turn = { source: "owner", signal } as const;
    await queue.run(async () => {
      // An earlier change in the queue, or a logout meanwhile, may have ended the caller's session.
      const validTokens = sessionTokens.filter((token) => this.isLoggedIn(token));
      if (validTokens.length === 0) throw new AppError({ code: "unauthenticated" }, "The session has ended");
      if (!(await this.#isCorrect(password, address))) throw new AppError({ code: "forbidden" }, "The current password is wrong");
      await adminPassword.change(newPassword);
      sessions.endOthers(validTokens);
      await persistentSessions.keepOnly(validTokens);
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
