/**
 * Executes plans and scans: from the files if the events are few, else in the engine, in a single pass if the range fits into its memory
 * and otherwise in chunks. Runs once more if what it reads was dropped meanwhile.
 */
import { type Calendar, dayNumberOf } from "../../storage/calendar.ts";
import { type Columns, type NumberColumns, rowsOf } from "../../storage/columns.ts";
import { eventOf, type SiteId } from "../../storage/event.ts";
import { columnsOfEvents, decodeEventsOf } from "../../storage/parquet-events.ts";
import type { Partition, PartitionVersion } from "../../storage/partitions.ts";
import { WORKED_ON_SHARE_MAX } from "../base/config/limits.ts";
import { FILE_EXECUTION, GUEST_TEST_STEPS_MAX } from "../base/config/report-limits.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import {
  type AggregateQuery,
  type PlanRunner,
  type Asker,
  definitionOf,
  finalizeSql,
  needsOf,
  partialColumns,
  type Plan,
  type PlanStep,
  type RowsOfVisits,
  runSteps,
  type ScanChunk,
  type ScanReader,
  singlePassSql,
  type StepRows,
  type TextsOf,
  VISIT_COLUMNS,
  type Visits,
  visitsOf,
} from "../query/plan.ts";
import { sharedEventsIn, type SiteRange } from "../query/scope.ts";
import { column, joinSql, numberIn, resultColumn, sql, type SqlText, textIn } from "../query/sql.ts";
import { CACHED_SHARE_OF_PARQUET } from "./cache/engine-memory.ts";
import type { QueryPartials } from "./cache/partial-aggregates.ts";
import type { PartitionCache, StoredEvents } from "./cache/partition-cache.ts";
import { bytesOf, type Chunk, chunkBytesMax, ChunkLoader, chunkName, cutIntoChunks, MemoryAdmission } from "./chunks.ts";
import {
  DroppedError,
  type Engine,
  EngineFullError,
  type EngineQuery,
  type EngineSelect,
  QUERY_TESTS_MAX,
  TooManyStepsError,
  TooManyTestsError,
} from "./engine.ts";
import type { RollupExecution } from "./rollups/rollup-execution.ts";

type Asked = Pick<EngineQuery, "isGuest" | "readable">;

export const statement = ({ text, values }: SqlText): EngineSelect => ({ sql: text, parameters: values });

const NO_CODES = statement(sql`SELECT 0 AS code WHERE false`);

function testedColumns({ values }: SqlText): SqlText[] {
  const tested = new Set(values.flatMap((value) => (typeof value === "object" && "test" in value && value.of ? [value.of] : [])));
  return [...tested].map(column);
}

function codesOf(columns: readonly SqlText[], events: SqlText): EngineSelect {
  const [first, ...others] = columns;
  if (!first) return NO_CODES;
  const code = others.length === 0 ? first : sql`unnest([${joinSql(columns, ", ")}])`;
  return statement(sql`SELECT ${code} AS code FROM (${events}) AS shared_events`);
}

/** The part of an engine query over the events of a range that says who asks. */
function readableIn(query: SqlText, range: SiteRange, asker: Asker): Asked {
  if (!asker.isGuest) return {};
  const events = sharedEventsIn(range);
  return { isGuest: true, readable: { texts: codesOf(testedColumns(query), events), props: codesOf([sql`props`], events) } };
}

/** Readable texts of a query over partial aggregates, which come from shared events only. */
function readableInPartials({ codes: [code] = [] }: AggregateQuery, asker: Asker): Asked {
  if (!asker.isGuest) return {};
  const texts = code === undefined ? NO_CODES : codesOf([resultColumn(code)], sql`SELECT * FROM partials`);
  return { isGuest: true, readable: { texts, props: NO_CODES } };
}

interface StepContext<Result> {
  readonly calendar: Calendar;
  readonly partitionCache: PartitionCache;
  readonly query: (query: EngineQuery) => Promise<Result>;
  readonly asker: Asker;
}

