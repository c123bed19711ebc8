/**
 * The secret of one time zone's visitor ids and its lifetime (docs/http-api.md, "Visitor ids"; docs/privacy.md). A generated secret belongs
 * to one salt period of the zone. It is deleted before the first visitor id of the next period is computed, so that nobody can link the ids
 * of a closed period to addresses. A configured secret is permanent: anyone who has it can compute the salt of any period.
 *
 * The salt of an event is that of its own date. Around a change of a site's time zone, this is not always the date of the zone: ids that
 * followed the zone's dates would be those of two dates of the site, and the visitors of days would not add up.
 */
import { type Calendar, firstDateOfPeriod, periodOf } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate } from "../../storage/event.ts";
import { type SecretName, type StoredSecret, UTC_SECRET } from "../../storage/secret-store.ts";
import { toHex } from "../base/bytes.ts";
import { SALT_RETRY_MS } from "../base/config/limits.ts";
import { VISITOR_SALT_LABEL } from "../base/config/names.ts";
import type { Secret } from "../base/config/option-kinds.ts";
import { type Log, reasonOf } from "../base/metrics/log.ts";
import { createSHA256 } from "hash-wasm";

/** `days` whole days of a time zone, counted from 1970-01-01. Changing `visitor_salt_rotation_days` changes all periods. */
interface SaltPeriod {
  readonly firstDay: LocalDate;
  readonly days: number;
  readonly startMs: EpochMs;
  /** Start of the next one. */
  readonly endMs: EpochMs;
}

export function saltPeriodAt(timestampMs: EpochMs, days: number, calendar: Calendar): SaltPeriod {
  const period = periodOf(calendar.dateOf(timestampMs), days);
  const firstDay = firstDateOfPeriod(period, days);
  const endMs = calendar.startOf(firstDateOfPeriod(period + 1, days));
  return { firstDay, days, startMs: calendar.startOf(firstDay), endMs };
}

/**
 * The name under which the secret of a time zone is stored: `america-port-of-spain` for `America/Port_of_Spain`, `etc-gmt-plus-5` for
 * `Etc/GMT+5`. Two names of the database always differ in it, but two spellings of one may not.
 */
export const secretNameOf = (timeZone: string): SecretName =>
  timeZone === "UTC" ? UTC_SECRET : timeZone.toLowerCase().replaceAll("+", "-plus-").replaceAll(/[/_]/g, "-");

const SECRET_BYTES = 32;

export const formatPeriodSecret = (secret: string, { firstDay, days }: SaltPeriod, timeZone: string): string =>
  `${JSON.stringify({ secret, firstDay, days, ...(timeZone !== "UTC" && { timeZone }) })}\n`;

/** The stored form of a generated secret names its period, so that no other period uses it. */
export interface PeriodSecret {
  readonly secret: string;
  /** null for a secret of version 0.1.0, which belonged to no period. */
  readonly period: Pick<SaltPeriod, "firstDay" | "days"> | null;
  /** Absent for UTC. */
  readonly timeZone?: string;
}

const SECRET = /^[0-9a-f]{64}$/;

/** Throws when the text is not a secret that this or an older version stored. */
export function parsePeriodSecret(text: string, location: string): PeriodSecret {
  const bare = text.trim();
  if (SECRET.test(bare)) return { secret: bare, period: null };
  const { secret, firstDay, days, timeZone } = fieldsOf(bare);
  if (typeof secret === "string" && SECRET.test(secret)) {
    if (firstDay === undefined && days === undefined) return { secret, period: null };
    const isOfPeriod = typeof firstDay === "string" && typeof days === "number";
    const period = isOfPeriod && { firstDay: firstDay as LocalDate, days };
    if (period && timeZone === undefined) return { secret, period };
    if (period && typeof timeZone === "string") return { secret, period, timeZone };
  }
  throw damagedSecret(location);
}

/** Quotes nothing of the text, as the message of JSON.parse would. */
export const damagedSecret = (location: string): Error =>
  new Error(
    `${location} does not hold the secret that was stored there; remove it to start with a new one, which counts the visitors of the current salt period again`,
  );

