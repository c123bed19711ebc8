/** Executes plans and scans: in a single pass if the range fits into the engine's memory, else in chunks. Retries once if the engine was lost. */
import { AppError, invalidInput } from "../base/errors.ts";
import { EngineFullError, EngineLostError, QUERY_TESTS_MAX, TooManyStepsError, TooManyTestsError, type Engine } from "./engine.ts";
import { CACHED_SHARE_OF_PARQUET } from "./cache/engine-memory.ts";
import type { PartitionCache } from "./cache/partition-cache.ts";
import { WORKED_ON_SHARE_MAX } from "../base/config/limits.ts";
import { GUEST_TEST_STEPS_MAX } from "../base/config/report-limits.ts";
import type { SiteId } from "../../storage/event.ts";
import type { CalendarOf } from "../sites/sites.ts";
import type { SiteRange } from "../query/scope.ts";
import { sql } from "../query/sql.ts";
import { needsOf } from "../query/aggregate-query.ts";
import type { AnalyticsBackend, DayVersion } from "../query/analytics-backend.ts";
import type { Asker } from "../query/asker.ts";
import { rowsOf } from "../../storage/columns.ts";
import { ChunkLoader } from "./chunk-loader.ts";
import { bytesOf, chunkBytesMax, cutIntoChunks, type Chunk } from "./chunks.ts";
import type { FileExecution } from "./file-execution.ts";
import { MemoryAdmission } from "./memory-admission.ts";
import { runSteps, type Plan, type PlanStep, type StepRows } from "../query/plan.ts";
import type { ScanReader } from "../query/scan.ts";
import { scanInChunks, scanSinglePass } from "./chunk-scan.ts";
import type { RollupExecution } from "./rollup-execution.ts";
import { executeInChunks, executeSinglePass, type StepContext } from "./step-execution.ts";

/** A range that does not fit may fit later, beside other queries or in a new engine, so a retry may succeed. */
const RETRY_SECS = 10;

const tooLargeRange = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    "The query engine has too little memory for this range at the moment. Try a shorter range, or again later.",
  );

const tooManyTests = (): AppError =>
  invalidInput(`A request may have at most ${QUERY_TESTS_MAX} different patterns in its filters, steps and goals, and as many properties`);

const tooManySteps = (): AppError =>
  invalidInput(
    `The patterns of this request take more than ${GUEST_TEST_STEPS_MAX / 1e6} million steps on the texts of this range, the most for guests ` +
      "of what is shared. Use fewer or simpler patterns in filters, steps and search, or a shorter range.",
  );

const tooManyProperties = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    "The properties of this range's events need more memory than reports of properties may take. Try a shorter range, or set a larger engine_memory_mb.",
  );

const engineFailed = (): AppError =>
  new AppError(
    { code: "unavailable", retryAfterSecs: RETRY_SECS },
    "The query engine failed twice during this query. Try a shorter range, or again later.",
  );

export interface ExecutorOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  /** Memory budget of the engine. */
  readonly budgetBytes: number;
  readonly calendarOf: CalendarOf;
  /** Days of a salt period. */
  readonly rotationDays: number;
  /** null if every report reads events. */
  readonly rollups: RollupExecution | null;
  /** Answers without the engine. */
  readonly files: FileExecution;
}

/** Work on a range. Both ways of execution have the same result. */
interface RangeTask<Result> extends SiteRange {
  /** The custom properties of events are read. */
  readonly withProperties: boolean;
  readonly withSessions: boolean;
  readonly singlePass: (blocks: readonly number[]) => Promise<Result>;
  readonly inChunks: (chunks: readonly Chunk[], loader: ChunkLoader) => Promise<Result>;
}