export const beyondSql = (
  { perVisitor, property, top }: AggregateQuery,
  { propertyTextBytesMax }: Pick<PartitionCache, "propertyTextBytesMax">,
): Pick<EngineQuery, "perVisitor" | "properties"> => ({
  ...(perVisitor && { perVisitor }),
  ...(property !== undefined && {
    properties: { key: property, bytesMax: propertyTextBytesMax, ...(top?.search !== undefined && { search: top.search }) },
  }),
});

/** The result of each query of the step. Runs them in sequence, so that each report uses an equal share of the engine. */
async function executeSinglePass<Result>(
  { siteRange, queries }: PlanStep,
  blocks: readonly number[],
  context: StepContext<Result>,
): Promise<Result[]> {
  const { siteId, range } = siteRange;
  const results: Result[] = [];
  for (const query of queries) {
    const rows = query.perVisitor ? query.partial(range, context.calendar) : singlePassSql(query, range, context.calendar);
    const engineQuery = { siteId, blocks, ...statement(rows), ...beyondSql(query, context.partitionCache) };
    results.push(await context.query({ ...engineQuery, ...readableIn(rows, siteRange, context.asker) }));
  }
  return results;
}

/** The parts of a search among properties contain only its matches (`beyondSql`). */
const partsKeyOf = (query: AggregateQuery): string =>
  query.property === undefined || query.top?.search === undefined
    ? definitionOf(query)
    : JSON.stringify([definitionOf(query), query.top.search]);

/** A query, its stored partial aggregates, and the numbers of those of this range. */
interface OpenQuery {
  readonly query: AggregateQuery;
  readonly stored: QueryPartials;
  readonly partials: number[];
}

/**
 * The result of each query of the step. All queries share each chunk while it is loaded. Partial aggregates that are still valid are not
 * computed again.
 */
async function executeInChunks<Result>(
  step: PlanStep,
  chunks: readonly Chunk[],
  loader: ChunkLoader,
  context: StepContext<Result>,
): Promise<Result[]> {
  const { siteId } = step.siteRange;
  const { partialAggregates } = context.partitionCache;
  const open: OpenQuery[] = step.queries.map((query) => ({
    query,
    stored: partialAggregates.open({ siteId, key: partsKeyOf(query), columns: partialColumns(query), isGuest: context.asker.isGuest }),
    partials: [],
  }));
  try {
    for (const chunk of loader.inSharedOrder(chunks)) await aggregateChunk(step, chunk, open, loader, context);
    const results: Result[] = [];
    for (const { query, stored, partials } of open) {
      const total = { siteId, blocks: [], partials: partialAggregates.partsOf(stored, partials), ...statement(finalizeSql(query)) };
      results.push(await context.query({ ...total, ...readableInPartials(query, context.asker) }));
    }
    return results;
  } finally {
    for (const { stored } of open) partialAggregates.release(stored);
  }
}

async function aggregateChunk(
  { siteRange }: PlanStep,
  chunk: Chunk,
  open: readonly OpenQuery[],
  loader: ChunkLoader,
  { calendar, partitionCache, asker }: Omit<StepContext<unknown>, "query">,
): Promise<void> {
  const { siteId } = siteRange;
  const { partialAggregates } = partitionCache;
  const named = { name: chunkName(chunk), version: chunk.version };
  const missing = open.filter(({ stored, partials }) => {
    const partial = partialAggregates.partOf(stored, named);
    if (partial !== undefined) partials.push(partial);
    return partial === undefined;
  });
  if (missing.length === 0) return;
  await loader.load(chunk, async (blocks) => {
    for (const { query, stored, partials } of missing) {
      const rows = query.partial(chunk.range, calendar);
      const asked = readableIn(rows, { ...siteRange, range: chunk.range }, asker);
      const engineQuery = { siteId, blocks, ...statement(rows), ...beyondSql(query, partitionCache), ...asked };
      // Queries that differ in their `top` alone share their parts.
      const partial = partialAggregates.partOf(stored, named) ?? (await partialAggregates.add(stored, named, engineQuery, asker.signal));
      partials.push(partial);
    }
  });
}

interface ScanContext {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly asker: Asker;
}

