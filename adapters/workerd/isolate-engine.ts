/** The engine port in the object's own isolate: created by the first query, and again after it failed. */
import { isFatal, isOutOfMemory } from "../../src/runtime/duckdb/tables/duckdb-bindings.ts";
import {
  EngineFullError,
  EngineLostError,
  type Block,
  type BlockSource,
  type Engine,
  type EngineQuery,
  type EngineUsage,
  type Loaded,
  type StoredPartial,
  type PartialTable,
} from "../../src/runtime/duckdb/engine.ts";
import { unlessAborted } from "../../src/runtime/base/queue.ts";
import { EngineTakenError } from "./shared-engine.ts";
import type { SqlRow } from "../../src/runtime/query/sql.ts";
import type { Columns } from "../../src/storage/columns.ts";
import type { SiteId } from "../../src/storage/event.ts";
import { reasonOf, type Log } from "../../src/runtime/base/metrics/log.ts";

export class IsolateEngine implements Engine {
  readonly #create: () => Promise<Engine>;
  readonly #log: Log;
  #started: Promise<Engine> | null = null;
  #generation = 0;

  /** Ingestion needs no engine, so an object without queries never creates one. */
  constructor(create: () => Promise<Engine>, log: Log) {
    this.#create = create;
    this.#log = log;
  }

  get generation(): number {
    return this.#generation;
  }

  async #with<T>(work: (engine: Engine) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const started = (this.#started ??= this.#start());
    try {
      return await work(await (signal ? unlessAborted(started, signal) : started));
    } catch (error) {
      if (!isFatal(error) && !(error instanceof EngineTakenError)) throw error;
      this.#discard(started, error);
      // A retry would fail in the same way.
      if (isOutOfMemory(error)) throw new EngineFullError("the query needs more memory than the engine has");
      throw new EngineLostError("the engine failed during the call");
    }
  }

  /** Fails once: the next call tries again. */
  async #start(): Promise<Engine> {
    try {
      return await this.#create();
    } catch (error) {
      this.#started = null;
      throw isFatal(error) ? error : new EngineLostError(`the engine did not start: ${reasonOf(error)}`);
    }
  }

  /** Concurrent calls on the same engine all fail; the first one counts. */
  #discard(failed: Promise<Engine>, error: unknown): void {
    if (this.#started !== failed) return;
    this.#started = null;
    this.#generation++;
    const reason = reasonOf(error);
    if (error instanceof EngineTakenError) this.#log.info("queries load the events they need again", { reason });
    else this.#log.error("the engine failed and is restarted; queries reload the events they need", { reason });
  }

  append(block: Block, source: BlockSource): Promise<Loaded> {
    return this.#with((engine) => engine.append(block, source));
  }

  storeSessions(blocks: readonly number[], signal: AbortSignal): Promise<EngineUsage> {
    return this.#with((engine) => engine.storeSessions(blocks, signal), signal);
  }

  dropProps(blocks: readonly number[]): Promise<EngineUsage> {
    return this.#with((engine) => engine.dropProps(blocks));
  }

  propsTexts(siteId: SiteId, numbers: readonly number[]): Promise<string[]> {
    return this.#with((engine) => engine.propsTexts(siteId, numbers));
  }

  drop(blocks: readonly number[]): Promise<EngineUsage> {
    return this.#with((engine) => engine.drop(blocks));
  }

  query(query: EngineQuery, signal: AbortSignal): Promise<SqlRow[]> {
    return this.#with((engine) => engine.query(query, signal), signal);
  }

  queryColumns(query: EngineQuery, signal: AbortSignal): Promise<Columns> {
    return this.#with((engine) => engine.queryColumns(query, signal), signal);
  }

  storePartial(table: PartialTable, part: number, query: EngineQuery, signal: AbortSignal): Promise<StoredPartial> {
    return this.#with((engine) => engine.storePartial(table, part, query, signal), signal);
  }

  dropPartials(id: number, parts: readonly number[] | "all"): Promise<EngineUsage> {
    return this.#with((engine) => engine.dropPartials(id, parts));
  }

  behavioralFailure(): Promise<string | null> {
    return this.#with((engine) => engine.behavioralFailure());
  }

  async close(): Promise<void> {
    await (await this.#started)?.close();
  }
}
