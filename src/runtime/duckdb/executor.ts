/**
 * Executes plans and scans: adds rollups, the kept rows of parts of the range, and the rows of all other parts, which the engine computes
 * from their events, or this thread from the files if the events are few. Runs once more if what it reads was dropped meanwhile.
 */
import { type Calendar, dayNumberOf } from "../../storage/calendar.ts";
import { type Columns, type NumberColumns, rowCountOf } from "../../storage/columns.ts";
import { eventOf, type SiteId } from "../../storage/event.ts";
import { columnsOfEvents, decodeEventsOf } from "../../storage/parquet-events.ts";
import type { Partition, PartitionVersion } from "../../storage/partitions.ts";
import { WORKED_ON_SHARE_MAX } from "../base/config/limits.ts";
import { FILE_EXECUTION, GUEST_TEST_STEPS_MAX } from "../base/config/report-limits.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import type { CoveredDays } from "../query/coverage.ts";
import type { DateRange } from "../query/date-range.ts";
import type { ImportedDaysReader } from "../query/imported-days.ts";
import {
  type AggregateQuery,
  definitionOf,
  type Plan,
  type PlanSource,
  type PlanRunner,
  type PlanStep,
  rowColumns,
  readsProperties,
  type RowsOfVisits,
  runSteps,
  type ScanChunk,
  type ScanReader,
  type StepRows,
  type TextsOf,
  VISIT_COLUMNS,
  type Visits,
  visitsOf,
} from "../query/plan.ts";
import { type PartsLeft, Progress } from "../query/progress.ts";
import { RowSum } from "../query/row-sum.ts";
import { type Asker, type SiteRange } from "../query/scope.ts";
import { joinSql, numberIn, sql, type SqlRow, type SqlText, textIn } from "../query/sql.ts";
import { TooManyStepsError } from "../query/text-matching.ts";
import { CACHED_SHARE_OF_PARQUET } from "./cache/engine-memory.ts";
import type { PartitionCache, StoredEvents } from "./cache/partition-cache.ts";
import { bytesOf, type Chunk, chunkBytesMax, ChunkLoader, chunkName, cutIntoParts, MemoryAdmission, wholeOf } from "./chunks.ts";
import { DroppedError, type Engine, EngineFullError, type EngineQuery, QUERY_TESTS_MAX, TooManyTestsError } from "./engine.ts";
import { readableIn, rowsQuery, statement } from "./event-rows.ts";
import type { PartsOfQueries, RollupExecution } from "./rollups/rollup-execution.ts";
import { computedWith, joinedQuery, separated } from "./together.ts";
import { divided, type OtherThreads } from "./shares.ts";
import { columnsIn, FURTHER_COLUMNS } from "./tables/event-columns.ts";
import { SumMemory, TooManyRowsError } from "./sum-memory.ts";

/** A search among properties reads its matches only, so that a few of very many values are found. */
const rowsKeyOf = (query: AggregateQuery): string =>
  query.property === undefined || query.top?.search === undefined
    ? definitionOf(query)
    : JSON.stringify([definitionOf(query), query.top.search]);

interface ScanContext {
  readonly engine: Engine;
  readonly asker: Asker;
}

/** A scan reads what its reader asks for. */
const ALL_COLUMNS = new Set(FURTHER_COLUMNS);

function numbersIn(columns: Columns): NumberColumns {
  if (Object.values(columns).some((values) => Array.isArray(values))) throw new TypeError("the columns of a scan must hold integers");
  return columns as NumberColumns;
}

