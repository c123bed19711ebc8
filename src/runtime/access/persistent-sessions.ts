/**
 * Sessions of browsers that stay logged in (docs/http-api.md, "Persistent sessions"). One small record holds all of them, so that each
 * change is one atomic write: a crash leaves what was before it or after it, also when many sessions end at once.
 */
import { DAY_MS, type EpochMs } from "../../storage/event.ts";
import { isInstant, type JsonObject, readRecord, type RecordStore, replaceJsonRecord } from "../../storage/record-store.ts";
import { DEVICE_NAME_CHARS_MAX, PERSISTENT_SESSION_DAYS, PERSISTENT_SESSIONS_MAX } from "../base/config/admin-limits.ts";
import { equalBytes, fromHex, toHex, type Sha256 } from "../base/bytes.ts";
import { AppError, storageUnavailable } from "../base/errors.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import type { AdminPassword } from "./admin-password.ts";
import { isSessionToken, newSessionToken } from "./expiring-tokens.ts";

export const SESSIONS_RECORD = "sessions.json";

/** Names of what a session began on, as far as its browser says. */
export interface Device {
  readonly browser: string | null;
  readonly os: string | null;
}

export interface PersistentSession extends Device {
  /** SHA-256 of the token, in hex. */
  readonly sessionHash: string;
  /** Ties the session to the password it began with (`AdminPassword.bindingOf`), so that replacing the password ends it. */
  readonly binding: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** A date in UTC: more would take a write for each view of the dashboard. */
  readonly lastUsedOn: string;
}

interface PersistentSessionsParts {
  readonly records: RecordStore;
  readonly adminPassword: Pick<AdminPassword, "bindingOf">;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly log: Log;
  readonly now: () => EpochMs;
}

const HASH = /^[0-9a-f]{64}$/;

const isHash = (value: unknown): value is string => typeof value === "string" && HASH.test(value);
const isDate = (value: unknown): value is string => typeof value === "string" && isInstant(`${value}T00:00:00.000Z`);
const isName = (value: unknown): value is string | null =>
  value === null || (typeof value === "string" && value.length <= DEVICE_NAME_CHARS_MAX);

function parseSession(value: unknown): PersistentSession {
  const { sessionHash, binding, createdAt, lastUsedOn, browser, os } = (value ?? {}) as JsonObject;
  const isComplete = isHash(sessionHash) && isHash(binding) && isInstant(createdAt) && isDate(lastUsedOn) && isName(browser) && isName(os);
  if (!isComplete) throw new Error("it holds no sessions");
  return { sessionHash, binding, createdAt, lastUsedOn, browser, os };
}

function parseSessions({ sessions }: JsonObject): PersistentSession[] {
  if (!Array.isArray(sessions) || sessions.length > PERSISTENT_SESSIONS_MAX) throw new Error("it holds no sessions");
  return sessions.map(parseSession);
}

/** The stored sessions; none if there is no record. Rejects when it is damaged. */
export const readPersistentSessions = async (records: Pick<RecordStore, "read">): Promise<readonly PersistentSession[]> =>
  (await readRecord(records, SESSIONS_RECORD, parseSessions)) ?? [];

const dateOf = (ms: EpochMs): string => new Date(ms).toISOString().slice(0, 10);

function onlyUntilRestart(cause: unknown): never {
  throw storageUnavailable("Ended, but only until the next restart, because the change could not be stored. Try again later.", cause);
}

export class PersistentSessions {
  readonly #parts: PersistentSessionsParts;
  /** Keyed by hash. */
  readonly #sessions = new Map<string, PersistentSession>();
  /** The write that waits for the current one. Changes until it begins are in it, so at most one waits. */
  #waiting: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();
  /** False: the record may still have sessions that have ended. */
  #isStored = true;

  private constructor(parts: PersistentSessionsParts) {
    this.#parts = parts;
  }

  /** A damaged record does not stop the start, unlike others: without it nobody may do more, and everyone logs in again. */
  static async open(parts: PersistentSessionsParts): Promise<PersistentSessions> {
    const sessions = new PersistentSessions(parts);
    const stored = await readPersistentSessions(parts.records).catch((error: unknown) => {
      parts.log.warn("the sessions of browsers that stay logged in are lost: log in again", { reason: reasonOf(error) });
      // A later start may be able to read it.
      sessions.#isStored = false;
      return [];
    });
    for (const session of stored) sessions.#sessions.set(session.sessionHash, session);
    return sessions;
  }

