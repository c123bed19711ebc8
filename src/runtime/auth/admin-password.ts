/** The instance's one password: chosen at setup and kept as a hash, or given by an option (contract 2.4). */
import type { RecordStore } from "../../storage/record-store.ts";
import { AppError, invalidInput } from "../errors.ts";
import { exceedsBytes, exceedsChars } from "../ingest/code-points.ts";
import { ADMIN_PASSWORD_CHARS_MIN, PASSWORD_BYTES_MAX } from "../config/limits.ts";
import type { Secret } from "../config/secret.ts";
import { createJsonRecord, damagedRecord, readJsonRecord } from "./json-record.ts";
import type { PasswordHasher } from "./password-hasher.ts";
import { parsePhc } from "./phc.ts";
import type { SerialQueue } from "./serial-queue.ts";

/** The record that holds its hash. */
export const ADMIN_RECORD = "admin.json";

export interface AdminPasswordParts {
  readonly records: RecordStore;
  readonly hasher: PasswordHasher;
  /** Hashing is done one at a time, and with it whatever depends on the outcome. */
  readonly queue: SerialQueue;
  /** The option's, which goes before the stored one. */
  readonly configured: Secret | null;
}

/** The stored hash; null when there is none. Rejects when it is damaged. */
export async function readPasswordHash(records: Pick<RecordStore, "read">): Promise<string | null> {
  const record = await readJsonRecord(records, ADMIN_RECORD);
  if (record === null) return null;
  const { passwordHash } = record;
  if (typeof passwordHash !== "string" || !parsePhc(passwordHash)) throw damagedRecord(ADMIN_RECORD, "it holds no password hash");
  return passwordHash;
}

const alreadyConfigured = (): AppError => new AppError({ code: "already_configured" }, "Admin password already configured");

function checkLength(password: string): void {
  if (!exceedsChars(password, ADMIN_PASSWORD_CHARS_MIN - 1)) {
    throw invalidInput(`Password must be at least ${ADMIN_PASSWORD_CHARS_MIN} characters`);
  }
  if (exceedsBytes(password, PASSWORD_BYTES_MAX)) throw invalidInput(`Password must be at most ${PASSWORD_BYTES_MAX} bytes in UTF-8`);
}

export class AdminPassword {
  readonly #parts: AdminPasswordParts;
  /** null while there is none, or while the option's has not been hashed yet. */
  #hash: string | null;

  private constructor(parts: AdminPasswordParts, hash: string | null) {
    this.#parts = parts;
    this.#hash = hash;
  }

  /**
   * Rejects when the stored hash is damaged: to go on as if there were none would open the setup to everybody, if not now
   * then when the option is taken away.
   */
  static async open(parts: AdminPasswordParts): Promise<AdminPassword> {
    const stored = await readPasswordHash(parts.records);
    return new AdminPassword(parts, parts.configured === null ? stored : null);
  }

  get isConfigured(): boolean {
    return this.#parts.configured !== null || this.#hash !== null;
  }

  /** 409 when there is a password. */
  checkSetupIsOpen(): void {
    if (this.isConfigured) throw alreadyConfigured();
  }

  /** 400 when there is no password to log in with. */
  checkLoginIsOpen(): void {
    if (!this.isConfigured) throw invalidInput("No admin password configured. Use /api/auth/setup first.");
  }

  /** Makes it the password once its hash is stored. 409 when there is one, 400 when it is too short or too long, 500 when it cannot be stored. */
  async setUp(password: string, signal: AbortSignal): Promise<void> {
    this.checkSetupIsOpen();
    checkLength(password);
    const { records, hasher, queue } = this.#parts;
    await queue.run(async () => {
      this.checkSetupIsOpen();
      const passwordHash = await hasher.hash(password);
      await createJsonRecord(records, ADMIN_RECORD, { passwordHash }).catch((cause: unknown) => {
        throw new AppError({ code: "not_stored" }, "The password could not be stored and is not set. The server's log says why.", {
          cause,
        });
      });
      this.#hash = passwordHash;
    }, signal);
  }

  /** Whether it is the password. To be called in a turn of the hasher. */
  async matches(password: string): Promise<boolean> {
    this.checkLoginIsOpen();
    // None is that long, and the work of a hash grows with the password.
    if (exceedsBytes(password, PASSWORD_BYTES_MAX)) return false;
    const { hasher, configured } = this.#parts;
    this.#hash ??= await hasher.hash(configured?.reveal() ?? "");
    return hasher.verify(password, this.#hash);
  }
}
