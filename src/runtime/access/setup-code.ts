/** The one-time code that permits setup under a host name that may be an attacker's (docs/http-api.md, "Setup"): random, invalid once a password is set. */
import type { Counters } from "../base/metrics/metrics.ts";
import { AppError } from "../base/errors.ts";
import type { Log } from "../base/metrics/log.ts";
import { variableOf } from "../base/config/options.ts";
import { Secret } from "../base/config/option-kinds.ts";
import type { AdminPassword } from "./admin-password.ts";
import { KEPT_IN_MEMORY, type KeptEntries } from "./expiring-tokens.ts";
import type { LoginLockout } from "./login-lockout.ts";
import { equalBytes, fromHex, toHex, type Sha256 } from "../base/bytes.ts";

/** Crockford's Base32: no I, L, O or U, which are easily confused with other characters. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** 80 bits, five each. */
const CODE_CHARS = 16;
const GROUP_CHARS = 4;

/** 32 divides 256, so every character is equally likely. */
const charOf = (byte: number): string => ALPHABET[byte % ALPHABET.length] ?? "";

const grouped = (code: string): string => (code.match(new RegExp(`.{${GROUP_CHARS}}`, "g")) ?? []).join("-");

/** The typed code in capitals, without dashes and spaces, and with letters that look like digits read as these (Crockford's rules). */
const canonical = (typed: string): string => typed.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");

interface SetupCodeParts {
  readonly adminPassword: Pick<AdminPassword, "isConfigured" | "checkSetupIsOpen">;
  /** Shared with the login: wrong codes count as failed logins. */
  readonly lockout: LoginLockout;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly counters: Counters;
  readonly log: Log;
  readonly kept?: KeptEntries;
}

/** The key of its entry, which ends with the setup. */
const CODE = "code";

export class SetupCode {
  readonly #parts: SetupCodeParts;
  readonly #kept: KeptEntries;
  /** null if an earlier instance has logged the code: only its hash was kept. */
  readonly #code: Secret | null;
  readonly #hash: Uint8Array;

  constructor(parts: SetupCodeParts) {
    this.#parts = parts;
    this.#kept = parts.kept ?? KEPT_IN_MEMORY;
    if (parts.adminPassword.isConfigured) this.#kept.remove(CODE);
    const [known] = this.#kept.list();
    const code = Array.from(parts.randomBytes(CODE_CHARS), charOf).join("");
    this.#code = known ? null : new Secret(code);
    this.#hash = known ? fromHex(known.value) : parts.sha256(code);
  }

  /** The code in groups, as it is printed; null once a password is set, and if an earlier instance has logged it. */
  reveal(): string | null {
    return this.#parts.adminPassword.isConfigured || !this.#code ? null : grouped(this.#code.reveal());
  }

  /** The code stays valid until the service restarts. Only a code that was logged may stay: nobody knows another one. */
  keep(): void {
    this.#kept.set({ key: CODE, value: toHex(this.#hash), endMs: Number.MAX_SAFE_INTEGER });
  }

  /** Throws 409 when a password is set, 429 when the address is locked out, 403 when the code is wrong. */
  check(typed: string, address: string): void {
    const { adminPassword, lockout, sha256, counters, log } = this.#parts;
    adminPassword.checkSetupIsOpen();
    lockout.check(address);
    if (equalBytes(sha256(canonical(typed)), this.#hash)) {
      lockout.clear(address);
      return;
    }
    counters.loginFailures++;
    if (lockout.fail(address)) log.warn("an address is locked out after too many wrong setup codes");
    throw new AppError(
      { code: "unverified_host" },
      "The setup code is wrong. The log shows a new one at each start of the service, and only the latest works.",
    );
  }
}

/** Warns that no password is set, and logs the code: the only secret in the log, because it works once and only until a password is set. */
export function logSetupCode(setupCode: SetupCode, log: Log): void {
  const code = setupCode.reveal();
  if (code === null) return;
  log.warn(
    "no admin password is set: anyone who can reach this address can read the statistics and set the password. Set it in the " +
      `dashboard or with ${variableOf("admin_password")}. Under a host name, the dashboard asks for this one-time setup code`,
    { setupCode: code },
  );
  setupCode.keep();
}
