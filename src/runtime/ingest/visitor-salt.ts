/**
 * Which salt visitor ids are made with, and how long it can be known. A generated secret belongs to exactly one salt period: it is
 * erased when another period is there, before an event of that one is given an id, so that ids of closed periods can be linked to
 * nobody. A configured secret stays; whoever has it can compute the salt of any period.
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
  /** The `secret` option; null has one generated for each period. */
  readonly configured: Secret | null;
  readonly store: SecretStore;
  /** Length of a salt period: a whole number from 1. */
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
  /** Of one period at a time. The generated secret itself is not kept: the salt is all that ids need. */
  #salt: { readonly period: number; readonly key: HmacKey } | null = null;
  #renewing: Promise<void> | null = null;
  #retryAtMs: EpochMs = 0;

  private constructor(options: VisitorSaltOptions) {
    this.#options = options;
    this.#configured = options.configured && options.hmac.keyFrom(options.configured.reveal());
  }

  /**
   * Takes the stored secret if it is of the present period, and else replaces it. Rejects when what is stored cannot be read, or is no
   * secret, or cannot be erased although one is configured. A replacement that fails is tried again later, as after the end of any period.
   */
  static async open(options: VisitorSaltOptions): Promise<VisitorSalt> {
    const { configured, store } = options;
    const salt = new VisitorSalt(options);
    if (configured) {
      // One that was generated before would still link the period that it was made for.
      await store.erase();
      return salt;
    }
    const text = await store.read();
    const stored = text === null ? null : parsePeriodSecret(text, store.location);
    await salt.#attempt(() => salt.#begin(stored));
    return salt;
  }

  /** The key that ids of this instant are made with. null when the secret has to be replaced first (`renew`). Do not keep it: it is overwritten. */
  keyAt(timestampMs: EpochMs): HmacKey | null {
    const period = saltPeriodNumber(timestampMs, this.#options.rotationDays);
    if (this.#salt?.period === period) return this.#salt.key;
    return this.#configured && this.#take(period, this.#configured);
  }

  /**
   * Replaces the secret by one of the present period; resolves once that is durable, and rejects when it cannot be stored. Those who ask
   * at the same time share one replacement. A clock that goes back over the end of a period gets a new secret too, because the old
   * one is gone: each time it crosses midnight, visitors of that day are counted again, and events wait for the disk.
   */
  renew(): Promise<void> {
    this.#renewing ??= this.#replace().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  /** Begins to replace a secret whose period is over although no event has come, and again some time after a failure. Nobody waits for it. */
  renewIfDue(nowMs: EpochMs): void {
    const isPause = nowMs < this.#retryAtMs && nowMs >= this.#retryAtMs - SALT_RETRY_MS;
    if (this.#renewing || isPause || this.keyAt(nowMs) !== null) return;
    void this.#attempt(() => this.renew());
  }

  /** Resolves when no replacement is under way. */
  async settled(): Promise<void> {
    await this.#renewing?.catch(() => {
      // Whoever began it has heard of it.
    });
  }

  /** Until the present period ends; 0 when its secret is still missing. Nothing is due with a configured secret. */
  msUntilDue(nowMs: EpochMs): number {
    const { rotationDays } = this.#options;
    if (this.#configured) return Number.POSITIVE_INFINITY;
    return this.keyAt(nowMs) === null ? 0 : saltPeriodAt(nowMs, rotationDays).endMs - nowMs;
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const { now, log } = this.#options;
      this.#retryAtMs = now() + SALT_RETRY_MS;
      log.error("the secret of visitor ids could not be replaced; it is tried again, and with every event, which is refused until then", {
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
    // What an older version stored goes on to the end of the present period, so that an upgrade counts nobody again.
    if (stored.period === null) await store.write(formatPeriodSecret(stored.secret, period));
    this.#takeGenerated(period.number, stored.secret);
  }

  /** The old secret goes first: whatever fails after that, nothing is left that links the period that has ended. */
  async #replace(): Promise<void> {
    const { store, rotationDays, randomBytes, now } = this.#options;
    this.#forget();
    await store.erase();
    const period = saltPeriodAt(now(), rotationDays);
    const secret = generateSecret(randomBytes);
    await store.write(formatPeriodSecret(secret, period));
    this.#takeGenerated(period.number, secret);
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