  /** The token of a new session, once it is stored. Beyond the limit, the session that was not used for longest ends. */
  async begin({ browser, os }: Device): Promise<string> {
    const { adminPassword, randomBytes, now } = this.#parts;
    const kept = this.#latest().slice(0, PERSISTENT_SESSIONS_MAX - 1);
    this.#sessions.clear();
    for (const session of kept) this.#sessions.set(session.sessionHash, session);
    const token = newSessionToken(randomBytes);
    const sessionHash = this.#hashOf(token);
    this.#sessions.set(sessionHash, {
      sessionHash,
      binding: adminPassword.bindingOf(token),
      createdAt: new Date(now()).toISOString(),
      lastUsedOn: dateOf(now()),
      browser: browser?.slice(0, DEVICE_NAME_CHARS_MAX) ?? null,
      os: os?.slice(0, DEVICE_NAME_CHARS_MAX) ?? null,
    });
    try {
      await this.#store();
    } catch (error) {
      this.#sessions.delete(sessionHash);
      throw error;
    }
    return token;
  }

  isValid(token: string): boolean {
    return this.#validOf(token) !== null;
  }

  /**
   * Prolongs a valid session by its first use of a day, and then returns true: its cookie has to be set again. Nobody waits for the
   * record.
   */
  noteUse(token: string): boolean {
    const { now, log } = this.#parts;
    const session = this.#validOf(token);
    const today = dateOf(now());
    if (session === null || session.lastUsedOn === today) return false;
    this.#sessions.set(session.sessionHash, { ...session, lastUsedOn: today });
    this.#store().catch((error: unknown) => log.warn("the last use of a session could not be recorded", { reason: reasonOf(error) }));
    return true;
  }

  /** The sessions that have not ended, the one that was used last first. Those of the tokens are the caller's. */
  list(tokens: readonly string[]): (PersistentSession & { readonly isCurrent: boolean })[] {
    const own = new Set(this.#hashesOf(tokens));
    return this.#latest().map((session) => ({ ...session, isCurrent: own.has(session.sessionHash) }));
  }

  /** Ends a session at once. 404 when it is unknown; 503 when that cannot be stored: a retry may store it. */
  async end(sessionHash: string): Promise<void> {
    if (!this.#sessions.delete(sessionHash) && this.#isStored) throw new AppError({ code: "not_found" }, "Session not found");
    await this.#store().catch(onlyUntilRestart);
  }

  /** Ends the sessions of the tokens at once, and never rejects: what could not be stored is stored with the next change. */
  async logOut(tokens: readonly string[]): Promise<void> {
    const ended = this.#hashesOf(tokens).filter((hash) => this.#sessions.delete(hash));
    if (ended.length > 0) await this.#store().catch((error: unknown) => this.#warnUnstored(error));
  }

  /** Ends all sessions at once. 503 when that cannot be stored: a retry may store it. */
  async endAll(): Promise<void> {
    if (this.#sessions.size === 0 && this.#isStored) return;
    this.#sessions.clear();
    await this.#store().catch(onlyUntilRestart);
  }

  /**
   * Lets the sessions of the tokens, which were valid before the password changed, outlive the change. All others have ended with it,
   * stored or not.
   */
  async keepOnly(tokens: readonly string[]): Promise<void> {
    if (this.#sessions.size === 0 && this.#isStored) return;
    const kept = tokens.flatMap((token) => {
      const session = isSessionToken(token) ? this.#sessions.get(this.#hashOf(token)) : undefined;
      return session ? [{ ...session, binding: this.#parts.adminPassword.bindingOf(token) }] : [];
    });
    this.#sessions.clear();
    for (const session of kept) this.#sessions.set(session.sessionHash, session);
    await this.#store().catch((error: unknown) => this.#warnUnstored(error));
  }

  /** Resolves when every change is stored that was made before. */
  settled(): Promise<void> {
    return this.#last;
  }

  #latest(): PersistentSession[] {
    const order = ({ lastUsedOn, createdAt }: PersistentSession): string => `${lastUsedOn} ${createdAt}`;
    const recent = [...this.#sessions.values()].filter((session) => this.#isRecent(session));
    return recent.sort((a, b) => (order(a) > order(b) ? -1 : 1));
  }

  #validOf(token: string): PersistentSession | null {
    if (this.#sessions.size === 0 || !isSessionToken(token)) return null;
    const session = this.#sessions.get(this.#hashOf(token));
    if (session === undefined || !this.#isRecent(session)) return null;
    const binding = this.#parts.adminPassword.bindingOf(token);
    return equalBytes(fromHex(session.binding), fromHex(binding)) ? session : null;
  }

  /** False as well for a use far in the future: the wall clock was wrong then. */
  #isRecent({ lastUsedOn }: PersistentSession): boolean {
    const days = (Date.parse(dateOf(this.#parts.now())) - Date.parse(lastUsedOn)) / DAY_MS;
    return Math.abs(days) <= PERSISTENT_SESSION_DAYS;
  }

  #hashOf(token: string): string {
    return toHex(this.#parts.sha256(token));
  }

  #hashesOf(tokens: readonly string[]): string[] {
    return tokens.filter(isSessionToken).map((token) => this.#hashOf(token));
  }

  #warnUnstored(error: unknown): void {
    this.#parts.log.warn("ended sessions could not be stored, and may be valid again after a restart", { reason: reasonOf(error) });
  }

  /** Stores the sessions as they are when the write begins. */
  #store(): Promise<void> {
    const waiting = (this.#waiting ??= this.#last.then(() => {
      this.#waiting = null;
      return replaceJsonRecord(this.#parts.records, SESSIONS_RECORD, { sessions: [...this.#sessions.values()] });
    }));
    this.#last = waiting.then(
      () => void (this.#isStored = true),
      () => void (this.#isStored = false),
    );
    return waiting;
  }
}
