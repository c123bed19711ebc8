/**
 * The salt of visitor ids and its lifetime (docs/http-api.md, "Visitor ids"; docs/privacy.md). A generated secret belongs to one salt
 * period. It is deleted before the first visitor id of the next period is computed, so that nobody can link the ids of a closed
 * period to addresses. A configured secret is permanent: anyone who has it can compute the salt of any period.
 */
import type { EpochMs } from "../../storage/event.ts";
import type { SecretStore } from "../../storage/secret-store.ts";
import { SALT_RETRY_MS } from "../config/limits.ts";
import { reasonOf, type Log } from "../metrics/log.ts";
import { VISITOR_SALT_LABEL } from "../config/names.ts";
import type { Secret } from "../config/secret.ts";
import type { HmacKey, HmacSha256 } from "./hmac-sha256.ts";
import {
  formatPeriodSecret,
  generateSecret,
  parsePeriodSecret,
  saltPeriodAt,
  saltPeriodNumber,
  type PeriodSecret,
} from "./period-secret.ts";

export interface VisitorSaltOptions {
  /** The `secret` option; null to generate a secret for each period. */
  readonly configured: Secret | null;
  readonly store: SecretStore;
  /** Where another instance owns the secret: that of the salt period that has begun last. Nothing is stored here then. */
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

export class VisitorSalt {
  readonly #options: VisitorSaltOptions;
  readonly #configured: HmacKey | null;
  /** The salt of one period. The generated secret itself is not held in memory. */
  #salt: { readonly period: number; readonly key: HmacKey } | null = null;
  #renewing: Promise<void> | null = null;
  #retryAtMs: EpochMs = 0;

  private constructor(options: VisitorSaltOptions) {
    this.#options = options;
    this.#configured = options.configured && options.hmac.keyFrom(options.configured.reveal());
  }

  /**
   * Uses the stored secret if it belongs to the current period, and replaces it otherwise. A failed replacement is retried later. Rejects
   * when the stored secret cannot be read or is damaged, and when it cannot be deleted although a secret is configured.
   */
  static async open(options: VisitorSaltOptions): Promise<VisitorSalt> {
    const { configured, store, foreign } = options;
    const salt = new VisitorSalt(options);
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

  /** The salt of this instant. null when the secret has to be replaced first (`renew`). Do not store it: it is overwritten. */
  keyAt(timestampMs: EpochMs): HmacKey | null {
    const period = saltPeriodNumber(timestampMs, this.#options.rotationDays);
    if (this.#salt?.period === period) return this.#salt.key;
    return this.#configured && this.#take(period, this.#configured);
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
    const isPause = nowMs < this.#retryAtMs && nowMs >= this.#retryAtMs - SALT_RETRY_MS;
    if (this.#renewing || isPause || this.keyAt(nowMs) !== null) return;
    void this.#attempt(() => this.renew());
  }

  /** Resolves when no replacement is running. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {
      // Reported to the caller that started it.
    });
  }

  /** Milliseconds until the secret has to be replaced; Infinity with a configured secret. */
  msUntilDue(nowMs: EpochMs): number {
    const { rotationDays } = this.#options;
    if (this.#configured || this.#options.foreign) return Number.POSITIVE_INFINITY;
    return this.keyAt(nowMs) === null ? 0 : saltPeriodAt(nowMs, rotationDays).endMs - nowMs;
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
    const { store, rotationDays, now } = this.#options;
    const period = saltPeriodAt(now(), rotationDays);
    const isOfPeriod = stored?.period?.firstDay === period.firstDay && stored.period.days === period.days;
    if (stored === null || (stored.period !== null && !isOfPeriod)) return this.renew();
    // A secret of an older version stays until the end of the current period, so that an upgrade counts no visitor twice.
    if (stored.period === null) await store.write(formatPeriodSecret(stored.secret, period));
    this.#takeGenerated(period.number, stored.secret);
  }

  /** Deletes the old secret first: whatever fails afterwards, nothing is left that links the ids of the closed period. */
  async #replace(): Promise<void> {
    const { store, rotationDays, randomBytes, now, foreign } = this.#options;
    this.#forget();
    if (foreign) return this.#takeForeign(await foreign());
    await store.erase();
    const period = saltPeriodAt(now(), rotationDays);
    const secret = generateSecret(randomBytes);
    await store.write(formatPeriodSecret(secret, period));
    this.#takeGenerated(period.number, secret);
  }

  /** Two clocks may differ at the end of a period; an event then has to wait for the slower one. */
  #takeForeign({ secret, period }: PeriodSecret): void {
    const { rotationDays, now } = this.#options;
    const own = saltPeriodAt(now(), rotationDays);
    if (period?.firstDay !== own.firstDay || period.days !== own.days) throw new Error("the secret is of another salt period");
    this.#takeGenerated(own.number, secret);
  }

  #forgetUnlessOf(nowMs: EpochMs): void {
    if (this.#salt?.period !== saltPeriodNumber(nowMs, this.#options.rotationDays)) this.#forget();
  }

  #takeGenerated(period: number, secret: string): void {
    const secretKey = this.#options.hmac.keyFrom(secret);
    this.#take(period, secretKey);
    wipe(secretKey);
  }

  #take(period: number, secretKey: HmacKey): HmacKey {
    const { hmac } = this.#options;
    this.#forget();
    this.#salt = { period, key: hmac.keyFrom(hmac.digest(secretKey, `${VISITOR_SALT_LABEL}|${period}`)) };
    return this.#salt.key;
  }

  #forget(): void {
    if (this.#salt) wipe(this.#salt.key);
    this.#salt = null;
  }
}