function numbersIn(columns: Columns): NumberColumns {
  if (Object.values(columns).some((values) => Array.isArray(values))) throw new TypeError("the columns of a scan must hold integers");
  return columns as NumberColumns;
}

function chunkOf(siteRange: SiteRange, blocks: readonly number[], { engine, asker }: ScanContext): ScanChunk {
  const { siteId, range } = siteRange;
  return {
    range,
    async columns({ sql: rows }) {
      const query = { siteId, blocks, ...statement(rows), ...readableIn(rows, siteRange, asker) };
      return numbersIn(await engine.queryColumns(query, asker.signal));
    },
    async propsTextsOf(codes) {
      const texts = await engine.propsTexts(siteId, codes);
      return new Map(codes.map((code, i) => [code, texts[i] ?? ""]));
    },
  };
}

/** Codes that one query lists, each as a parameter. */
const CODES_PER_LIST = 1024;

/** Density of wanted codes from which reading the whole range of codes is cheaper than listing them. */
const UNWANTED_PER_WANTED_MAX = 8;

/** The queries that read the texts of these codes, given in ascending order. */
function textQueries(codes: readonly number[]): SqlText[] {
  const between = (wanted: readonly number[]) =>
    sql`SELECT code, text FROM texts WHERE code >= ${wanted[0] ?? 0} AND code <= ${wanted.at(-1) ?? 0}`;
  if ((codes.at(-1) ?? 0) - (codes[0] ?? 0) < codes.length * UNWANTED_PER_WANTED_MAX) return [between(codes)];
  return Array.from({ length: Math.ceil(codes.length / CODES_PER_LIST) }, (_, i) => {
    const listed = codes.slice(i * CODES_PER_LIST, (i + 1) * CODES_PER_LIST);
    const values = listed.map((code) => sql`${code}`);
    return sql`${between(listed)} AND code IN (${joinSql(values, ", ")})`;
  });
}

export const siteTexts =
  (engine: Engine, siteId: SiteId, { isGuest, signal }: Asker): TextsOf =>
  async (codes) => {
    const found = new Map<number, string>();
    for (const { text, values } of textQueries(codes)) {
      const rows = await engine.query({ siteId, blocks: [], sql: text, parameters: values, isGuest }, signal);
      for (const row of rows) found.set(numberIn(row, "code"), textIn(row, "text"));
    }
    return found;
  };

/** The dictionary is held until the end, so codes stay valid although chunks are loaded and dropped. */
async function scanInChunks<Result>(
  siteRange: SiteRange,
  chunks: readonly Chunk[],
  loader: ChunkLoader,
  reader: ScanReader<Result>,
  context: ScanContext,
): Promise<Result> {
  const { siteId } = siteRange;
  const { partialAggregates } = context.partitionCache;
  const { asker } = context;
  const texts = await partialAggregates.holdTexts(siteId, asker.isGuest, asker.signal);
  try {
    for (const chunk of chunks) {
      const wantsMore = await loader.load(chunk, (blocks) =>
        reader.readChunk(chunkOf({ ...siteRange, range: chunk.range }, blocks, context)),
      );
      if (!wantsMore) break;
    }
    return await reader.finish(siteTexts(context.engine, siteId, asker));
  } finally {
    partialAggregates.release(texts);
  }
}

/** A range that does not fit may fit later, beside other queries or in a new engine, so a retry may succeed. */
const RETRY_SECS = 10;

const unavailable = (message: string): AppError => new AppError({ code: "unavailable", retryAfterSecs: RETRY_SECS }, message);

/** The refusal that a failure of the engine means for the client; any other error as it is. */
function refusalOf(error: unknown, withProperties: boolean): unknown {
  if (error instanceof DroppedError)
    return unavailable("The query engine failed twice during this query. Try a shorter range, or again later.");
  if (error instanceof TooManyTestsError)
    return invalidInput(
      `A request may have at most ${QUERY_TESTS_MAX} different patterns in its filters, steps and goals, and as many properties`,
    );
  if (error instanceof TooManyStepsError)
    return invalidInput(
      `The patterns of this request take more than ${GUEST_TEST_STEPS_MAX / 1e6} million steps on the texts of this range, the most for guests ` +
        "of what is shared. Use fewer or simpler patterns in filters, steps and search, or a shorter range.",
    );
  if (!(error instanceof EngineFullError)) return error;
  return unavailable(
    withProperties
      ? "The properties of this range's events need more memory than reports of properties may take. Try a shorter range, or set a larger engine_memory_mb."
      : "The query engine has too little memory for this range at the moment. Try a shorter range, or again later.",
  );
}

