/** Which pieces of which questions the engine has summed up: kept, so that a question goes on where it was given up, and only what has changed is computed anew. */
import type { SiteId } from "../../storage/event.ts";
import { SUMMARIES_MAX, SUMMARIES_SHARE_MAX } from "../config/limits.ts";
import type { EngineMemory } from "./engine-memory.ts";
import { EngineFullError, EngineLostError, type Engine, type EngineQuery, type Summary, type SummaryParts } from "./engine.ts";

export interface SummariesOptions {
  readonly engine: Engine;
}

/** What is summed up. */
export interface SummarisedQuestion {
  readonly siteId: SiteId;
  /** Two questions of a site are the same if and only if these are equal. */
  readonly key: string;
  readonly columns: Summary["columns"];
}

/** A stretch of time with the events it has (see `DayContents`). */
export interface SummarisedPiece {
  readonly name: string;
  readonly contents: string;
}

interface Part {
  readonly number: number;
  readonly contents: string;
  readonly bytes: number;
  /** Of these, what texts take. */
  readonly textBytes: number;
}

/** What is kept of one question. Whoever opens it has to release it. */
export interface KeptSummary {
  readonly summary: Summary;
  readonly key: string;
  readonly generation: number;
  /** By the names of pieces. */
  readonly parts: Map<string, Part>;
  /** Parts that others have replaced. */
  outdated: Part[];
  pins: number;
}

/** What a number takes once it is compressed, roughly. */
const NUMBER_BYTES = 2;

const bytesOf = (parts: readonly Part[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** What keeps nothing but a site's texts. */
const NO_ROWS = "SELECT 0 AS nothing WHERE false";

export class Summaries {
  readonly #options: SummariesOptions;
  readonly #memory: EngineMemory;
  /** In order of last use. */
  readonly #kept = new Map<string, KeptSummary>();
  #generation = 0;
  #made = 0;
  #partsMade = 0;
  #bytes = 0;

  constructor(options: SummariesOptions, memory: EngineMemory) {
    this.#options = options;
    this.#memory = memory;
  }

  /** What there is of a question, to be released. */
  open({ siteId, key: question, columns }: SummarisedQuestion): KeptSummary {
    const { generation } = this.#options.engine;
    if (generation !== this.#generation) this.#loseAll(generation);
    const key = JSON.stringify([siteId, question]);
    const known = this.#kept.get(key);
    const kept = known ?? {
      summary: { id: ++this.#made, siteId, columns },
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
  async holdTexts(siteId: SiteId, signal: AbortSignal): Promise<KeptSummary> {
    const kept = this.open({ siteId, key: NO_ROWS, columns: [{ name: "nothing", type: "BIGINT" }] });
    try {
      await this.add(kept, { name: "", contents: "" }, { siteId, blocks: [], sql: NO_ROWS, parameters: [] }, signal);
      return kept;
    } catch (error) {
      this.release(kept);
      throw error;
    }
  }

  /** The part that has the rows of a piece with just these contents. */
  partOf({ parts }: KeptSummary, { name, contents }: SummarisedPiece): number | undefined {
    const part = parts.get(name);
    return part?.contents === contents ? part.number : undefined;
  }

  /**
   * Keeps the rows of a query over the piece, and gives the part's number. The query may see events that came after the
   * contents were looked at: then these have changed, and nobody takes the part for theirs.
   */
  async add(kept: KeptSummary, { name, contents }: SummarisedPiece, query: EngineQuery, signal: AbortSignal): Promise<number> {
    this.#checkGeneration(kept);
    const number = ++this.#partsMade;
    const { rows, keptTextBytes: textBytes, ...usage } = await this.#options.engine.summarise(kept.summary, number, query, signal);
    this.#memory.note(usage);
    const replaced = kept.parts.get(name);
    if (replaced) kept.outdated.push(replaced);
    const part = { number, contents, bytes: rows * kept.summary.columns.length * NUMBER_BYTES + textBytes, textBytes };
    kept.parts.set(name, part);
    if (this.#isKept(kept)) this.#bytes += part.bytes;
    await this.#checkTexts(kept);
    return number;
  }

  /** Rejects a question whose rows would fill the memory with texts. */
  async #checkTexts(kept: KeptSummary): Promise<void> {
    let textBytes = 0;
    for (const part of kept.parts.values()) textBytes += part.textBytes;
    if (textBytes <= this.#memory.propertyTextBytesMax) return;
    await this.#forget(kept);
    throw new EngineFullError("the different texts of the answer do not fit into the engine's memory");
  }

  /** Parts of a summary as a query names them. */
  partsOf(kept: KeptSummary, parts: readonly number[]): SummaryParts {
    this.#checkGeneration(kept);
    return { id: kept.summary.id, parts };
  }

  #checkGeneration({ generation }: KeptSummary): void {
    if (generation !== this.#options.engine.generation) throw new EngineLostError("what was summed up is lost");
  }

  #isKept(kept: KeptSummary): boolean {
    return this.#kept.get(kept.key) === kept;
  }

  release(kept: KeptSummary): void {
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
    const bytesMax = this.#memory.budgetBytes * SUMMARIES_SHARE_MAX;
    for (const kept of this.#kept.values()) {
      if (this.#kept.size === 1 || (this.#kept.size <= SUMMARIES_MAX && this.#bytes <= bytesMax)) return;
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

  /** Forgets all that was summed up of a site. Questions under way end with what they had. */
  forgetSite(siteId: SiteId): void {
    for (const kept of this.#kept.values()) if (kept.summary.siteId === siteId) void this.#forget(kept);
  }

  async #forget(kept: KeptSummary): Promise<void> {
    // Another question that uses it, or an erasure, may have done so before.
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

  async #drop({ summary, generation }: KeptSummary, parts: readonly number[] | "all"): Promise<void> {
    if (generation !== this.#options.engine.generation || parts.length === 0) return;
    try {
      this.#memory.note(await this.#options.engine.dropSummary(summary.id, parts));
    } catch {
      // An engine that cannot drop a summary is being restarted, which drops them all.
    }
  }
}
