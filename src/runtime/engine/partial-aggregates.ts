/** The cache of partial aggregates: a query that timed out resumes from them, and only changed chunks are recomputed. */
import type { SiteId } from "../../storage/event.ts";
import { PARTIALS_MAX, PARTIALS_SHARE_MAX } from "../config/limits.ts";
import type { EngineMemory } from "./engine-memory.ts";
import { EngineFullError, EngineLostError, type Engine, type EngineQuery, type PartialTable, type PartialTableParts } from "./engine.ts";

export interface PartialAggregatesOptions {
  readonly engine: Engine;
}

/** A query whose partial aggregates are cached. */
export interface AggregatedQuery {
  readonly siteId: SiteId;
  /** Two queries of a site are the same if and only if these are equal. */
  readonly key: string;
  readonly columns: PartialTable["columns"];
}

/** A range of time with the version of its events (see `PartitionVersion`). */
export interface AggregatedChunk {
  readonly name: string;
  readonly version: string;
}

interface Part {
  readonly number: number;
  readonly version: string;
  readonly bytes: number;
  /** Of these, what texts take. */
  readonly textBytes: number;
}

/** The cached parts of one query. Its opener has to release it. */
export interface QueryPartials {
  readonly table: PartialTable;
  readonly key: string;
  readonly generation: number;
  /** By the names of chunks. */
  readonly parts: Map<string, Part>;
  /** Replaced parts. */
  outdated: Part[];
  pins: number;
}

/** What a number takes once it is compressed, roughly. */
const NUMBER_BYTES = 2;

const bytesOf = (parts: readonly Part[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** What keeps nothing but a site's texts. */
const NO_ROWS = "SELECT 0 AS nothing WHERE false";

export class PartialAggregates {
  readonly #options: PartialAggregatesOptions;
  readonly #memory: EngineMemory;
  /** In order of last use. */
  readonly #kept = new Map<string, QueryPartials>();
  #generation = 0;
  #made = 0;
  #partsMade = 0;
  #bytes = 0;

  constructor(options: PartialAggregatesOptions, memory: EngineMemory) {
    this.#options = options;
    this.#memory = memory;
  }

  /** What there is of a query, to be released. */
  open({ siteId, key: queryKey, columns }: AggregatedQuery): QueryPartials {
    const { generation } = this.#options.engine;
    if (generation !== this.#generation) this.#loseAll(generation);
    const key = JSON.stringify([siteId, queryKey]);
    const known = this.#kept.get(key);
    const kept = known ?? {
      table: { id: ++this.#made, siteId, columns },
      key,
      generation,
      parts: new Map<string, Part>(),
      outdated: [],
      pins: 0,
    };
    kept.pins++;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  /** The numbers of all texts of the site mean the same until this is released. */
  async holdTexts(siteId: SiteId, signal: AbortSignal): Promise<QueryPartials> {
    const kept = this.open({ siteId, key: NO_ROWS, columns: [{ name: "nothing", type: "BIGINT" }] });
    try {
      await this.add(kept, { name: "", version: "" }, { siteId, blocks: [], sql: NO_ROWS, parameters: [] }, signal);
      return kept;
    } catch (error) {
      this.release(kept);
      throw error;
    }
  }

  /** The part that has the rows of a chunk with just this version. */
  partOf({ parts }: QueryPartials, { name, version }: AggregatedChunk): number | undefined {
    const part = parts.get(name);
    return part?.version === version ? part.number : undefined;
  }

  /**
   * Keeps the rows of a query over the chunk, and gives the part's number. The query may see events that came after the
   * version were looked at: then these have changed, and nobody takes the part for theirs.
   */
  async add(kept: QueryPartials, { name, version }: AggregatedChunk, query: EngineQuery, signal: AbortSignal): Promise<number> {
    this.#checkGeneration(kept);
    const number = ++this.#partsMade;
    const { rows, keptTextBytes: textBytes, ...usage } = await this.#options.engine.storePartial(kept.table, number, query, signal);
    this.#memory.note(usage);
    const replaced = kept.parts.get(name);
    if (replaced) kept.outdated.push(replaced);
    const part = { number, version, bytes: rows * kept.table.columns.length * NUMBER_BYTES + textBytes, textBytes };
    kept.parts.set(name, part);
    if (this.#isKept(kept)) this.#bytes += part.bytes;
    await this.#checkTexts(kept);
    return number;
  }

  /** Rejects a query whose rows would fill the memory with texts. */
  async #checkTexts(kept: QueryPartials): Promise<void> {
    let textBytes = 0;
    for (const part of kept.parts.values()) textBytes += part.textBytes;
    if (textBytes <= this.#memory.propertyTextBytesMax) return;
    await this.#forget(kept);
    throw new EngineFullError("the different texts of the result do not fit into the engine's memory");
  }

  /** Partials as a query names them. */
  partsOf(kept: QueryPartials, parts: readonly number[]): PartialTableParts {
    this.#checkGeneration(kept);
    return { id: kept.table.id, parts };
  }

  #checkGeneration({ generation }: QueryPartials): void {
    if (generation !== this.#options.engine.generation) throw new EngineLostError("the partial aggregates are lost");
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

  /** The last one stays, however large: the next time it may be all that is missing to an answer in time. */
  #evict(): void {
    const bytesMax = this.#memory.budgetBytes * PARTIALS_SHARE_MAX;
    for (const kept of this.#kept.values()) {
      if (this.#kept.size === 1 || (this.#kept.size <= PARTIALS_MAX && this.#bytes <= bytesMax)) return;
      if (kept.pins === 0) void this.#forget(kept);
    }
  }

  /** Drops the one that was used least recently and that nobody uses; false where there is none. */
  async dropOldest(): Promise<boolean> {
    const oldest = [...this.#kept.values()].find(({ pins }) => pins === 0);
    if (!oldest) return false;
    await this.#forget(oldest);
    return true;
  }

  /** Drops the partial aggregates of a site. Running queries finish with those they use. */
  forgetSite(siteId: SiteId): void {
    for (const kept of this.#kept.values()) if (kept.table.siteId === siteId) void this.#forget(kept);
  }

  async #forget(kept: QueryPartials): Promise<void> {
    // Another query that uses it, or an erasure, may have done so before.
    if (!this.#isKept(kept)) return;
    this.#kept.delete(kept.key);
    this.#bytes -= bytesOf([...kept.parts.values(), ...kept.outdated]);
    if (kept.pins === 0) await this.#drop(kept, "all");
  }

  #loseAll(generation: number): void {
    this.#generation = generation;
    this.#kept.clear();
    this.#bytes = 0;
  }

  async #drop({ table, generation }: QueryPartials, parts: readonly number[] | "all"): Promise<void> {
    if (generation !== this.#options.engine.generation || parts.length === 0) return;
    try {
      this.#memory.note(await this.#options.engine.dropPartials(table.id, parts));
    } catch {
      // An engine that cannot drop partials is being restarted, which drops them all.
    }
  }
}