interface ExecutorOptions {
  readonly engine: Engine;
  readonly partitionCache: PartitionCache;
  readonly budgetBytes: number;
  readonly rotationDays: number;
  /** null if every report reads events. */
  readonly rollups: RollupExecution | null;
  readonly files: FileExecution;
}

/** Work on a range. Both ways of execution have the same result. */
interface RangeTask<Result> extends SiteRange {
  readonly withProperties: boolean;
  readonly withSessions: boolean;
  readonly singlePass: (blocks: readonly number[]) => Promise<Result>;
  readonly inChunks: (chunks: readonly Chunk[], loader: ChunkLoader) => Promise<Result>;
}

export class Executor implements PlanRunner {
  readonly #options: ExecutorOptions;
  readonly #admission: MemoryAdmission;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#admission = new MemoryAdmission((options.budgetBytes * WORKED_ON_SHARE_MAX) / CACHED_SHARE_OF_PARQUET);
  }

  async run<Result>({ steps, toResult }: Plan<Result>, asker: Asker, calendar: Calendar): Promise<Result> {
    return toResult(await runSteps(steps, (step) => this.#runStep(step, asker, calendar)));
  }

  async #runStep(step: PlanStep, asker: Asker, calendar: Calendar): Promise<StepRows> {
    const { signal } = asker;
    const { engine, rollups, files } = this.#options;
    const days = await this.versionsOf(step.siteRange);
    const readRest = async (rest: PlanStep) =>
      (await files.execute(rest, calendar, signal)) ??
      this.#fromEvents(rest, calendar, (query) => engine.queryColumns(query, signal), asker);
    const rows = (await rollups?.execute(step, days, readRest, signal)) ?? (await files.execute(step, calendar, signal))?.map(rowsOf);
    if (rows) return rows;
    return this.#fromEvents(step, calendar, (query) => engine.query(query, signal), asker);
  }

  #fromEvents<Result>(step: PlanStep, calendar: Calendar, query: StepContext<Result>["query"], asker: Asker): Promise<Result[]> {
    const { partitionCache } = this.#options;
    const context = { calendar, partitionCache, query, asker };
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

  scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, asker: Asker): Promise<Result> {
    const context = { ...this.#options, asker };
    const task: RangeTask<Result> = {
      ...siteRange,
      withProperties: true,
      withSessions: false,
      async singlePass(blocks) {
        const reader = openReader();
        await reader.readChunk(chunkOf(siteRange, blocks, context));
        return reader.finish(siteTexts(context.engine, siteRange.siteId, asker));
      },
      inChunks: (chunks, loader) => scanInChunks(siteRange, chunks, loader, openReader(), context),
    };
    return this.#execute(task, asker);
  }

  async #execute<Result>(task: RangeTask<Result>, asker: Asker): Promise<Result> {
    try {
      return await this.#attempt(task, asker).catch((error: unknown) => {
        if (error instanceof DroppedError) return this.#attempt(task, asker);
        throw error;
      });
    } catch (error) {
      throw refusalOf(error, task.withProperties);
    }
  }

  async #attempt<Result>(task: RangeTask<Result>, asker: Asker): Promise<Result> {
    const { partitionCache, rotationDays, budgetBytes } = this.#options;
    const { siteId, range, withProperties, withSessions } = task;
    const days = await this.versionsOf(task);
    // The engine may have failed because they did not fit.
    if (!asker.isRepeated && partitionCache.shouldFit(bytesOf(days))) {
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
    const loading = { signal, isGuest, withinBudget, onePass: false, withProperties, withSessions };
    return this.#options.partitionCache.withDays(siteId, range, loading, singlePass);
  }

  async isCovered({ steps }: Plan<unknown>): Promise<boolean> {
    let isAnyCovered = false;
    for (const step of steps) {
      const days = await this.versionsOf(step.siteRange);
      if (!(await this.#options.rollups?.covers(step, days))) return false;
      isAnyCovered ||= days.length > 0;
    }
    return isAnyCovered;
  }

  versionsOf({ siteId, range }: SiteRange): Promise<readonly PartitionVersion[]> {
    return this.#options.partitionCache.versionsOf(siteId, range.firstDay, range.lastDay);
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#options.engine.query({ siteId: "health" as SiteId, blocks: [], sql: "SELECT 1 AS one", parameters: [] }, signal);
  }
}

interface FileExecutionOptions {
  readonly eventStore: StoredEvents;
}

/** A file is missing or cannot be read. The engine leaves out its events, and says so. */
class UnreadableFileError extends Error {}

const unflushedOf = ({ journaled }: Partition) => journaled.filter(({ inFiles }) => !inFiles).flatMap(({ events }) => events);

/** True if the thread that takes events can read them without a delay of others. */
function areFew(partitions: readonly Partition[]): boolean {
  const { fileBytesMax, bytesMax, unflushedMax } = FILE_EXECUTION;
  const sizes = partitions.flatMap(({ files }) => files.map(({ sizeBytes }) => sizeBytes));
  const unflushed = partitions.reduce((sum, partition) => sum + unflushedOf(partition).length, 0);
  return (
    unflushed <= unflushedMax && sizes.every((bytes) => bytes <= fileBytesMax) && sizes.reduce((sum, bytes) => sum + bytes, 0) <= bytesMax
  );
}

/** Executes a step over few events from their files: the engine would take longer to load them than it takes to read them here. */
export class FileExecution {
  readonly #options: FileExecutionOptions;

  constructor(options: FileExecutionOptions) {
    this.#options = options;
  }

  /** The rows of each query of the step; null if the engine has to execute it. */
  async execute(
    { siteRange: { siteId, range }, queries }: PlanStep,
    calendar: Calendar,
    signal: AbortSignal,
  ): Promise<readonly Columns[] | null> {
    const computations: RowsOfVisits[] = queries.flatMap(({ ofVisits }) => ofVisits ?? []);
    if (computations.length < queries.length) return null;
    const { eventStore } = this.#options;
    const visits = await eventStore.withSnapshot(siteId, range.firstDay, range.lastDay, (partitions) =>
      this.#read(siteId, partitions, signal),
    );
    return visits && computations.map((rows) => rows(visits, range, calendar));
  }

  /** null if there are too many events, or a file cannot be read. */
  async #read(siteId: SiteId, partitions: readonly Partition[], signal: AbortSignal): Promise<readonly Visits[] | null> {
    if (!areFew(partitions)) return null;
    try {
      const visits: Visits[] = [];
      for (const partition of partitions) visits.push(...(await this.#visitsOf(siteId, partition, signal)));
      return visits;
    } catch (error) {
      if (error instanceof UnreadableFileError) return null;
      throw error;
    }
  }

  async #visitsOf(siteId: SiteId, partition: Partition, signal: AbortSignal): Promise<Visits[]> {
    const day = dayNumberOf(partition.day);
    const visits: Visits[] = [];
    for (const file of partition.files) {
      signal.throwIfAborted();
      visits.push(...visitsIn(siteId, day, await this.#options.eventStore.read(file)));
    }
    const unflushed = unflushedOf(partition);
    if (unflushed.length > 0) visits.push(visitsOf(day, columnsOfEvents(unflushed.map(eventOf))));
    return visits;
  }
}

function visitsIn(siteId: SiteId, day: number, bytes: Uint8Array | null): Visits[] {
  if (!bytes) throw new UnreadableFileError("the file is gone");
  try {
    return Array.from(decodeEventsOf(siteId, bytes, VISIT_COLUMNS), (events) => visitsOf(day, events));
  } catch (error) {
    throw new UnreadableFileError("the file cannot be read", { cause: error });
  }
}
