/** How many consecutive logins of an address may fail before it is locked out (docs/http-api.md, "Login"). IPv6 counts by /64 network. In memory only. */
import type { EpochMs } from "../../storage/event.ts";
import { AppError } from "../errors.ts";
import { rateLimitKeyOf } from "../ingest/rate-limit-key.ts";

export interface LoginLockoutOptions {
  /** Consecutive failures that lock an address out; 0 disables the lockout. */
  readonly attemptsMax: number;
  readonly lockoutSecs: number;
  /** Addresses whose failures are counted. */
  readonly addressesMax: number;
}

interface Failures {
  readonly count: number;
  /** Time of the last one. */
  readonly atMs: EpochMs;
}

export class LoginLockout {
  readonly #options: LoginLockoutOptions;
  /** By network, the least recent failure first: it is evicted first. */
  readonly #failures = new Map<string, Failures>();

  constructor(options: LoginLockoutOptions) {
    this.#options = options;
  }

  /** 429 with the remaining seconds when the address is locked out. */
  check(address: string, nowMs: EpochMs): void {
    const network = rateLimitKeyOf(address);
    const failures = this.#failures.get(network);
    if (!failures || !this.#isLocked(failures)) return;
    // A clock that was set back must not make the wait longer than it may be.
    if (nowMs < failures.atMs) this.#failures.set(network, { ...failures, atMs: nowMs });
    const endMs = Math.min(failures.atMs, nowMs) + this.#options.lockoutSecs * 1000;
    if (nowMs >= endMs) {
      this.#failures.delete(network);
      return;
    }
    const retryAfterSecs = Math.ceil((endMs - nowMs) / 1000);
    throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many failed login attempts. Try again later.");
  }

  /** Counts a failure and returns whether the address is locked out now. */
  fail(address: string, nowMs: EpochMs): boolean {
    const { attemptsMax, addressesMax } = this.#options;
    if (attemptsMax === 0) return false;
    const network = rateLimitKeyOf(address);
    const failures = { count: (this.#failures.get(network)?.count ?? 0) + 1, atMs: nowMs };
    this.#failures.delete(network);
    this.#failures.set(network, failures);
    if (this.#failures.size > addressesMax) this.#forgetOldest();
    return this.#isLocked(failures);
  }

  /** After a success the count starts again. */
  clear(address: string): void {
    this.#failures.delete(rateLimitKeyOf(address));
  }

  #isLocked({ count }: Failures): boolean {
    return this.#options.attemptsMax > 0 && count >= this.#options.attemptsMax;
  }

  #forgetOldest(): void {
    for (const network of this.#failures.keys()) {
      this.#failures.delete(network);
      return;
    }
  }
}
