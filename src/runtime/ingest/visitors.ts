/** Wires visitor ids to their salts. */
import type { EpochMs, LocalDate, SiteId } from "../../storage/event.ts";
import { isImportSecret, type SecretName, type SecretStore, UTC_SECRET } from "../../storage/secret-store.ts";
import { TimeZone } from "../../storage/time-zone.ts";
import type { Config } from "../base/config/config.ts";
import { UNUSED_SALTS_CHECK_MS } from "../base/config/limits.ts";
import { reasonOf } from "../base/metrics/log.ts";
import { calendarFrom } from "../sites/site-calendar.ts";
import {
  createHmacSha256,
  damagedSecret,
  type HmacKey,
  type HmacSha256,
  parsePeriodSecret,
  type PeriodSecret,
  secretNameOf,
  VisitorSalt,
  type VisitorSaltOptions,
} from "./visitor-salt.ts";

/** The pseudonymous visitor id: a hash of site, address and User-Agent with the salt of the period (docs/http-api.md, "Visitor ids"). */
export interface Visit {
  readonly siteId: SiteId;
  /** Used for the hash only. */
  readonly clientAddress: string;
  readonly userAgent: string;
  readonly timestampMs: EpochMs;
  /** A date of the site's calendar. */
  readonly date: LocalDate;
  readonly timeZone: string;
}

export interface VisitorIds {
  /** The first 64 bits of HMAC-SHA256(salt, site | address | User-Agent), unsigned. Throws when the salt of the period is missing. */
  visitorIdOf(visit: Visit): bigint;
}

interface VisitorIdOptions {
  readonly hmac: HmacSha256;
  readonly salts: Pick<VisitorSalts, "keyAt">;
}

export const createVisitorIds = ({ hmac, salts }: VisitorIdOptions): VisitorIds => ({
  visitorIdOf({ siteId, clientAddress, userAgent, timestampMs, date, timeZone }) {
    const key = salts.keyAt(timeZone, timestampMs, date);
    if (key === null) throw new Error("the visitor salt of this period is missing");
    const code = hmac.digest(key, `${siteId}|${clientAddress}|${userAgent}`);
    return new DataView(code.buffer, code.byteOffset).getBigUint64(0);
  },
});

interface VisitorSaltsOptions extends Omit<VisitorSaltOptions, "store" | "foreign" | "timeZone" | "calendar"> {
  readonly store: SecretStore;
  /** Set if another instance owns the secrets: returns that of a zone's salt period that began last. Nothing is stored here then. */
  readonly foreign?: (timeZone: string) => Promise<PeriodSecret>;
  /** The zones that sites are in at an instant. The first always has a secret; the others get theirs with an event. */
  readonly zonesAt: (timestampMs: EpochMs) => readonly string[];
}

/**
 * The salts of visitor ids, one for each time zone that sites are in: a secret ends at midnight there. One of a zone that no site is in any
 * more is deleted (docs/privacy.md, "Visitor ids").
 */
export class VisitorSalts {
  readonly #options: VisitorSaltsOptions;
  /** One secret per zone: two spellings of an alias share it. The time zone database bounds the map. */
  readonly #salts = new Map<SecretName, VisitorSalt>();
  #checkedMs: EpochMs = 0;

  private constructor(options: VisitorSaltsOptions) {
    this.#options = options;
  }

