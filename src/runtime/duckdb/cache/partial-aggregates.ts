/** The cache of partial aggregates: a query that timed out resumes from them, and only changed chunks are recomputed. */
import type { SiteId } from "../../../storage/event.ts";
import { GUESTS_CACHE_SHARE_MAX, PARTIALS_MAX, PARTIALS_SHARE_MAX } from "../../base/config/limits.ts";
import type { EngineMemory } from "./engine-memory.ts";
import { EngineFullError, type Engine, type EngineQuery, type PartialTable, type PartialTableParts } from "../engine.ts";

interface AggregatedQuery {
  readonly siteId: SiteId;
  /** Equal if and only if two queries of a site are the same. */
  readonly key: string;
  readonly columns: PartialTable["columns"];
  readonly isGuest?: boolean;
}

/** A range of time with the version of its events (see `PartitionVersion`). */
interface AggregatedChunk {
  readonly name: string;
  readonly version: string;
}

interface Part {
  readonly number: number;
  readonly version: string;
  readonly bytes: number;
  readonly textBytes: number;
}

/** The cached parts of one query. Every `open` needs a `release`. */
export interface QueryPartials {
  readonly table: PartialTable;
  readonly key: string;
  readonly parts: Map<string, Part>;
  /** Replaced parts, which running queries may still read. Dropped on release. */
  outdated: Part[];
  pins: number;
  isOfGuests: boolean;
}

/** The approximate size of a compressed number. */
const NUMBER_BYTES = 2;

