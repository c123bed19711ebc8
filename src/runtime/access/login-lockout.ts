/**
 * The lockout of an address after consecutive wrong passwords (docs/http-api.md, "Login"): of the login, or of each share link separately.
 * IPv6 counts by /64 network. In memory only, because addresses are never stored.
 */
import { LruMap } from "../../storage/lru-map.ts";
import { AppError } from "../base/errors.ts";
import { rateLimitKeyOf } from "../base/rate-limit.ts";

interface LoginLockoutOptions {
  /** Consecutive failures that lock an address out; 0 disables the lockout. */
  readonly attemptsMax: number;
  readonly lockoutSecs: number;
  /** Seconds after the last failure until fewer failures are forgotten; infinite if only a success clears them. */
  readonly rowSecs: number;
  /** Addresses whose failures are counted, once for each link. */
  readonly addressesMax: number;
  readonly monotonicMs: () => number;
}

interface Failures {
  readonly count: number;
  /** Time of the last one. */
  readonly atMs: number;
}

/** No hash is empty. */
const LOGIN = "";

const keyOf = (address: string, shareHash: string): string => `${rateLimitKeyOf(address)} ${shareHash}`;

/** `shareHash` is that of the link whose password it is. */
export class LoginLockout {
  readonly #options: LoginLockoutOptions;
  /** Keyed by network and link, the least recent failure first. */
  readonly #failures: LruMap<string, Failures>;
  #lastFailureMs = Number.NEGATIVE_INFINITY;

  constructor(options: LoginLockoutOptions) {
    this.#options = options;
    this.#failures = new LruMap({ max: options.addressesMax });
  }

  /** 429 with the remaining seconds when the address is locked out. */
  check(address: string, shareHash = LOGIN): void {
    const failures = this.#counting(keyOf(address, shareHash));
    if (!failures || !this.#isLocked(failures)) return;
    const retryAfterSecs = Math.ceil(this.#leftMs(failures) / 1000);
    throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many failed login attempts. Try again later.");
  }

  /** Counts a failure and returns whether the address is locked out now. */
  fail(address: string, shareHash = LOGIN): boolean {
    const { attemptsMax, monotonicMs } = this.#options;
    if (attemptsMax === 0) return false;
    const key = keyOf(address, shareHash);
    const failures = { count: (this.#counting(key)?.count ?? 0) + 1, atMs: monotonicMs() };
    this.#lastFailureMs = failures.atMs;
    this.#failures.set(key, failures);
    return this.#isLocked(failures);
  }

  /** True if forgetting the failures would give somebody more guesses than waiting for the end of a lockout does. */
  get isNeeded(): boolean {
    const { lockoutSecs, monotonicMs } = this.#options;
    return monotonicMs() < this.#lastFailureMs + lockoutSecs * 1000;
  }

  /** Restarts the count after a success. */
  clear(address: string, shareHash = LOGIN): void {
    this.#failures.delete(keyOf(address, shareHash));
  }

  /** Forgets failures that no longer count. */
  #counting(key: string): Failures | undefined {
    const failures = this.#failures.peek(key);
    if (failures === undefined || this.#leftMs(failures) > 0) return failures;
    this.#failures.delete(key);
    return undefined;
  }

  #leftMs(failures: Failures): number {
    const { lockoutSecs, rowSecs, monotonicMs } = this.#options;
    return failures.atMs + (this.#isLocked(failures) ? lockoutSecs : rowSecs) * 1000 - monotonicMs();
  }

  #isLocked({ count }: Failures): boolean {
    return this.#options.attemptsMax > 0 && count >= this.#options.attemptsMax;
  }
}
