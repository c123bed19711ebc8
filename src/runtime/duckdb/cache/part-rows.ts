/**
 * Keeps the rows of queries over parts of ranges: a query that asks for another page, search or order of the same rows, or a day later,
 * only adds them, one that timed out resumes, and only parts whose events changed are computed again. They do not depend on the engine.
 */
import { type Columns, memoryOf } from "../../../storage/columns.ts";
import type { SiteId } from "../../../storage/event.ts";
import { GUESTS_CACHE_SHARE_MAX, PART_ROWS_QUERIES_MAX, PART_ROWS_SHARE_MAX } from "../../base/config/limits.ts";
import { EngineFullError } from "../engine.ts";
import type { EngineMemory } from "./engine-memory.ts";

interface RowsQuery {
  readonly siteId: SiteId;
  /** Equal if and only if two queries of a site have the same rows. */
  readonly key: string;
  /** The rows hold texts that no dictionary bounds. */
  readonly hasOwnTexts?: boolean;
  /** No later query has the same rows, so that nothing is kept. */
  readonly isMomentary?: boolean;
  readonly isGuest?: boolean;
}

/** A range of time with the version of its events (see `PartitionVersion`). */
interface Part {
  readonly name: string;
  readonly version: string;
}

interface KeptPart {
  readonly version: string;
  readonly rows: Columns;
  readonly bytes: number;
}

/** The kept parts of one query. Every `open` needs a `release`. */
export interface KeptRows {
  readonly siteId: SiteId;
  readonly key: string;
  readonly hasOwnTexts: boolean;
  readonly parts: Map<string, KeptPart>;
  pins: number;
  isOfGuests: boolean;
}

const bytesOf = ({ parts }: KeptRows): number => [...parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);

export class PartRows {
  readonly #memory: EngineMemory;
  /** Least recently used first. */
  readonly #kept = new Map<string, KeptRows>();

  constructor(memory: EngineMemory) {
    this.#memory = memory;
  }

  /** Pins the kept rows of a query until `release`. */
  open({ siteId, key: queryKey, hasOwnTexts = false, isMomentary = false, isGuest = false }: RowsQuery): KeptRows {
    const key = JSON.stringify([siteId, queryKey]);
    const known = this.#kept.get(key);
    const kept = known ?? { siteId, key, hasOwnTexts, parts: new Map<string, KeptPart>(), pins: 0, isOfGuests: isGuest };
    kept.pins++;
    if (isMomentary) return kept;
    // Guests' queries do not keep those of others for longer.
    if (known && isGuest && !known.isOfGuests) return kept;
    kept.isOfGuests = isGuest;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  /** The kept rows for exactly this version of the part, if there are any. */
  rowsOf({ parts }: KeptRows, { name, version }: Part): Columns | undefined {
    const part = parts.get(name);
    return part?.version === version ? part.rows : undefined;
  }

  /**
   * Keeps the rows of a part. They may include events that arrived after the version was read. This is safe: the part then has another
   * version, so no later query uses them. Throws `EngineFullError` if the query's own texts exceed their limit.
   */
  add(kept: KeptRows, { name, version }: Part, rows: Columns): void {
    const bytes = memoryOf(rows);
    this.#count(kept, bytes - (kept.parts.get(name)?.bytes ?? 0));
    kept.parts.set(name, { version, rows, bytes });
    if (!kept.hasOwnTexts || bytesOf(kept) <= this.#memory.propertyTextBytesMax) return;
    this.#forget(kept);
    throw new EngineFullError("the distinct texts of the result do not fit into the engine's memory");
  }

  #isKept(kept: KeptRows): boolean {
    return this.#kept.get(kept.key) === kept;
  }

  #count(kept: KeptRows, bytes: number): void {
    if (this.#isKept(kept)) this.#memory.rowBytes += bytes;
  }

  release(kept: KeptRows): void {
    kept.pins--;
    if (kept.pins === 0) this.#evict();
  }

  /** Evicts the least recently used beyond the limits. The last one is kept at any size: a retry of its query may then finish in time. */
  #evict(): void {
    const bytesMax = this.#memory.budgetBytes * PART_ROWS_SHARE_MAX;
    while (this.#kept.size > 1 && (this.#kept.size > PART_ROWS_QUERIES_MAX || this.#memory.rowBytes > bytesMax)) {
      const oldest = this.#oldest();
      if (!oldest) return;
      this.#forget(oldest);
    }
  }

  /** The least recently used that is not pinned: of guests, if they have their share. */
  #oldest(): KeptRows | undefined {
    const all = [...this.#kept.values()];
    const ofGuests = all.filter(({ isOfGuests }) => isOfGuests);
    const guestBytes = ofGuests.reduce((sum, kept) => sum + bytesOf(kept), 0);
    const haveTheirShare =
      guestBytes >= this.#memory.rowBytes * GUESTS_CACHE_SHARE_MAX || ofGuests.length >= all.length * GUESTS_CACHE_SHARE_MAX;
    return (haveTheirShare ? [...ofGuests, ...all] : all).find(({ pins }) => pins === 0);
  }

  /** Forgets the rows of a site. Running queries finish with those they use. */
  forgetSite(siteId: SiteId): void {
    for (const kept of this.#kept.values()) if (kept.siteId === siteId) this.#forget(kept);
  }

  #forget(kept: KeptRows): void {
    // Another query or an erasure may already have removed it.
    if (!this.#isKept(kept)) return;
    this.#count(kept, -bytesOf(kept));
    this.#kept.delete(kept.key);
  }
}
