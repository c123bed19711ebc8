/**
 * Share links: created, found by token, revoked (docs/sharing.md). Only the hash of a link is stored. Records are checked as strictly as
 * requests, because their fields end up in headers and reports. Filters and periods are parsed whenever they are used.
 */
import { type EpochMs, isLocalDate, type LocalDate, type SiteId } from "../../storage/event.ts";
import { isInstant, type JsonObject, type RecordStore } from "../../storage/record-store.ts";
import {
  SHARES_MAX,
  SHARES_OF_SITE_MAX,
  SHARE_CHANGES_WAITING_MAX,
  SHARE_USE_RECORD_MS,
  SHARE_FRAME_ANCESTORS_MAX,
} from "../base/config/admin-limits.ts";
import { parsePhc } from "./password-hasher.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import { isLinkToken, newLinkToken, type GuestTokens } from "./expiring-tokens.ts";
import { RecordTable, type RecordKind, type SiteBelongings } from "../base/record-table.ts";
import { toHex, type Sha256 } from "../base/bytes.ts";
import { isSiteId } from "../base/config/names.ts";
import { SHARE_NAME_CHARS_MAX } from "../../shared/limits.ts";
import { exceedsChars } from "../../shared/text.ts";

/** Dates that no report may leave, or a period that ends with the current date. */
export type SharedDates = { readonly firstDay: LocalDate; readonly lastDay: LocalDate } | { readonly period: string };

export interface SharedView {
  /** Conditions that every report has in addition to its own, as in the parameter `filters`; empty for none. */
  readonly filters: string;
  /** null for all dates. */
  readonly dates: SharedDates | null;
  readonly hasRealtime: boolean;
  /** False: guests export daily totals only, and no single events. */
  readonly hasRawExport: boolean;
}

export interface ShareSettings extends SharedView {
  readonly siteId: SiteId;
  readonly name: string;
  /** ISO 8601, UTC; null for a link that does not expire. */
  readonly expiresAt: string | null;
  readonly frameAncestors: readonly string[];
}

export interface Share extends ShareSettings {
  /** SHA-256 of the token, in hex. */
  readonly shareHash: string;
  /** A PHC string; null without a password. */
  readonly passwordHash: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** About a minute exact; null if it was never used. */
  readonly lastUsedAt: string | null;
  readonly revoked: boolean;
}

const isUsable = ({ revoked, expiresAt }: Pick<Share, "revoked" | "expiresAt">, nowMs: EpochMs): boolean =>
  !revoked && (expiresAt === null || nowMs < Date.parse(expiresAt));

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const isDate = (value: unknown): value is string => isText(value) && isLocalDate(value);

function isDates(value: unknown): value is SharedDates {
  if (typeof value !== "object" || value === null) return false;
  const { period, firstDay, lastDay } = value as JsonObject;
  return period === undefined ? isDate(firstDay) && isDate(lastDay) && firstDay <= lastDay : isText(period);
}

/** An origin as browsers send it, and nothing that could end a directive of the Content-Security-Policy. */
const ORIGIN = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/;

const isShareName = (name: string): boolean => name !== "" && !exceedsChars(name, SHARE_NAME_CHARS_MAX);

export const isFrameAncestor = (origin: unknown): origin is string => isText(origin) && ORIGIN.test(origin);

const areFrameAncestors = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= SHARE_FRAME_ANCESTORS_MAX && value.every(isFrameAncestor);

const FIELDS: Readonly<Record<keyof Share, (value: unknown) => boolean>> = {
  shareHash: isText,
  siteId: (value) => isText(value) && isSiteId(value),
  name: (value) => isText(value) && isShareName(value),
  passwordHash: (value) => value === null || (isText(value) && parsePhc(value) !== null),
  filters: isText,
  dates: (value) => value === null || isDates(value),
  hasRealtime: isFlag,
  hasRawExport: isFlag,
  expiresAt: (value) => value === null || isInstant(value),
  frameAncestors: areFrameAncestors,
  createdAt: isInstant,
  lastUsedAt: (value) => value === null || isInstant(value),
  revoked: isFlag,
};

