/** How many consecutive logins of an address may fail before it is locked out (docs/http-api.md, "Login"). IPv6 counts by /64 network. In memory only. */
import { AppError } from "../errors.ts";
import { rateLimitKeyOf } from "../ingest/rate-limit-key.ts";

export interface LoginLockoutOptions {
  /** Consecutive failures that lock an address out; 0 disables the lockout. */
  readonly attemptsMax: number;
  readonly lockoutSecs: number;
  /** Addresses whose failures are counted. */
  readonly addressesMax: number;
  readonly monotonicMs: () => number;
}

interface Failures {
  readonly count: number;
  /** Time of the last one. */
  readonly atMs: number;
}

export class LoginLockout {
  readonly #options: LoginLockoutOptions;
  /** By network, the least recent failure first: it is evicted first. */
  readonly #failures = new Map<string, Failures>();

  constructor(options: LoginLockoutOptions) {
    this.#options = options;
  }

  /** 429 with the remaining seconds when the address is locked out. */
  check(address: string): void {
    const network = rateLimitKeyOf(address);
    const failures = this.#failures.get(network);
    if (!failures || !this.#isLocked(failures)) return;
    const leftMs = failures.atMs + this.#options.lockoutSecs * 1000 - this.#options.monotonicMs();
    if (leftMs <= 0) {
      this.#failures.delete(network);
      return;
    }
    const retryAfterSecs = Math.ceil(leftMs / 1000);
    throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many failed login attempts. Try again later.");
  }

  /** Counts a failure and returns whether the address is locked out now. */
  fail(address: string): boolean {
    const { attemptsMax, addressesMax, monotonicMs } = this.#options;
    if (attemptsMax === 0) return false;
    const network = rateLimitKeyOf(address);
    const failures = { count: (this.#failures.get(network)?.count ?? 0) + 1, atMs: monotonicMs() };
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