function chunkOf(siteRange: SiteRange, blocks: readonly number[], { engine, asker }: ScanContext): ScanChunk {
  const { siteId, range } = siteRange;
  return {
    range,
    async columns({ sql: rows, range: read = range }) {
      const readable = readableIn(rows, { ...siteRange, range: read }, asker.isGuest);
      const query = { siteId, blocks, range: read, ...statement(rows), ...readable };
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
  if (!(error instanceof EngineFullError || error instanceof TooManyRowsError)) return error;
  return unavailable(
    withProperties && error instanceof EngineFullError
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
  readonly imported: Pick<ImportedDaysReader, "rowsOf">;
  readonly files: FileExecution;
  /** null where there are none. */
  readonly others: OtherThreads | null;
  /** Resolves after other work could run. */
  readonly pause: () => Promise<void>;
}

/** Reads the parts of ranges one at a time. */
interface RangeWork<Result> {
  readonly siteId: SiteId;
  readonly ranges: readonly DateRange[];
  /** The versions of the days of the ranges, and maybe of others. */
  readonly days: readonly PartitionVersion[];
  /** Days that fit into the memory together are one part of each range. */
  readonly isWholeIfPossible: boolean;
  readonly readsProperties: boolean;
  readonly inParts: (parts: readonly Chunk[], loader: ChunkLoader) => Promise<Result>;
}

/** Who asks, the calendar of the site, and how far its events are read. */
interface Reader {
  readonly asker: Asker;
  readonly calendar: Calendar;
  readonly progress: Progress;
}

interface PlanReader extends Reader {
  /** Days of which only sums are known, of all steps so far. */
  readonly covered: CoveredDays[];
  readonly ofEventsOnly: readonly DateRange[];
}

/** The ranges of which a query reads events: all numbers of an answer are of the same days. */
const rangesOfEventsOnly = (steps: readonly PlanStep[]): readonly DateRange[] =>
  steps.filter(({ queries }) => queries.some(({ ofDays }) => ofDays === undefined)).map(({ siteRange }) => siteRange.range);

/** A step as another thread finds it in the same plan. */
interface SharedStep {
  readonly source: PlanSource;
  readonly step: number;
  /** The queries before they were narrowed. */
  readonly queries: readonly AggregateQuery[];
}

/** A step that is being run, and the versions of all its days. */
interface StepWork {
  readonly step: PlanStep;
  readonly shared: SharedStep | undefined;
  readonly days: readonly PartitionVersion[];
  readonly by: Reader;
}

/** Where the rows of each query are among those of others; null if they are not. */
function placesOf(queries: readonly AggregateQuery[], others: readonly AggregateQuery[]): readonly number[] | null {
  const keys = others.map(rowsKeyOf);
  const places = queries.map((query) => keys.indexOf(rowsKeyOf(query)));
  return places.includes(-1) ? null : places;
}

const isWithin = ({ firstDay, lastDay }: DateRange, { day }: PartitionVersion): boolean => firstDay <= day && day <= lastDay;

export class Executor implements PlanRunner {
  readonly #options: ExecutorOptions;
  readonly #admission: MemoryAdmission;
  readonly #sums: SumMemory;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#admission = new MemoryAdmission((options.budgetBytes * WORKED_ON_SHARE_MAX) / CACHED_SHARE_OF_PARQUET);
    this.#sums = new SumMemory(options.budgetBytes);
  }

  async run<Result>({ source, steps, toResult }: Plan<Result>, asker: Asker, calendar: Calendar): Promise<Result> {
    const sharedOf = (step: number) => source && { source, step, queries: steps[step]?.queries ?? [] };
    const covered: CoveredDays[] = [];
    const by = { asker, calendar, progress: new Progress(asker.onProgress), covered, ofEventsOnly: rangesOfEventsOnly(steps) };
    return toResult(await runSteps(steps, (step, index) => this.#runStep(step, sharedOf(index), by)), covered);
  }

  /** The sum of the rows of each query of a step, over ranges that this thread owns. */
  async rowsOf(
    { siteRange, queries }: PlanStep,
    ranges: readonly DateRange[],
    asker: Asker,
    calendar: Calendar,
  ): Promise<readonly Columns[]> {
    const days = await this.versionsOf(siteRange);
    const progress = new Progress(asker.onProgress);
    progress.ask(ranges);
    const parts = await this.#rowsOfOwn(ranges, { siteRange, queries }, days, { asker, calendar, progress });
    const sums: Columns[] = [];
    for (const [i, query] of queries.entries()) {
      const ofQuery = parts.map((part) => part[i] ?? {});
      sums.push(ofQuery.length === 1 ? (ofQuery[0] ?? {}) : await this.#summed(query, ofQuery, asker, (sum) => sum.toColumns()));
    }
    return sums;
  }

  /** Adds up what is known: rollups, the kept rows of parts, and the rows of all others from their events. */
  async #runStep(step: PlanStep, shared: SharedStep | undefined, by: PlanReader): Promise<StepRows> {
    const days = await this.versionsOf(step.siteRange);
    const imported = await this.#options.imported.rowsOf(step, days, by.ofEventsOnly);
    by.covered.push(...(imported?.days ?? []));
    const ofDays = imported?.parts ?? step.queries.map(() => []);
    // Sums over nothing have no rows, and need no engine that may still have to start.
    if (days.length === 0) return imported ? this.#totals(step, ofDays, by.asker) : step.queries.map(() => []);
    const ofEvents = await this.#rowsOfStored({ step, shared, days, by });
    const parts = imported ? ofEvents.map((ofQuery, i) => [...ofQuery, ...(ofDays[i] ?? [])]) : ofEvents;
    return this.#totals(step, parts, by.asker);
  }

  /** The rows of days with events: of rollups, and of events where there are none. */
  async #rowsOfStored(work: StepWork): Promise<PartsOfQueries> {
    const { rollups } = this.#options;
    const { step, days, by } = work;
    by.progress.ask([step.siteRange.range]);
    const covered = await rollups?.coverage(step, days);
    const ofRollups = covered && covered.rollups.length > 0 ? await rollups?.rowsOf(step, covered, by.asker.signal) : null;
    const rest = await this.#rowsIn(ofRollups && covered ? covered.rest : [step.siteRange.range], work);
    return ofRollups ? rest.map((ofQuery, i) => [...(ofRollups[i] ?? []), ...ofQuery]) : rest;
  }

  async #rowsIn(ranges: readonly DateRange[], work: StepWork): Promise<PartsOfQueries> {
    const { step, by } = work;
    const { siteRange, queries } = step;
    const found: (readonly Columns[])[] = [];
    const left: DateRange[] = [];
    for (const range of ranges) {
      const ofFiles = await this.#options.files.execute({ siteRange: { ...siteRange, range }, queries }, by.calendar, by.asker.signal);
      if (ofFiles) found.push(ofFiles);
      else left.push(range);
    }
    if (left.length > 0) found.push(...(await this.#rowsOfEvents(left, work)));
    return queries.map((_, i) => found.map((ofQueries) => ofQueries[i] ?? {}));
  }

  /** The rows of each query for each part of the ranges. Large ranges are divided among the threads. */
  async #rowsOfEvents(ranges: readonly DateRange[], { step, shared, days, by }: StepWork): Promise<PartsOfQueries> {
    const { others, rotationDays } = this.#options;
    const places = shared && placesOf(step.queries, shared.queries);
    const daysIn = (range: DateRange) => days.filter((day) => isWithin(range, day));
    const bytes = ranges.reduce((sum, range) => sum + bytesOf(daysIn(range)), 0);
    if (!others || !shared || !places || bytes < others.thread.dividedBytesMin) return this.#rowsOfOwn(ranges, step, days, by);
    const { number, count } = others.thread;
    const { asker, progress } = by;
    const failed = new AbortController();
    const signal = AbortSignal.any([asker.signal, failed.signal]);
    const rowsOf = async (thread: number, owned: readonly DateRange[]): Promise<PartsOfQueries> => {
      if (owned.length === 0) return [];
      if (thread === number) return this.#rowsOfOwn(owned, step, days, { ...by, asker: { ...asker, signal } });
      const { source, step: index } = shared;
      const tell = progress.share(owned);
      const rows = await others.rowsOf(
        thread,
        { source, step: index, ranges: owned, isGuest: asker.isGuest },
        { signal, onProgress: ({ days: ofThread, daysRead, reading }) => tell(ofThread - daysRead, reading) },
      );
      tell(0, null);
      return [places.map((place) => rows[place] ?? {})];
    };
    const owned = divided(step.siteRange.siteId, ranges, rotationDays, count);
    const withEvents = owned.map((ofThread) => ofThread.filter((range) => daysIn(range).length > 0));
    try {
      return (await Promise.all(withEvents.map((ofThread, thread) => rowsOf(thread, ofThread)))).flat();
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  }

  #rowsOfOwn(
    ranges: readonly DateRange[],
    { siteRange, queries }: PlanStep,
    days: readonly PartitionVersion[],
    by: Reader,
  ): Promise<PartsOfQueries> {
    const partsLeft = by.progress.ownShare();
    const work: RangeWork<PartsOfQueries> = {
      siteId: siteRange.siteId,
      ranges,
      days,
      isWholeIfPossible: false,
      readsProperties: queries.some(readsProperties),
      inParts: (parts, loader) => this.#rowsOfParts({ siteRange, queries }, parts, loader, by, partsLeft),
    };
    return this.#execute(work, by.asker);
  }

  /** All queries share each part while it is loaded. Rows that are kept are not computed again. */
  async #rowsOfParts(
    { siteRange, queries }: PlanStep,
    parts: readonly Chunk[],
    loader: ChunkLoader,
    by: Reader,
    partsLeft: PartsLeft,
  ): Promise<PartsOfQueries> {
    const { partRows } = this.#options.partitionCache;
    const { siteId } = siteRange;
    const { isGuest } = by.asker;
    const open = queries.map((query) => {
      const { names, isMomentary } = query;
      return partRows.open({
        siteId,
        key: rowsKeyOf(query),
        hasOwnTexts: names !== undefined,
        ...(isMomentary && { isMomentary }),
        isGuest,
      });
    });
    const nameOf = (part: Chunk) => ({ name: chunkName(part), version: part.version });
    const knownOf = (part: Chunk) => open.map((kept) => partRows.rowsOf(kept, nameOf(part)));
    const rows: (readonly Columns[])[] = [];
    try {
      partsLeft.begin(parts.filter((part) => knownOf(part).includes(undefined)));
      for (const part of loader.inSharedOrder(parts)) {
        const named = nameOf(part);
        const ofPart = knownOf(part);
        const selects = queries.map((query, i) => (ofPart[i] ? null : query.partial(part.range, by.calendar)));
        const columns = new Set(selects.flatMap((select) => (select ? [...columnsIn(select.text).columns] : [])));
        const compute = async (blocks: readonly number[]) => {
          for (const [i, query] of queries.entries()) {
            const [kept, select] = [open[i], selects[i]];
            // Queries that differ in their `top` alone have the same rows.
            if (kept) ofPart[i] ??= partRows.rowsOf(kept, named);
            if (!kept || !select || ofPart[i]) continue;
            const left = queries.filter((_, other) => other > i && !ofPart[other]);
            const read = { ...siteRange, range: part.range, blocks };
            const computed = await this.#compute(computedWith(query, left), by, read);
            for (const [computedQuery, rowsOfQuery] of computed) {
              const place = queries.indexOf(computedQuery);
              const keptOfQuery = open[place];
              if (keptOfQuery) partRows.add(keptOfQuery, named, rowsOfQuery);
              ofPart[place] = rowsOfQuery;
            }
          }
        };
        if (ofPart.includes(undefined)) await partsLeft.read(part, () => loader.load(part, columns, compute));
        else partsLeft.leaveOut(part);
        rows.push(ofPart.map((ofQuery) => ofQuery ?? {}));
      }
      return rows;
    } finally {
      for (const kept of open) partRows.release(kept);
    }
  }

  /** The rows of queries that one statement can compute, by the query. */
  async #compute(
    queries: readonly AggregateQuery[],
    by: Reader,
    part: SiteRange & Pick<EngineQuery, "blocks">,
  ): Promise<ReadonlyMap<AggregateQuery, Columns>> {
    const [first, ...others] = queries;
    if (!first) return new Map();
    if (others.length > 0) {
      try {
        const rows = separated(queries, await this.#rowsOfQuery(joinedQuery([first, ...others]), by, part));
        return new Map(queries.map((query, i) => [query, rows[i] ?? {}] as const));
      } catch (error) {
        // Each alone may have few enough.
        if (!(error instanceof TooManyRowsError)) throw error;
      }
    }
    return new Map([[first, await this.#rowsOfQuery(first, by, part)]]);
  }

  async #rowsOfQuery(
    query: AggregateQuery,
    { asker: { isGuest, signal }, calendar }: Reader,
    part: SiteRange & Pick<EngineQuery, "blocks">,
  ): Promise<Columns> {
    const { engine, partitionCache } = this.#options;
    const { propertyTextBytesMax } = partitionCache;
    const { rowsMax } = this.#sums;
    const select = query.partial(part.range, calendar);
    const rows = await engine.queryColumns(
      rowsQuery(query, select, { ...part, isGuest, propertyTextBytesMax, rowsMax: rowsMax + 1 }),
      signal,
    );
    if (rowCountOf(rows) > rowsMax) throw new TooManyRowsError();
    return rows;
  }

  /** The rows of each query that are its result. */
  async #totals({ queries }: PlanStep, parts: PartsOfQueries, asker: Asker): Promise<StepRows> {
    const results: (readonly SqlRow[])[] = [];
    try {
      for (const [i, query] of queries.entries()) results.push(await this.#total(query, parts[i] ?? [], asker));
      return results;
    } catch (error) {
      throw refusalOf(error, false);
    }
  }

  #total(query: AggregateQuery, parts: readonly Columns[], asker: Asker): Promise<readonly SqlRow[]> {
    const { isCounted, top } = query;
    return this.#summed(query, parts, asker, async (sum) => (isCounted ? [{ row_count: await sum.countRows(top) }] : sum.toRows(top)));
  }

  #summed<Result>(
    query: AggregateQuery,
    parts: readonly Columns[],
    { isGuest, signal }: Asker,
    resultOf: (sum: RowSum) => Result | Promise<Result>,
  ): Promise<Result> {
    const { pause } = this.#options;
    return this.#sums.run(isGuest, async (reserve) => {
      const next = async () => {
        await pause();
        signal.throwIfAborted();
      };
      const searchStepsMax = isGuest ? GUEST_TEST_STEPS_MAX : Number.POSITIVE_INFINITY;
      const sum = new RowSum({ columns: rowColumns(query), next, reserve, searchStepsMax });
      for (const part of parts) await sum.add(part);
      return resultOf(sum);
    });
  }

  /** The texts keep their codes until the end, although parts are loaded and dropped. */
  async scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, asker: Asker): Promise<Result> {
    const { engine, partitionCache } = this.#options;
    const { siteId, range } = siteRange;
    const context = { engine, asker };
    const readParts = async (parts: readonly Chunk[], loader: ChunkLoader): Promise<Result> => {
      const reader = openReader();
      for (const part of parts) {
        const ofPart = { ...siteRange, range: part.range };
        const wantsMore = await loader.load(part, ALL_COLUMNS, (blocks) => reader.readChunk(chunkOf(ofPart, blocks, context)));
        if (!wantsMore) break;
      }
      return reader.finish(siteTexts(engine, siteId, asker));
    };
    const work: RangeWork<Result> = {
      siteId,
      ranges: [range],
      days: await this.versionsOf(siteRange),
      // Parts have no properties in common, so each would keep its own texts of the same ones.
      isWholeIfPossible: true,
      readsProperties: true,
      inParts: (parts, loader) => partitionCache.withTexts(siteId, () => readParts(parts, loader)),
    };
    return this.#execute(work, asker);
  }

  async #execute<Result>(work: RangeWork<Result>, asker: Asker): Promise<Result> {
    try {
      return await this.#attempt(work, asker).catch((error: unknown) => {
        if (error instanceof DroppedError) return this.#attempt(work, asker);
        throw error;
      });
    } catch (error) {
      throw refusalOf(error, work.readsProperties);
    }
  }

  async #attempt<Result>(work: RangeWork<Result>, asker: Asker): Promise<Result> {
    const { siteId, ranges, days, isWholeIfPossible, inParts } = work;
    const { partitionCache, rotationDays, budgetBytes } = this.#options;
    const newest = days.at(-1);
    const read = newest ? ranges.map((range) => ({ range, days: days.filter((day) => isWithin(range, day)), newestDay: newest.day })) : [];
    const inPartsOf = (bytesMax: number, shouldFit: boolean): Promise<Result> => {
      const cut = shouldFit && isWholeIfPossible ? wholeOf : cutIntoParts;
      const parts = read.flatMap((each) => cut(each, rotationDays, bytesMax));
      // A single part runs at any size, whatever else does.
      const isOnePass = !shouldFit && parts.length > 1;
      const loading = { siteId, withinBudget: shouldFit, onePass: isOnePass, asker };
      return inParts(parts, new ChunkLoader({ partitionCache, admission: isOnePass ? this.#admission : null, ...loading }));
    };
    const bytesMax = chunkBytesMax(budgetBytes);
    try {
      // The engine may have failed because they did not fit.
      if (!asker.isRepeated && partitionCache.shouldFit(bytesOf(read.flatMap((each) => each.days)))) return await inPartsOf(bytesMax, true);
    } catch (error) {
      if (!(error instanceof EngineFullError)) throw error;
    }
    try {
      return await inPartsOf(bytesMax, false);
    } catch (error) {
      // Properties may be large even if files are small: smaller parts may fit.
      if (work.readsProperties && error instanceof EngineFullError) return inPartsOf(0, false);
      throw error;
    }
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