function parseShare(recorded: JsonObject): Share {
  // Links of earlier versions do not have the field, and keep what they show.
  const json: JsonObject = { hasRawExport: true, ...recorded };
  const [wrong] = Object.entries(FIELDS).find(([field, isValid]) => !isValid(json[field])) ?? [];
  if (wrong !== undefined) throw new Error(`its field "${wrong}" is missing or invalid`);
  return json as unknown as Share;
}

export const SHARE_RECORDS: RecordKind<Share> = {
  folder: "shares",
  keyOf: ({ shareHash }) => shareHash,
  hashOf: (shareHash) => shareHash,
  json: (share) => share,
  parse: parseShare,
};

interface SharesParts {
  readonly records: RecordStore;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly guestTokens: GuestTokens;
  readonly log: Log;
  /** The wall clock, by which links expire. */
  readonly now: () => EpochMs;
}

interface FoundShare {
  readonly share: Share;
  /** Its password is still needed. */
  readonly isLocked: boolean;
}

export const shareNotFound = (): AppError => new AppError({ code: "not_found" }, "The share link is unknown, revoked or expired");

function notStored(cause: unknown): never {
  throw new AppError({ code: "not_stored" }, "The share link could not be stored and does not work. The server's log says why.", { cause });
}

function onlyUntilRestart(cause: unknown): never {
  throw storageUnavailable(
    "The share link is revoked, but only until the next restart, because the change could not be stored. Try again later.",
    cause,
  );
}

export class Shares implements SiteBelongings<SiteId> {
  readonly #parts: SharesParts;
  /** Includes revoked and expired links. */
  readonly #table: RecordTable<Share>;
  /** Hashes of links whose last use is not recorded yet. */
  readonly #used = new Set<string>();
  #recording: Promise<void> | null = null;
  /** Nobody aborts the record of a use. Not made when the file loads: workerd allows it in a request only. */
  readonly #never = new AbortController().signal;

  private constructor(parts: SharesParts, table: RecordTable<Share>) {
    this.#parts = parts;
    this.#table = table;
  }

  static async open(parts: SharesParts): Promise<Shares> {
    return new Shares(parts, await RecordTable.open(SHARE_RECORDS, { ...parts, changesWaitingMax: SHARE_CHANGES_WAITING_MAX }));
  }

  /** All links in order of creation, revoked and expired ones included. */
  list(): Share[] {
    const order = ({ createdAt, shareHash }: Share): string => `${createdAt} ${shareHash}`;
    return [...this.#table.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Includes revoked and expired links; null if there is none. */
  get(shareHash: string): Share | null {
    return this.#table.get(shareHash);
  }

  /** The link of a token or guest token; null if it is unknown, revoked or expired. */
  find(token: string): FoundShare | null {
    if (!isLinkToken(token)) return null;
    const { sha256, guestTokens, now } = this.#parts;
    const unlocked = guestTokens.shareHashOf(token);
    const share = this.#table.get(unlocked ?? toHex(sha256(token)));
    if (!share || !isUsable(share, now())) return null;
    return { share, isLocked: unlocked === null && share.passwordHash !== null };
  }

  /**
   * The only time that the token itself is returned. It works once it is stored: 400 when there are too many links, 500 when it cannot be
   * stored.
   */
  create(settings: ShareSettings, passwordHash: string | null, signal: AbortSignal): Promise<Share & { readonly token: string }> {
    const { sha256, randomBytes, now } = this.#parts;
    return this.#table.inTurn(async () => {
      await this.#makeRoom(settings.siteId);
      const token = newLinkToken(randomBytes);
      const shareHash = toHex(sha256(token));
      const createdAt = new Date(now()).toISOString();
      const share: Share = { shareHash, ...settings, passwordHash, createdAt, lastUsedAt: null, revoked: false };
      await this.#table.put(shareHash, share).catch(notStored);
      return { ...share, token };
    }, signal);
  }

