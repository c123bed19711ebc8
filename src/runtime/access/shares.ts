/** Share links: how they are created, found by their tokens, and revoked (docs/sharing.md). A guest token ends with its link. */
import type { EpochMs, SiteId } from "../../storage/event.ts";
import type { RecordStore } from "../../storage/record-store.ts";
import { SHARES_MAX, SHARES_OF_SITE_MAX, SHARE_CHANGES_WAITING_MAX, SHARE_USE_RECORD_MS } from "../base/config/admin-limits.ts";
import { AppError, invalidInput, storageUnavailable } from "../base/errors.ts";
import { reasonOf, type Log } from "../base/metrics/log.ts";
import { createJsonRecord, replaceJsonRecord } from "../../storage/json-record.ts";
import { isLinkToken, newLinkToken } from "./link-token.ts";
import { SerialQueue } from "../base/serial-queue.ts";
import { toHex, type Sha256 } from "../base/sha256.ts";
import { SHARES_FOLDER, isUsable, readShare, recordOfShare, type Share, type ShareSettings } from "./share.ts";
import type { GuestTokens } from "./guest-tokens.ts";

export interface SharesParts {
  readonly records: RecordStore;
  readonly sha256: Sha256;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly guestTokens: GuestTokens;
  readonly log: Log;
  /** The wall clock, by which links expire. */
  readonly now: () => EpochMs;
}

export interface FoundShare {
  readonly share: Share;
  /** Whether its password is still needed. */
  readonly isLocked: boolean;
}

export const shareNotFound = (): AppError => new AppError({ code: "not_found" }, "The share link is unknown, revoked or expired");

function notStored(cause: unknown): never {
  throw new AppError({ code: "not_stored" }, "The share link could not be stored and does not work. The server's log says why.", { cause });
}

export class Shares {
  readonly #parts: SharesParts;
  /** By hash, revoked and expired ones included. */
  readonly #known: Map<string, Share>;
  readonly #queue = new SerialQueue({ waitingMax: SHARE_CHANGES_WAITING_MAX, retryAfterSecs: 1 });
  /** Hashes of links whose last use is not recorded yet. */
  readonly #used = new Set<string>();
  #recording: Promise<void> | null = null;
  /** Nobody aborts the record of a use. Not made when the file loads: workerd allows it in a request only. */
  readonly #never = new AbortController().signal;

  private constructor(parts: SharesParts, shares: readonly Share[]) {
    this.#parts = parts;
    this.#known = new Map(shares.map((share) => [share.shareHash, share]));
  }

  /** Rejects when a record is damaged: skipping it would lose the fact that the link is revoked. */
  static async open(parts: SharesParts): Promise<Shares> {
    const shares: Share[] = [];
    for (const name of await parts.records.list(SHARES_FOLDER)) {
      const share = await readShare(parts.records, name);
      if (share) shares.push(share);
      else parts.log.warn("a record among the share links is not a share link and is ignored", { name });
    }
    return new Shares(parts, shares);
  }

  /** All links in order of creation, revoked and expired ones included. */
  list(): Share[] {
    const order = ({ createdAt, shareHash }: Share): string => `${createdAt} ${shareHash}`;
    return [...this.#known.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Null if there is none, revoked and expired ones included. */
  get(shareHash: string): Share | null {
    return this.#known.get(shareHash) ?? null;
  }

  /** The link of a token or guest token; null if it is unknown, revoked or expired. */
  find(token: string): FoundShare | null {
    if (!isLinkToken(token)) return null;
    const { sha256, guestTokens, now } = this.#parts;
    const unlocked = guestTokens.shareHashOf(token);
    const share = this.#known.get(unlocked ?? toHex(sha256(token)));
    if (!share || !isUsable(share, now())) return null;
    return { share, isLocked: unlocked === null && share.passwordHash !== null };
  }

  /** The only time that the token itself is returned. It works once it is stored: 400 when there are too many links, 500 when it cannot be stored. */
  create(settings: ShareSettings, passwordHash: string | null, signal: AbortSignal): Promise<Share & { readonly token: string }> {
    const { records, sha256, randomBytes, now } = this.#parts;
    return this.#queue.run(async () => {
      await this.#makeRoom(settings.siteId);
      const token = newLinkToken(randomBytes);
      const shareHash = toHex(sha256(token));
      const createdAt = new Date(now()).toISOString();
      const share: Share = { shareHash, ...settings, passwordHash, createdAt, lastUsedAt: null, revoked: false };
      await createJsonRecord(records, recordOfShare(shareHash), share).catch(notStored);
      this.#known.set(shareHash, share);
      return { ...share, token };
    }, signal);
  }

  /** Revokes a link and its guest tokens at once. 404 when it is unknown; 503 when that cannot be stored: a retry may store it. */
  async revoke(shareHash: string, signal: AbortSignal): Promise<void> {
    const share = this.#known.get(shareHash);
    if (!share) throw new AppError({ code: "not_found" }, "Share link not found");
    this.#known.set(shareHash, { ...share, revoked: true });
    await this.#queue.run(() => {
      return this.#store(shareHash).catch((cause: unknown) => {
        throw storageUnavailable(
          "The share link is revoked, but only until the next restart, because the change could not be stored. Try again later.",
          cause,
        );
      });
    }, signal);
  }

  /** Records the use about once a minute, and lets nobody wait for it. */
  noteUse({ shareHash }: Share): void {
    const share = this.#known.get(shareHash);
    const nowMs = this.#parts.now();
    if (!share || Math.abs(nowMs - Date.parse(share.lastUsedAt ?? "1970-01-01")) < SHARE_USE_RECORD_MS) return;
    this.#known.set(shareHash, { ...share, lastUsedAt: new Date(nowMs).toISOString() });
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
      await this.#queue
        .run(() => this.#store(shareHash), this.#never)
        .catch((error: unknown) => this.#parts.log.warn("the last use of a share link could not be recorded", { reason: reasonOf(error) }));
    }
    this.#recording = null;
  }

  /** Stores what is known of the link now. One that was removed meanwhile stays removed. */
  async #store(shareHash: string): Promise<void> {
    const share = this.#known.get(shareHash);
    if (share) await replaceJsonRecord(this.#parts.records, recordOfShare(shareHash), share);
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
    await this.#parts.records.remove(recordOfShare(oldest.shareHash)).catch(notStored);
    this.#known.delete(oldest.shareHash);
  }
}