function fieldsOf(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

export interface VisitorSaltOptions {
  /** The `secret` option; null to generate a secret for each period. */
  readonly configured: Secret | null;
  readonly store: StoredSecret;
  /** The time zone whose dates count salt periods: an IANA name, and its days. */
  readonly timeZone: string;
  readonly calendar: Calendar;
  /** Set if another instance owns the secret: returns that of the salt period that began last. Nothing is stored here then. */
  readonly foreign?: () => Promise<PeriodSecret>;
  /** Length of a salt period: an integer of at least 1. */
  readonly rotationDays: number;
  readonly hmac: HmacSha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly now: () => EpochMs;
  readonly log: Log;
}

function wipe({ inner, outer }: HmacKey): void {
  inner.fill(0);
  outer.fill(0);
}

const isOf = ({ firstDay, days }: SaltPeriod, { period }: PeriodSecret): boolean => period?.firstDay === firstDay && period.days === days;

const isWithin = ({ startMs, endMs }: SaltPeriod, timestampMs: EpochMs): boolean => timestampMs >= startMs && timestampMs < endMs;

/** The part of a secret that HMAC needs, and the salts made from it. The text of a generated secret is not kept in memory. */
interface CurrentSecret {
  readonly period: SaltPeriod;
  readonly key: HmacKey;
  /** Keys by the salt period of the event's date: few, because a site's date is at most days behind that of the zone. */
  readonly salts: Map<number, HmacKey>;
}

export class VisitorSalt {
  readonly #options: VisitorSaltOptions;
  readonly #configured: HmacKey | null;
  #current: CurrentSecret | null = null;
  #renewing: Promise<void> | null = null;
  #retryAtMs: EpochMs = 0;
  /** There may be a secret. It is replaced without an event. */
  #isKept: boolean;

  /** Has no secret before `renew`. `isStored`: there is a secret of an earlier process, which is not used. */
  constructor(options: VisitorSaltOptions, isStored = false) {
    this.#options = options;
    this.#isKept = isStored;
    this.#configured = options.configured && options.hmac.keyFrom(options.configured.reveal());
  }

  /**
   * Uses the stored secret if it belongs to the current period, and replaces it otherwise. A failed replacement is retried later. Rejects
   * when the stored secret cannot be read or is damaged, and when it cannot be deleted although a secret is configured.
   */
  static async open(options: VisitorSaltOptions): Promise<VisitorSalt> {
    const { configured, store, foreign } = options;
    const salt = new VisitorSalt(options, true);
    if (foreign) return salt;
    if (configured) {
      // A secret that was generated before could still link the ids of its period.
      await store.erase();
      return salt;
    }
    const text = await store.read();
    const stored = text === null ? null : parsePeriodSecret(text, store.location);
    await salt.#attempt(async () => {
      const period = salt.#periodAt(options.now());
      if (stored === null || (stored.period !== null && !isOf(period, stored))) return salt.renew();
      // A secret of version 0.1.0 stays until the end of the current period, so that an upgrade counts no visitor twice.
      if (stored.period === null) await store.write(formatPeriodSecret(stored.secret, period, options.timeZone));
      salt.#take(period, stored.secret);
    });
    return salt;
  }

  /** True if there is a secret of this instant. If not, it has to be replaced first (`renew`). */
  isReadyAt(timestampMs: EpochMs): boolean {
    return this.#secretAt(timestampMs) !== null;
  }

  /** The salt of an event of this instant, which its site counts to the date. null without a secret. Do not store it: it is overwritten. */
  keyAt(timestampMs: EpochMs, date: LocalDate): HmacKey | null {
    const secret = this.#secretAt(timestampMs);
    return secret && this.#saltOf(secret, periodOf(date, this.#options.rotationDays));
  }

  /**
   * Replaces the secret by one of the current period. Resolves once it is durable, rejects when it cannot be stored. Concurrent callers
   * share one replacement. A clock that is set back into a closed period gets a new secret too, because the old one is deleted: then
   * that period's visitors are counted again.
   */
  renew(): Promise<void> {
    this.#renewing ??= this.#replace().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Starts the replacement at the end of a period without waiting for an event, and retries it some time after a failure. */
  renewIfDue(nowMs: EpochMs): void {
    // With another owner, it is asked by the next event.
    if (this.#options.foreign) {
      if (this.#current && !isWithin(this.#current.period, nowMs)) this.#forget();
      return;
    }
    if (!this.#isKept) return;
    const isPause = nowMs < this.#retryAtMs && nowMs >= this.#retryAtMs - SALT_RETRY_MS;
    if (this.#renewing || isPause || this.isReadyAt(nowMs)) return;
    void this.#attempt(() => this.renew());
  }

  /**
   * Deletes the secret, because no site needs it, unless it is being replaced. `renew` makes a new one. Rejects when it cannot be deleted.
   */
  async end(): Promise<void> {
    if (!this.#isKept || this.#renewing) return;
    this.#forget();
    this.#renewing = this.#erase().finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  /** Resolves when no replacement is running. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {
      // Reported to the caller that started it.
    });
  }

  /** Milliseconds until the secret has to be replaced; Infinity without one, and with a configured secret. */
  msUntilDue(nowMs: EpochMs): number {
    if (this.#configured || this.#options.foreign || !this.#isKept) return Number.POSITIVE_INFINITY;
    return this.isReadyAt(nowMs) ? this.#periodAt(nowMs).endMs - nowMs : 0;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { now, log } = this.#options;
      this.#retryAtMs = now() + SALT_RETRY_MS;
      log.error("the secret of visitor ids could not be replaced; events are refused until a retry succeeds", {
        reason: reasonOf(error),
        retryInMs: SALT_RETRY_MS,
      });
    }
  }

  /** Deletes the old secret first: whatever fails afterwards, nothing is left that links the ids of the closed period. */
  async #replace(): Promise<void> {
    const { store, timeZone, randomBytes, now, foreign } = this.#options;
    this.#forget();
    this.#isKept = true;
    if (foreign) return this.#takeForeign(await foreign());
    await store.erase();
    const period = this.#periodAt(now());
    const secret = toHex(randomBytes(SECRET_BYTES));
    await store.write(formatPeriodSecret(secret, period, timeZone));
    this.#take(period, secret);
  }

  async #erase(): Promise<void> {
    const { store, foreign } = this.#options;
    if (!foreign) await store.erase();
    this.#isKept = false;
  }

  /** Two clocks may differ at the end of a period; an event then has to wait for the slower one. */
  #takeForeign(foreign: PeriodSecret): void {
    const own = this.#periodAt(this.#options.now());
    if (!isOf(own, foreign)) throw new Error("the secret is of another salt period");
    this.#take(own, foreign.secret);
  }

  #periodAt(timestampMs: EpochMs): SaltPeriod {
    const { rotationDays, calendar } = this.#options;
    return saltPeriodAt(timestampMs, rotationDays, calendar);
  }

  #secretAt(timestampMs: EpochMs): CurrentSecret | null {
    if (this.#current !== null && isWithin(this.#current.period, timestampMs)) return this.#current;
    return this.#configured && this.#keep(this.#periodAt(timestampMs), this.#configured);
  }

  #saltOf({ key, salts }: CurrentSecret, period: number): HmacKey {
    const { hmac } = this.#options;
    const salt = salts.get(period) ?? hmac.keyFrom(hmac.digest(key, `${VISITOR_SALT_LABEL}|${period}`));
    salts.set(period, salt);
    return salt;
  }

  #take(period: SaltPeriod, secret: string): void {
    this.#keep(period, this.#options.hmac.keyFrom(secret));
  }

  #keep(period: SaltPeriod, key: HmacKey): CurrentSecret {
    this.#forget();
    this.#current = { period, key, salts: new Map() };
    return this.#current;
  }

  #forget(): void {
    if (!this.#current) return;
    const { key, salts } = this.#current;
    for (const salt of salts.values()) wipe(salt);
    if (key !== this.#configured) wipe(key);
    this.#current = null;
  }
}

