/** The one-time code that opens setup from a host name that may be an attacker's: random, in memory only, void once a password is set. */
import type { EpochMs } from "../../storage/event.ts";
import type { Counters } from "../metrics/counters.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../metrics/log.ts";
import { Secret } from "../config/secret.ts";
import type { AdminPassword } from "./admin-password.ts";
import { equalBytes } from "./equal-bytes.ts";
import type { LoginLockout } from "./login-lockout.ts";

/** Crockford's base 32: no I, L, O or U, so that nothing looks like anything else. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Five bits each, 80 in all. */
const CODE_CHARS = 16;
const GROUP_CHARS = 4;

/** 32 divides 256, so every character is equally likely. */
const charOf = (byte: number): string => ALPHABET[byte % ALPHABET.length] ?? "";

const grouped = (code: string): string => (code.match(new RegExp(`.{${GROUP_CHARS}}`, "g")) ?? []).join("-");

/** What somebody typed, as the code is compared: capitals without dashes and spaces, look-alikes read as what they look like. */
const canonical = (typed: string): string => typed.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export interface SetupCodeParts {
  readonly adminPassword: Pick<AdminPassword, "isConfigured" | "checkSetupIsOpen">;
  /** The login's: who is locked out there is locked out here, and wrong codes count as wrong passwords. */
  readonly lockout: LoginLockout;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly counters: Counters;
  readonly log: Log;
  readonly now: () => EpochMs;
}

export class SetupCode {
  readonly #parts: SetupCodeParts;
  readonly #code: Secret;

  constructor(parts: SetupCodeParts) {
    this.#parts = parts;
    this.#code = new Secret(Array.from(parts.randomBytes(CODE_CHARS), charOf).join(""));
  }

  /** The code as it is printed, in groups; null once there is a password. */
  reveal(): string | null {
    return this.#parts.adminPassword.isConfigured ? null : grouped(this.#code.reveal());
  }

  /** Resolves nothing and throws: 409 when there is a password, 429 when the address is locked out, 403 for a wrong code. */
  check(typed: string, address: string): void {
    const { adminPassword, lockout, counters, log, now } = this.#parts;
    adminPassword.checkSetupIsOpen();
    lockout.check(address, now());
    if (equalBytes(bytesOf(canonical(typed)), bytesOf(this.#code.reveal()))) {
      lockout.clear(address);
      return;
    }
    counters.loginFailures++;
    if (lockout.fail(address, now())) log.warn("an address is locked out of setup and login after too many wrong setup codes");
    throw new AppError(
      { code: "unverified_host" },
      "The setup code is wrong: a new one is printed in the log each time the service starts, and only the latest works.",
    );
  }
}

/** Warns that there is no password, and tells the code: the only secret in the log, because it works once and only until then. */
export function logSetupCode(setupCode: SetupCode, log: Log): void {
  const code = setupCode.reveal();
  if (code === null) return;
  log.warn(
    "no admin password is set: anyone who can reach this address can read the statistics and set the password. " +
      "Under a host name, the dashboard asks for this one-time setup code, which is void once a password is set",
    { setupCode: code },
  );
}
