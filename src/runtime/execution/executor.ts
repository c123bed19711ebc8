/** Asks the engine about a site's range: as a whole if it fits, else in chunks, and once more when the engine was lost on the way. */
import { AppError } from "../errors.ts";
import { EngineFullError, EngineLostError, type Engine } from "../engine/engine.ts";
import { CACHED_SHARE_OF_PARQUET } from "../engine/engine-memory.ts";
import type { PartitionCache } from "../engine/partition-cache.ts";
import { CHUNKS_OF_BUDGET_MIN, CHUNK_BYTES_MAX, WORKED_ON_SHARE_MAX } from "../config/limits.ts";
import type { SiteId } from "../../storage/event.ts";
import { ChunkedRange, askWhole, type AskedRangeOptions, type Questions } from "./asked-range.ts";
import { MemoryAdmission } from "./memory-admission.ts";
import { bytesOf, cutIntoChunks } from "./chunks.ts";
import type { SiteRange } from "../query/scope.ts";
import { sql } from "../query/sql.ts";

/** Whether it fits depends on what else runs, so it may be tried again. */
const FULL_RETRY_SECS = 10;

const tooMuchForTheEngine = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: FULL_RETRY_SECS },
    "The query engine has too little memory for this range at the moment. Try a shorter range, or again later.",
  );

const tooManyProperties = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: FULL_RETRY_SECS },
    "The properties of this range's events need more memory than reports of properties may take. Try a shorter range, or set a larger engine_memory_mb.",
  );

export interface ExecutorOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  /** Of the engine's memory. */
  readonly budgetBytes: number;
  /** Days of a salt period. */
  readonly rotationDays: number;
}

export class Executor {
  readonly #options: ExecutorOptions & AskedRangeOptions;

  constructor(options: ExecutorOptions) {
    this.#options = { ...options, room: new MemoryAdmission((options.budgetBytes * WORKED_ON_SHARE_MAX) / CACHED_SHARE_OF_PARQUET) };
  }

  /** Runs the questions over every event of the scope accepted before the call. */
  async over<T>(scope: SiteRange, signal: AbortSignal, questions: Questions<T>): Promise<T> {
    try {
      return await this.#attempt(scope, signal, questions).catch((error: unknown) => {
        if (error instanceof EngineLostError) return this.#attempt(scope, signal, questions);
        throw error;
      });
    } catch (error) {
      if (error instanceof EngineFullError) throw scope.withProperties ? tooManyProperties() : tooMuchForTheEngine();
      throw error;
    }
  }

  async #attempt<T>(scope: SiteRange, signal: AbortSignal, questions: Questions<T>): Promise<T> {
    const { partitionCache, rotationDays, budgetBytes } = this.#options;
    const { siteId, range, withProperties } = scope;
    const days = await partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
    if (partitionCache.shouldFit(bytesOf(days))) {
      try {
        return await askWhole(this.#options, scope, signal, true, questions);
      } catch (error) {
        if (!(error instanceof EngineFullError)) throw error;
      }
    }
    const chunkBytesMax = Math.min(CHUNK_BYTES_MAX, budgetBytes / CACHED_SHARE_OF_PARQUET / CHUNKS_OF_BUDGET_MIN);
    const inChunks = async (bytesMax: number): Promise<T> => {
      const chunks = cutIntoChunks(range, days, rotationDays, bytesMax);
      if (chunks.length <= 1) return askWhole(this.#options, scope, signal, false, questions);
      return new ChunkedRange(this.#options, scope, chunks, signal).put(questions);
    };
    try {
      return await inChunks(chunkBytesMax);
    } catch (error) {
      // Properties may be long where files are small: what does not fit in this chunk may fit in smaller ones.
      if (withProperties && error instanceof EngineFullError) return inChunks(0);
      throw error;
    }
  }

  /** Whether the engine answers a question that needs no data. */
  async isAnswering(signal: AbortSignal): Promise<boolean> {
    const { text, values } = sql`SELECT 1 AS one`;
    try {
      await this.#options.engine.query({ siteId: "health" as SiteId, blocks: [], sql: text, parameters: values }, signal);
      return true;
    } catch {
      return false;
    }
  }
}