const bytesOf = (parts: readonly Part[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** An empty partial: keeps a site's texts without storing rows. */
const NO_ROWS = "SELECT 0 AS nothing WHERE false";

export class PartialAggregates {
  readonly #engine: Engine;
  readonly #memory: EngineMemory;
  /** Least recently used first. */
  readonly #kept = new Map<string, QueryPartials>();
  #tablesCreated = 0;
  #partsCreated = 0;
  #bytes = 0;

  constructor(engine: Engine, memory: EngineMemory) {
    this.#engine = engine;
    this.#memory = memory;
  }

  /** Pins the cached parts of a query until `release`. */
  open({ siteId, key: queryKey, columns, isGuest = false }: AggregatedQuery): QueryPartials {
    const key = JSON.stringify([siteId, queryKey]);
    const known = this.#kept.get(key);
    const kept = known ?? {
      table: { id: ++this.#tablesCreated, siteId, columns },
      key,
      parts: new Map<string, Part>(),
      outdated: [],
      pins: 0,
      isOfGuests: isGuest,
    };
    kept.pins++;
    // Guests' queries do not keep those of others for longer.
    if (known && isGuest && !known.isOfGuests) return kept;
    kept.isOfGuests = isGuest;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  /** Keeps the codes of all texts of the site stable until the result is released. */
  async holdTexts(siteId: SiteId, isGuest: boolean, signal: AbortSignal): Promise<QueryPartials> {
    const kept = this.open({ siteId, key: NO_ROWS, columns: [{ name: "nothing", type: "BIGINT" }], isGuest });
    try {
      await this.add(kept, { name: "", version: "" }, { siteId, blocks: [], sql: NO_ROWS, parameters: [] }, signal);
      return kept;
    } catch (error) {
      this.release(kept);
      throw error;
    }
  }

  /** The number of the cached part for exactly this version of the chunk, if there is one. */
  partOf({ parts }: QueryPartials, { name, version }: AggregatedChunk): number | undefined {
    const part = parts.get(name);
    return part?.version === version ? part.number : undefined;
  }

  /**
   * Stores the rows of a query over the chunk, and returns the part's number. The query may include events that arrived after
   * the version was read. This is safe: the chunk then has another version, so no later query uses the part. Rejects with
   * `EngineFullError` if the texts exceed their limit.
   */
  async add(kept: QueryPartials, { name, version }: AggregatedChunk, query: EngineQuery, signal: AbortSignal): Promise<number> {
    const number = ++this.#partsCreated;
    const { rows, keptTextBytes: textBytes, ...usage } = await this.#engine.storePartial(kept.table, number, query, signal);
    this.#memory.note(usage);
    const replaced = kept.parts.get(name);
    if (replaced) kept.outdated.push(replaced);
    const part = { number, version, bytes: rows * kept.table.columns.length * NUMBER_BYTES + textBytes, textBytes };
    kept.parts.set(name, part);
    if (this.#isKept(kept)) this.#bytes += part.bytes;
    await this.#checkTexts(kept);
    return number;
  }

  /** Rejects with `EngineFullError` if the texts of the query's rows exceed their limit. */
  async #checkTexts(kept: QueryPartials): Promise<void> {
    const textBytes = [...kept.parts.values()].reduce((sum, part) => sum + part.textBytes, 0);
    if (textBytes <= this.#memory.propertyTextBytesMax) return;
    await this.#forget(kept);
    throw new EngineFullError("the distinct texts of the result do not fit into the engine's memory");
  }

  partsOf(kept: QueryPartials, parts: readonly number[]): PartialTableParts {
    return { id: kept.table.id, parts };
  }

  #isKept(kept: QueryPartials): boolean {
    return this.#kept.get(kept.key) === kept;
  }

  release(kept: QueryPartials): void {
    kept.pins--;
    if (kept.pins > 0) return;
    if (!this.#isKept(kept)) {
      void this.#drop(kept, "all");
      return;
    }
    void this.#drop(
      kept,
      kept.outdated.map(({ number }) => number),
    );
    this.#bytes -= bytesOf(kept.outdated);
    kept.outdated = [];
    this.#evict();
  }

  /** Evicts the least recently used beyond the limits. The last one is kept at any size: a retry of its query may then finish in time. */
  #evict(): void {
    const bytesMax = this.#memory.budgetBytes * PARTIALS_SHARE_MAX;
    while (this.#kept.size > 1 && (this.#kept.size > PARTIALS_MAX || this.#bytes > bytesMax)) {
      const oldest = this.#oldest();
      if (!oldest) return;
      void this.#forget(oldest);
    }
  }

  /** The least recently used that is not pinned: of guests, if they have their share. */
  #oldest(): QueryPartials | undefined {
    const all = [...this.#kept.values()];
    const ofGuests = all.filter(({ isOfGuests }) => isOfGuests);
    const guestBytes = ofGuests.reduce((sum, { parts, outdated }) => sum + bytesOf([...parts.values(), ...outdated]), 0);
    const haveTheirShare = guestBytes >= this.#bytes * GUESTS_CACHE_SHARE_MAX || ofGuests.length >= all.length * GUESTS_CACHE_SHARE_MAX;
    return (haveTheirShare ? [...ofGuests, ...all] : all).find(({ pins }) => pins === 0);
  }

  /** Drops the least recently used query that is not pinned; false if there is none. */
  async dropOldest(): Promise<boolean> {
    const oldest = this.#oldest();
    if (oldest) await this.#forget(oldest);
    return oldest !== undefined;
  }

  /** Drops the partial aggregates of a site. Running queries finish with the parts they use. */
  forgetSite(siteId: SiteId): void {
    for (const kept of this.#kept.values()) if (kept.table.siteId === siteId) void this.#forget(kept);
  }

  async #forget(kept: QueryPartials): Promise<void> {
    // Another query or an erasure may already have removed it.
    if (!this.#isKept(kept)) return;
    this.#kept.delete(kept.key);
    this.#bytes -= bytesOf([...kept.parts.values(), ...kept.outdated]);
    if (kept.pins === 0) await this.#drop(kept, "all");
  }

  async #drop({ table }: QueryPartials, parts: readonly number[] | "all"): Promise<void> {
    if (parts.length === 0) return;
    try {
      this.#memory.note(await this.#engine.dropPartials(table.id, parts));
    } catch {
      // An engine that cannot drop partials is restarting, which drops all of them.
    }
  }
}
