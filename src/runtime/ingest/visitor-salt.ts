/**
 * The secret of one time zone's visitor ids and its lifetime (docs/http-api.md, "Visitor ids"; docs/privacy.md). A generated secret belongs
 * to one salt period of the zone. It is deleted before the first visitor id of the next period is computed, so that nobody can link the ids
 * of a closed period to addresses. A configured secret is permanent: anyone who has it can compute the salt of any period.
 *
 * The salt of an event is that of its own date. Around a change of a site's time zone, this is not always the date of the zone: ids that
 * followed the zone's dates would be those of two dates of the site, and the visitors of days would not add up.
 */
import { periodOf, type Calendar } from "../../storage/calendar.ts";
import type { EpochMs, LocalDate } from "../../storage/event.ts";
import type { StoredSecret } from "../../storage/secret-store.ts";
import { SALT_RETRY_MS } from "../base/config/limits.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import { VISITOR_SALT_LABEL } from "../base/config/names.ts";
import type { Secret } from "../base/config/option-kinds.ts";
import type { HmacKey, HmacSha256 } from "./hmac-sha256.ts";
import {
  formatPeriodSecret,
  generateSecret,
  parsePeriodSecret,
  saltPeriodAt,
  type PeriodSecret,
  type SaltPeriod,
} from "./period-secret.ts";

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
    await salt.#attempt(() => salt.#begin(stored));
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
    if (this.#options.foreign) return this.#forgetUnlessOf(nowMs);
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

  async #begin(stored: PeriodSecret | null): Promise<void> {
    const period = this.#periodAt(this.#options.now());
    if (stored?.period.firstDay !== period.firstDay || stored.period.days !== period.days) return this.renew();
    this.#take(period, stored.secret);
  }

  /** Deletes the old secret first: whatever fails afterwards, nothing is left that links the ids of the closed period. */
  async #replace(): Promise<void> {
    const { store, timeZone, randomBytes, now, foreign } = this.#options;
    this.#forget();
    this.#isKept = true;
    if (foreign) return this.#takeForeign(await foreign());
    await store.erase();
    const period = this.#periodAt(now());
    const secret = generateSecret(randomBytes);
    await store.write(formatPeriodSecret(secret, period, timeZone));
    this.#take(period, secret);
  }

  async #erase(): Promise<void> {
    const { store, foreign } = this.#options;
    if (!foreign) await store.erase();
    this.#isKept = false;
  }

  /** Two clocks may differ at the end of a period; an event then has to wait for the slower one. */
  #takeForeign({ secret, period }: PeriodSecret): void {
    const own = this.#periodAt(this.#options.now());
    if (period.firstDay !== own.firstDay || period.days !== own.days) throw new Error("the secret is of another salt period");
    this.#take(own, secret);
  }

  #forgetUnlessOf(nowMs: EpochMs): void {
    if (this.#current && !isWithin(this.#current.period, nowMs)) this.#forget();
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