export class Executor implements AnalyticsBackend {
  readonly #options: ExecutorOptions;
  readonly #admission: MemoryAdmission;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#admission = new MemoryAdmission((options.budgetBytes * WORKED_ON_SHARE_MAX) / CACHED_SHARE_OF_PARQUET);
  }

  /** The plan's result over every event accepted before the call. */
  async run<Result>({ steps, toResult }: Plan<Result>, asker: Asker): Promise<Result> {
    return toResult(await runSteps(steps, (step) => this.#runStep(step, asker)));
  }

  async #runStep(step: PlanStep, asker: Asker): Promise<StepRows> {
    const { signal } = asker;
    const { engine, partitionCache, rollups, files } = this.#options;
    const { siteId, range } = step.siteRange;
    const days = await partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
    const readRest = async (rest: PlanStep) =>
      (await files.execute(rest, signal)) ?? this.#fromEvents(rest, (query) => engine.queryColumns(query, signal), asker);
    const rows = (await rollups?.execute(step, days, readRest, signal)) ?? (await files.execute(step, signal))?.map(rowsOf);
    if (rows) return rows;
    return this.#fromEvents(step, (query) => engine.query(query, signal), asker);
  }

  /** The result of each query of the step. */
  #fromEvents<Result>(step: PlanStep, query: StepContext<Result>["query"], asker: Asker): Promise<Result[]> {
    const { partitionCache, calendarOf } = this.#options;
    const context = { calendar: calendarOf(step.siteRange.siteId), partitionCache, query, asker };
    const needs = step.queries.map(needsOf);
    const task: RangeTask<Result[]> = {
      ...step.siteRange,
      withProperties: needs.some(({ properties }) => properties),
      withSessions: needs.some(({ sessions }) => sessions),
      singlePass: (blocks) => executeSinglePass(step, blocks, context),
      inChunks: (chunks, loader) => executeInChunks(step, chunks, loader, context),
    };
    return this.#execute(task, asker);
  }

  /** The result of a reader of the events of the range, custom properties included. Each attempt opens a new reader. */
  scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, asker: Asker): Promise<Result> {
    const context = { ...this.#options, asker };
    const task: RangeTask<Result> = {
      ...siteRange,
      withProperties: true,
      withSessions: false,
      singlePass: (blocks) => scanSinglePass(siteRange, blocks, openReader(), context),
      inChunks: (chunks, loader) => scanInChunks(siteRange, chunks, loader, openReader(), context),
    };
    return this.#execute(task, asker);
  }

  async #execute<Result>(task: RangeTask<Result>, asker: Asker): Promise<Result> {
    try {
      return await this.#attempt(task, asker).catch((error: unknown) => {
        if (error instanceof EngineLostError) return this.#attempt(task, asker);
        throw error;
      });
    } catch (error) {
      if (error instanceof EngineLostError) throw engineFailed();
      if (error instanceof TooManyTestsError) throw tooManyTests();
      if (error instanceof TooManyStepsError) throw tooManySteps();
      if (error instanceof EngineFullError) throw task.withProperties ? tooManyProperties() : tooLargeRange();
      throw error;
    }
  }

  async #attempt<Result>(task: RangeTask<Result>, asker: Asker): Promise<Result> {
    const { partitionCache, rotationDays, budgetBytes } = this.#options;
    const { siteId, range, withProperties, withSessions } = task;
    const days = await partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
    if (partitionCache.shouldFit(bytesOf(days))) {
      try {
        return await this.#singlePass(task, asker, true);
      } catch (error) {
        if (!(error instanceof EngineFullError)) throw error;
      }
    }
    const inChunksOf = async (bytesMax: number): Promise<Result> => {
      const chunks = cutIntoChunks(range, days, rotationDays, bytesMax);
      if (chunks.length <= 1) return this.#singlePass(task, asker, false);
      const loading = { siteId, withProperties, withSessions, asker };
      return task.inChunks(chunks, new ChunkLoader({ partitionCache, admission: this.#admission, ...loading }));
    };
    try {
      return await inChunksOf(chunkBytesMax(budgetBytes));
    } catch (error) {
      // Properties may be large even if files are small: smaller chunks may fit.
      if (withProperties && error instanceof EngineFullError) return inChunksOf(0);
      throw error;
    }
  }

  #singlePass<Result>(
    { siteId, range, withProperties, withSessions, singlePass }: RangeTask<Result>,
    { isGuest, signal }: Asker,
    withinBudget: boolean,
  ): Promise<Result> {
    const loading = { signal, isGuest: isGuest, withinBudget, onePass: false, withProperties, withSessions };
    return this.#options.partitionCache.withDays(siteId, range, loading, singlePass);
  }

  /** True if rollups have all events that the plan needs, and it needs some. It then runs without the engine. */
  async isCovered({ steps }: Plan<unknown>): Promise<boolean> {
    const { partitionCache, rollups } = this.#options;
    let isAnyCovered = false;
    for (const step of steps) {
      const { siteId, range } = step.siteRange;
      const days = await partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
      if (!(await rollups?.covers(step, days))) return false;
      isAnyCovered ||= days.length > 0;
    }
    return isAnyCovered;
  }

  versionsOf({ siteId, range }: SiteRange): Promise<readonly DayVersion[]> {
    return this.#options.partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
  }

  /** True if the engine responds to a query without data. */
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