  /** Revokes a link and its guest tokens at once. 404 when it is unknown; 503 when that cannot be stored: a retry may store it. */
  async revoke(shareHash: string, signal: AbortSignal): Promise<void> {
    const share = this.#table.get(shareHash);
    if (!share) throw new AppError({ code: "not_found" }, "Share link not found");
    this.#table.set(shareHash, { ...share, revoked: true });
    await this.#table.inTurn(() => this.#table.save(shareHash).catch(onlyUntilRestart), signal);
  }

  /** Deletes all links of a site, which stop to work at once. Resolves with their number; 503 when some could not be deleted. */
  removeSite(siteId: SiteId, signal: AbortSignal): Promise<number> {
    const ofSite = () => this.list().filter((share) => share.siteId === siteId);
    for (const share of ofSite()) this.#table.set(share.shareHash, { ...share, revoked: true });
    return this.#table.inTurn(async () => {
      // Others may have been created while this waited.
      const links = ofSite();
      for (const { shareHash } of links) await this.#table.put(shareHash, null).catch(onlyUntilRestart);
      return links.length;
    }, signal);
  }

  // See `SiteBelongings`.

  hasSite(siteId: SiteId): boolean {
    return this.list().some((share) => share.siteId === siteId);
  }

  inTurn<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    return this.#table.inTurn(task, signal);
  }

  moveSite(from: SiteId, to: SiteId): void {
    for (const share of this.list()) if (share.siteId === from) this.#table.set(share.shareHash, { ...share, siteId: to });
  }

  async saveMoved(_from: SiteId, to: SiteId): Promise<void> {
    for (const { shareHash, siteId } of this.list()) if (siteId === to) await this.#table.save(shareHash);
  }

  /** Records the use about once a minute, and lets nobody wait for it. */
  noteUse({ shareHash }: Share): void {
    const share = this.#table.get(shareHash);
    const nowMs = this.#parts.now();
    if (!share || Math.abs(nowMs - Date.parse(share.lastUsedAt ?? "1970-01-01")) < SHARE_USE_RECORD_MS) return;
    this.#table.set(shareHash, { ...share, lastUsedAt: new Date(nowMs).toISOString() });
    this.#used.add(shareHash);
    this.#recording ??= this.#recordUses();
  }

  /** Resolves when every use is recorded that was noted before. */
  async settled(): Promise<void> {
    await this.#recording;
  }

  /** One after the other, so that the queue has room for changes. */
  async #recordUses(): Promise<void> {
    for (const shareHash of this.#used) {
      this.#used.delete(shareHash);
      await this.#table
        .inTurn(() => this.#table.save(shareHash), this.#never)
        .catch((error: unknown) => this.#parts.log.warn("the last use of a share link could not be recorded", { reason: reasonOf(error) }));
    }
    this.#recording = null;
  }

  /** Removes the oldest revoked link of the site, or of all, when there are as many as allowed. */
  async #makeRoom(siteId: SiteId): Promise<void> {
    const all = this.list();
    const ofSite = all.filter((share) => share.siteId === siteId);
    if (ofSite.length >= SHARES_OF_SITE_MAX) await this.#removeOldestRevoked(ofSite, `of this site, the maximum`);
    else if (all.length >= SHARES_MAX) await this.#removeOldestRevoked(all, "in all, the maximum");
  }

  async #removeOldestRevoked(shares: readonly Share[], which: string): Promise<void> {
    const oldest = shares.find(({ revoked }) => revoked);
    if (!oldest) throw invalidInput(`There are already ${shares.length} share links ${which}. Revoke one first.`);
    await this.#table.put(oldest.shareHash, null).catch(notStored);
  }
}
