/** The one admin password: chosen at setup and stored as a hash, or set by an option (docs/http-api.md, "Setup"). */
import { ADMIN_PASSWORD_CHARS_MIN } from "../../shared/limits.ts";
import { exceedsBytes, exceedsChars } from "../../shared/text.ts";
import { changeJsonRecord, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { PASSWORD_BYTES_MAX } from "../base/config/admin-limits.ts";
import type { Secret } from "../base/config/option-kinds.ts";
import { variableOf } from "../base/config/options.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { toHex, type Sha256 } from "../base/bytes.ts";
import { parsePhc, type PasswordHasher } from "./password-hasher.ts";
import type { PasswordQueue } from "./password-queue.ts";

export const ADMIN_RECORD = "admin.json";

interface AdminPasswordParts {
  readonly records: RecordStore;
  readonly hasher: PasswordHasher;
  readonly sha256: Sha256;
  /** Runs one hash at a time, together with what depends on its result. */
  readonly queue: PasswordQueue;
  /** The `admin_password` option, which overrides the stored password. */
  readonly configured: Secret | null;
}

/** The stored hash; null when there is none. Rejects when it is damaged. */
export const readPasswordHash = (records: Pick<RecordStore, "read">): Promise<string | null> =>
  readRecord(records, ADMIN_RECORD, ({ passwordHash }) => {
    if (typeof passwordHash !== "string" || !parsePhc(passwordHash)) throw new Error("it holds no password hash");
    return passwordHash;
  });

function checkLength(password: string): void {
  if (!exceedsChars(password, ADMIN_PASSWORD_CHARS_MIN - 1)) {
    throw invalidInput(`Password must be at least ${ADMIN_PASSWORD_CHARS_MIN} characters`);
  }
  if (exceedsBytes(password, PASSWORD_BYTES_MAX)) throw invalidInput(`Password must be at most ${PASSWORD_BYTES_MAX} bytes in UTF-8`);
}

/**
 * Replaces the stored password, even a damaged one, for a host whose instance does not run. 400 when it is too short or too long.
 */
export async function replacePassword(
  { records, hasher }: Pick<AdminPasswordParts, "records" | "hasher">,
  password: string,
): Promise<void> {
  checkLength(password);
  await replaceJsonRecord(records, ADMIN_RECORD, { passwordHash: await hasher.hash(password) });
}

export class AdminPassword {
  readonly #parts: AdminPasswordParts;
  /** null while there is no password, or while the option's has not been hashed yet. */
  #hash: string | null;

  private constructor(parts: AdminPasswordParts, hash: string | null) {
    this.#parts = parts;
    this.#hash = hash;
  }

  /**
   * Rejects when the stored hash is damaged, even if the option overrides it: without a password, anyone could run the setup,
   * and the option may be removed later.
   */
  static async open(parts: AdminPasswordParts): Promise<AdminPassword> {
    const stored = await readPasswordHash(parts.records);
    return new AdminPassword(parts, parts.configured === null ? stored : null);
  }

  get isConfigured(): boolean {
    return this.#parts.configured !== null || this.#hash !== null;
  }

  /** 409 when a password is set. */
  checkSetupIsOpen(): void {
    if (this.isConfigured) throw new AppError({ code: "already_configured" }, "Admin password already configured");
  }

  /** 400 when no password is set. */
  checkLoginIsOpen(): void {
    if (!this.isConfigured) throw invalidInput("No admin password configured. Use /api/auth/setup first.");
  }

  /** Sets the password once its hash is stored. 409 when one is set, 400 when it is too short or too long, 500 when it cannot be stored. */
  async setUp(password: string, signal: AbortSignal): Promise<void> {
    this.checkSetupIsOpen();
    checkLength(password);
    const { records, hasher, queue } = this.#parts;
    const turn = { source: "owner", signal } as const;
    await queue.run(async () => {
      this.checkSetupIsOpen();
      const passwordHash = await hasher.hash(password);
      await changeJsonRecord(records, ADMIN_RECORD, { from: null, to: { passwordHash } }).catch((cause: unknown) => {
        throw new AppError({ code: "not_stored" }, "The password could not be stored and is not set. The server's log says why.", {
          cause,
        });
      });
      this.#hash = passwordHash;
    }, turn);
  }

  /** 400 when the new password is too short or too long, 409 when an option sets the password. */
  checkChange(password: string): void {
    if (this.#parts.configured !== null) {
      const advice = `The admin password is set by admin_password (${variableOf("admin_password")}). Change it there, and restart.`;
      throw new AppError({ code: "already_configured" }, advice);
    }
    checkLength(password);
  }

  /** Replaces the password once the hash of the new one is stored; 500 when it cannot be. Call it from within `queue`. */
  async change(password: string): Promise<void> {
    this.checkChange(password);
    const { records, hasher } = this.#parts;
    const passwordHash = await hasher.hash(password);
    const change = { from: { passwordHash: this.#hash }, to: { passwordHash } };
    await changeJsonRecord(records, ADMIN_RECORD, change).catch((cause: unknown) => {
      const message = "The new password could not be stored, so the current one stays. The server's log says why.";
      throw new AppError({ code: "not_stored" }, message, { cause });
    });
    this.#hash = passwordHash;
  }

  /**
   * A hash over a session's token and what the password is checked against: it changes with the password. Only with the token, of which
   * 256 random bits are stored nowhere, could a password be tried on it.
   */
  bindingOf(token: string): string {
    const { sha256, configured } = this.#parts;
    return toHex(sha256(`${token} ${configured?.reveal() ?? this.#hash ?? ""}`));
  }

  /** True if this is the password. Call it from within `queue`. */
  async matches(password: string): Promise<boolean> {
    this.checkLoginIsOpen();
    // No password is that long, and the cost of a hash grows with its length.
    if (exceedsBytes(password, PASSWORD_BYTES_MAX)) return false;
    const { hasher, configured } = this.#parts;
    this.#hash ??= await hasher.hash(configured?.reveal() ?? "");
    return hasher.verify(password, this.#hash);
  }
}