  /**
   * Uses stored secrets of current periods, replaces others, and deletes those of zones that no site is in. Rejects when a stored secret
   * cannot be read or is damaged, and when one cannot be deleted although a secret is configured.
   */
  static async open(options: VisitorSaltsOptions): Promise<VisitorSalts> {
    const { configured, store, foreign, zonesAt, now } = options;
    const salts = new VisitorSalts(options);
    if (foreign) return salts;
    const names = (await store.names()).filter((name) => !isImportSecret(name));
    if (configured) {
      // A secret that was generated before could still link the ids of its period.
      for (const name of names) await store.secret(name).erase();
      return salts;
    }
    const [first = "UTC", ...others] = zonesAt(now());
    for (const name of names) await salts.#openStored(name, [first, ...others]);
    if (!salts.#salts.has(secretNameOf(first))) await salts.#open(first);
    return salts;
  }

  isReadyAt(timeZone: string, timestampMs: EpochMs): boolean {
    return this.#of(timeZone).isReadyAt(timestampMs);
  }

  keyAt(timeZone: string, timestampMs: EpochMs, date: LocalDate): HmacKey | null {
    return this.#of(timeZone).keyAt(timestampMs, date);
  }

  renew(timeZone: string): Promise<void> {
    return this.#of(timeZone).renew();
  }

  renewIfDue(nowMs: EpochMs): void {
    if (Math.abs(nowMs - this.#checkedMs) >= UNUSED_SALTS_CHECK_MS) {
      this.#checkedMs = nowMs;
      void this.#endUnused(nowMs);
    }
    for (const salt of this.#salts.values()) salt.renewIfDue(nowMs);
  }

  /** Resolves when no secret is being replaced or deleted. */
  async settled(): Promise<void> {
    for (const salt of this.#salts.values()) await salt.settled();
  }

  /** Milliseconds until a secret has to be replaced; Infinity if there is none. */
  msUntilDue(nowMs: EpochMs): number {
    return Math.min(...Array.from(this.#salts.values(), (salt) => salt.msUntilDue(nowMs)));
  }

  #of(timeZone: string): VisitorSalt {
    const name = secretNameOf(timeZone);
    const known = this.#salts.get(name);
    if (known) return known;
    const salt = new VisitorSalt(this.#optionsOf(timeZone));
    this.#salts.set(name, salt);
    return salt;
  }

  #optionsOf(timeZone: string): VisitorSaltOptions {
    const { store, foreign, ...options } = this.#options;
    const calendar = calendarFrom({ timeZone, changes: [] });
    const ofZone = { timeZone, calendar, store: store.secret(secretNameOf(timeZone)) };
    return { ...options, ...ofZone, ...(foreign && { foreign: () => foreign(timeZone) }) };
  }

  async #open(timeZone: string): Promise<void> {
    this.#salts.set(secretNameOf(timeZone), await VisitorSalt.open(this.#optionsOf(timeZone)));
  }

  async #openStored(name: SecretName, zones: readonly string[]): Promise<void> {
    const secret = this.#options.store.secret(name);
    const text = await secret.read();
    const { timeZone = "UTC" } = (text && parsePeriodSecret(text, secret.location)) || {};
    if (text !== null && secretNameOf(timeZone) !== name) throw damagedSecret(secret.location);
    const isWhole = text !== null || name === UTC_SECRET;
    if (isWhole && zones.map(secretNameOf).includes(name)) return this.#open(timeZone);
    if (isWhole && TimeZone.named(timeZone)) return this.#end(name, new VisitorSalt(this.#optionsOf(timeZone), true));
    // What an interrupted erasure has left, or of a zone that the host does not know any more.
    await secret.erase().catch((error: unknown) => this.#reportKept(name, error));
  }

  async #endUnused(nowMs: EpochMs): Promise<void> {
    const used = this.#options.zonesAt(nowMs).map(secretNameOf);
    for (const [name, salt] of this.#salts) if (!used.includes(name)) await this.#end(name, salt);
  }

  async #end(name: SecretName, salt: VisitorSalt): Promise<void> {
    this.#salts.set(name, salt);
    await salt.end().catch((error: unknown) => this.#reportKept(name, error));
  }

  #reportKept(name: SecretName, error: unknown): void {
    const { log, store } = this.#options;
    const secret = store.secret(name).location;
    log.error("a secret of visitor ids that is no longer used could not be deleted", { secret, reason: reasonOf(error) });
  }
}

export interface Visitors {
  readonly visitorSalts: VisitorSalts;
  readonly visitorIds: VisitorIds;
}

interface VisitorsParts extends Pick<VisitorSaltsOptions, "randomBytes" | "log" | "now" | "zonesAt"> {
  readonly config: Config;
  readonly secrets: SecretStore;
  /** Set in the instance of one site: the instance that owns the generated secrets. */
  readonly oneSite?: { readonly registry: { readonly periodSecret: NonNullable<VisitorSaltsOptions["foreign"]> } };
}

export async function createVisitors({ config, secrets, oneSite, ...parts }: VisitorsParts): Promise<Visitors> {
  const hmac = await createHmacSha256();
  const { secret: configured, visitorSaltRotationDays: rotationDays } = config;
  const foreign = oneSite && configured === null && { foreign: (timeZone: string) => oneSite.registry.periodSecret(timeZone) };
  const visitorSalts = await VisitorSalts.open({ ...parts, configured, store: secrets, rotationDays, hmac, ...foreign });
  return { visitorSalts, visitorIds: createVisitorIds({ hmac, salts: visitorSalts }) };
}