/** A prepared key: the inner and the outer padded block of RFC 2104. As secret as the key itself. */
export interface HmacKey {
  readonly inner: Uint8Array;
  readonly outer: Uint8Array;
}

/** HMAC-SHA256 (RFC 2104), computed synchronously. */
export interface HmacSha256 {
  /** Prepares a key of any length. Text is encoded as UTF-8. */
  keyFrom(key: string | Uint8Array): HmacKey;
  /** The 32 bytes of the authentication code. Text is encoded as UTF-8. */
  digest(key: HmacKey, message: string | Uint8Array): Uint8Array;
}

const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
const UTF8_BYTES_PER_UNIT_MAX = 3;

/**
 * hash-wasm's own HMAC needs a promise for each key; here one hash object serves all keys. Each hash is a single update over
 * pad and message: restoring the state after the pad takes longer than hashing the pad's block again.
 */
export async function createHmacSha256(): Promise<HmacSha256> {
  const hash = await createSHA256();
  const encoder = new TextEncoder();

  /** A buffer for pad and message, grown to the longest message so far. */
  let padded = new Uint8Array(4 * BLOCK_BYTES);

  function hashAfter(pad: Uint8Array, message: string | Uint8Array): Uint8Array {
    const bytesMax = BLOCK_BYTES + message.length * (typeof message === "string" ? UTF8_BYTES_PER_UNIT_MAX : 1);
    if (padded.length < bytesMax) padded = new Uint8Array(bytesMax);
    padded.set(pad);
    const room = padded.subarray(BLOCK_BYTES);
    if (typeof message !== "string") room.set(message);
    const length = typeof message === "string" ? encoder.encodeInto(message, room).written : message.length;
    return hash
      .init()
      .update(padded.subarray(0, BLOCK_BYTES + length))
      .digest("binary");
  }

  return {
    keyFrom(key) {
      const bytes = typeof key === "string" ? encoder.encode(key) : key;
      const keyBlock = new Uint8Array(BLOCK_BYTES);
      keyBlock.set(bytes.length > BLOCK_BYTES ? hash.init().update(bytes).digest("binary") : bytes);
      return { inner: keyBlock.map((byte) => byte ^ INNER_PAD), outer: keyBlock.map((byte) => byte ^ OUTER_PAD) };
    },
    digest(key, message) {
      return hashAfter(key.outer, hashAfter(key.inner, message));
    },
  };
}
