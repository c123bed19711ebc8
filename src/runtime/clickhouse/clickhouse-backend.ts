/** Answers plans with ClickHouse: each query is one statement over all events of its site. */
import type { Calendar } from "../../storage/calendar.ts";
import type { NumberColumns } from "../../storage/columns.ts";
import type { SiteId } from "../../storage/event.ts";
import { severalAtOnce } from "../../storage/object-store.ts";
import { ARRIVALS_MAX, CLICKHOUSE_CHECK_MS_MAX, CLICKHOUSE_QUERIES_AT_ONCE } from "../base/config/clickhouse-limits.ts";
import { LOOKED_UP_CHARS_MAX } from "../base/config/report-limits.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { unlessAborted } from "../base/queue.ts";
import { NOT_RECORDED, StringDictionary } from "../duckdb/tables/dictionaries.ts";
import {
  type AggregateQuery,
  type Plan,
  type PlanRunner,
  type PlanStep,
  runSteps,
  type ScanQuery,
  type ScanReader,
  type StepRows,
  type TextsOf,
} from "../query/plan.ts";
import type { DateRange } from "../query/date-range.ts";
import { type Asker, inRange, sharedEventsIn, type SiteRange } from "../query/scope.ts";
import { joinSql, resultColumn, sql, type SqlRow, SqlText, textCode, textIn } from "../query/sql.ts";
import {
  type ClickhouseConnection,
  ClickhouseError,
  type ClickhouseStatement,
  ClickhouseUnreachableError,
  type Responsiveness,
  RESULT_SETTINGS,
} from "./connection.ts";
import { clickhouseStatement, namesWantedBy, type NumberedArrival, type SiteArrivals, TOO_MANY_ARRIVALS } from "./dialect/dialect.ts";
import { ARRIVAL, ARRIVAL_TEXTS } from "./dialect/sessions.ts";
import { NamedArrivals } from "./named-arrivals.ts";
import { UNRECORDED } from "../../shared/filters.ts";
import { resultSql } from "./result-sql.ts";
import type { EventTables } from "./schema.ts";
import { visitorTallies } from "./visitor-tallies.ts";

const identifier = (text: string): SqlText => new SqlText([text]);

const eventsOf = (siteId: SiteId, table: string): SqlText =>
  sql`events AS (SELECT * FROM ${identifier(table)} WHERE site_id = ${textCode(siteId)})`;

/** A statement over a site's events. `rest` follows the definition of the relation `events`. */
export const scanStatement = (
  rest: SqlText,
  siteId: SiteId,
  { all, readSettings }: EventTables,
  arrivals?: SiteArrivals,
): ClickhouseStatement => ({
  ...clickhouseStatement(sql`WITH ${eventsOf(siteId, all)}, ${rest}`, arrivals),
  settings: { ...RESULT_SETTINGS, ...readSettings },
});

/** The events that a query reads, and the calendar of their site. */
interface CalendarRange extends SiteRange {
  readonly calendar: Calendar;
}

/**
 * A SELECT of the rows of `partial`: on a cluster, those of each shard, made where its events are. Reading the relation `events` instead
 * would send each event that matches to one server.
 */
function rowsOfVisitors(
  { partial }: AggregateQuery,
  { siteId, range, calendar, comparesVisitors }: CalendarRange,
  tables: EventTables,
): SqlText {
  const { cluster, stored } = tables;
  if (cluster === null || comparesVisitors) return partial(range, calendar);
  const ofShard = sql`WITH ${eventsOf(siteId, stored)}, shard AS (${partial(range, calendar)}) SELECT * FROM shard`;
  return sql`SELECT * FROM cluster(${identifier(`\`${cluster}\``)}, view(${ofShard}))`;
}

/** The query's result, as the rest of a `scanStatement`. */
function resultStatement(query: AggregateQuery, read: CalendarRange, tables: EventTables): SqlText {
  const isPerShard = tables.cluster !== null && !query.comparesVisitors && !read.comparesVisitors;
  if (!isPerShard) return sql`totals AS (${query.partial(read.range, read.calendar)}) ${resultSql(query)}`;
  return sql`shards AS (${rowsOfVisitors(query, read, tables)}), totals AS (${summed(query)}) ${resultSql(query)}`;
}

/** A visitor is on one shard, so that the rows of shards add up as those of ranges do (`AggregateQuery`). */
function summed({ keys, codes = [], names = [], counts, amounts = [] }: AggregateQuery): SqlText {
  const groups = [...keys, ...codes, ...names].map(resultColumn);
  const sums = [...counts, ...amounts].map(resultColumn).map((column) => sql`sum(${column}) AS ${column}`);
  const grouping = groups.length > 0 ? sql`GROUP BY ${joinSql(groups, ", ")}` : sql``;
  return sql`SELECT ${joinSql([...groups, ...sums], ", ")} FROM shards ${grouping}`;
}

/** The values in groups, none of which is too long for the address of a request. */
function inPortions(values: readonly string[]): string[][] {
  const portions: string[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const value of values) {
    const needed = encodeURIComponent(value).length;
    if (chars + needed > LOOKED_UP_CHARS_MAX) {
      portions.push([]);
      chars = 0;
    }
    portions.at(-1)?.push(value);
    chars += needed;
  }
  return portions;
}

/** Queries whose rows together are those of this one, if they need no order: parameters are part of a request's address. */
export function portionsOf(query: AggregateQuery): AggregateQuery[] {
  const { top } = query;
  if (!top?.values) return [query];
  return inPortions(top.values).map((values) => ({ ...query, top: { ...top, values } }));
}

const placesOf = (text: string): string => `places_of_${text}`;

/**
 * One row with an array for each column of the query, in the order of its rows: its numbers, or its distinct texts in order of their first
 * place.
 */
export function arraysSql({ sql: rows, texts, numbers }: ScanQuery): SqlText {
  const values = (name: string) => sql`groupArray(scanned.${resultColumn(name)})`;
  const columns = [
    ...numbers.map((name) => sql`${values(name)} AS ${resultColumn(name)}`),
    ...texts.map((name) => sql`arrayDistinct(${values(name)}) AS ${resultColumn(name)}`),
    ...texts.map((name) => sql`arrayEnumerateDense(${values(name)}) AS ${resultColumn(placesOf(name))}`),
  ];
  return sql`scanned AS (${rows}) SELECT ${joinSql(columns, ", ")} FROM scanned`;
}

/** The texts of one scan. Those that were not recorded have the code of that. */
function scanTexts(reserve: (bytes: number) => void) {
  const dictionary = new StringDictionary();
  const textsOf: TextsOf = async (codes) => {
    const { strings } = dictionary.added();
    return new Map(codes.map((code) => [code, strings[code - 1] ?? ""]));
  };
  function codesOf(texts: readonly string[]): readonly number[] {
    const before = dictionary.bytes;
    const codes = texts.map((text) => dictionary.codeOf(text));
    reserve(dictionary.bytes - before);
    return codes;
  }
  return { codesOf, textsOf };
}

/** The arrivals of events, the rest of a `scanStatement`. */
const arrivalsSql = (events: SqlText): SqlText => sql`
  arrived AS (SELECT ${ARRIVAL} AS number, ${ARRIVAL_TEXTS} FROM (${events}) AS arriving GROUP BY ALL LIMIT ${ARRIVALS_MAX + 1})
  SELECT number, host, source, medium, click FROM arrived`;

function numberedArrival(row: SqlRow): NumberedArrival {
  const valueOf = (name: string) => (row[name] === UNRECORDED || row[name] === "" ? null : textIn(row, name));
  const [referrer, utmSource, utmMedium, clickId] = ["host", "source", "medium", "click"].map(valueOf);
  return {
    number: String(BigInt(textIn(row, "number"))),
    referrer: referrer ?? null,
    utmSource: utmSource ?? null,
    utmMedium: utmMedium ?? null,
    clickId: clickId ?? null,
  };
}

/** Other rows have no arrays. */
function arrayIn<Value>(row: SqlRow, name: string): readonly Value[] {
  const array: unknown = row[name];
  if (Array.isArray(array)) return array as readonly Value[];
  throw new TypeError(`the column ${name} of a scan must hold an array`);
}

function columnsOf(row: SqlRow, { texts, numbers }: ScanQuery, { codesOf }: ReturnType<typeof scanTexts>): NumberColumns {
  const numbersIn = (name: string) => BigInt64Array.from(arrayIn<string | number>(row, name), BigInt);
  const codesIn = (name: string) => {
    const codes = codesOf(arrayIn<string>(row, name));
    return Int32Array.from(arrayIn<number>(row, placesOf(name)), (place) => codes[place - 1] ?? NOT_RECORDED);
  };
  return Object.fromEntries([
    ...numbers.map((name) => [name, numbersIn(name)] as const),
    ...texts.map((name) => [name, codesIn(name)] as const),
  ]);
}

/** The reader's result over one chunk, the whole range. `select` runs a statement that continues a `WITH`. */
async function scanRows<Result>(
  range: DateRange,
  reader: ScanReader<Result>,
  select: (rest: SqlText) => Promise<readonly SqlRow[]>,
): Promise<Result> {
  const texts = scanTexts((bytes) => reader.reserve(bytes));
  await reader.readChunk({
    range,
    async columns(query) {
      const [row = {}] = await select(arraysSql(query));
      return columnsOf(row, query, texts);
    },
    propsTextsOf: texts.textsOf,
  });
  return reader.finish(texts.textsOf);
}

const RETRY_SECS = 10;

/** Share of a query's memory beyond which groups go to the server's disk. */
const SPILLED_SHARE = 0.5;

const unavailable = (message: string, cause: unknown): AppError =>
  new AppError({ code: "unavailable", retryAfterSecs: RETRY_SECS }, message, { cause });

interface ClickhouseBackendOptions {
  readonly connection: ClickhouseConnection;
  readonly responsiveness: Responsiveness;
  readonly tables: EventTables;
  /** Resolves once ClickHouse has all events of the site that were accepted before the call. */
  readonly deliver: (siteId: SiteId) => Promise<void>;
  readonly timeoutSecs: number;
  readonly memoryBytes: number;
  /** Lets other work of the thread run. */
  readonly pause: () => Promise<void>;
}

export class ClickhouseBackend implements PlanRunner {
  readonly #options: ClickhouseBackendOptions;
  readonly #named: NamedArrivals;

  constructor(options: ClickhouseBackendOptions) {
    this.#options = options;
    this.#named = new NamedArrivals(options.pause);
  }

  async run<Result>({ steps, toResult }: Plan<Result>, { signal }: Asker, calendar: Calendar): Promise<Result> {
    return toResult(await this.#asked((asked) => runSteps(steps, (step) => this.#runStep(step, calendar, asked)), signal));
  }

  /** Runs a task that fails as soon as the server does not respond. */
  async #asked<T>(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await this.#options.responsiveness.run(task, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw refusal(error, this.#options.timeoutSecs);
    }
  }

  async #runStep({ siteRange, queries }: PlanStep, calendar: Calendar, signal: AbortSignal): Promise<StepRows> {
    await this.#deliver(siteRange.siteId, signal);
    const { tables } = this.#options;
    const read = { ...siteRange, calendar };
    const select = this.#selectIn(siteRange, signal);
    const rowsOf = async (query: AggregateQuery): Promise<StepRows[number]> => {
      const { perVisitor } = query;
      if (perVisitor) return visitorTallies({ perVisitor, histories: rowsOfVisitors(query, read, tables), select });
      const portions = portionsOf(query).map((portion) => select(resultStatement(portion, read, tables)));
      return (await Promise.all(portions)).flat();
    };
    const found: StepRows[number][] = [];
    await severalAtOnce(queries.entries(), CLICKHOUSE_QUERIES_AT_ONCE, async ([i, query]) => {
      found[i] = await rowsOf(query);
    });
    return found;
  }

  /** Runs statements that continue a `WITH` over the events of a range. Those with rules of arrivals wait until the arrivals are known. */
  #selectIn(siteRange: SiteRange, signal: AbortSignal): (rest: SqlText) => Promise<readonly SqlRow[]> {
    const { tables } = this.#options;
    const { siteId } = siteRange;
    let arrivals: Promise<readonly NumberedArrival[]> | null = null;
    return async (rest) => {
      const wanted = namesWantedBy(rest);
      if (wanted.length === 0) return this.#rows(scanStatement(rest, siteId, tables), signal);
      arrivals ??= this.#arrivalsOf(siteRange, signal);
      const named = await this.#named.of(siteId, await arrivals, wanted, signal);
      return this.#rows(scanStatement(rest, siteId, tables, named), signal);
    };
  }

  /** Part of a statement, so there is a limit. */
  async #arrivalsOf(siteRange: SiteRange, signal: AbortSignal): Promise<readonly NumberedArrival[]> {
    const shared = arrivalsSql(sharedEventsIn(siteRange));
    // What is shared may itself depend on arrivals: then on those of all events.
    const read = namesWantedBy(shared).length > 0 ? arrivalsSql(sql`SELECT * FROM events WHERE ${inRange(siteRange)}`) : shared;
    const rows = await this.#rows(scanStatement(read, siteRange.siteId, this.#options.tables), signal);
    if (rows.length > ARRIVALS_MAX) throw invalidInput(TOO_MANY_ARRIVALS);
    return rows.map(numberedArrival);
  }

  /** The events that wait in the journal are part of every result. */
  async #deliver(siteId: SiteId, signal: AbortSignal): Promise<void> {
    try {
      await unlessAborted(this.#options.deliver(siteId), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ClickhouseUnreachableError || error instanceof ClickhouseError) throw error;
      throw unavailable("The latest events cannot be stored. Try again later.", error);
    }
  }

  #rows(statement: ClickhouseStatement, signal: AbortSignal): Promise<readonly SqlRow[]> {
    const { connection, timeoutSecs, memoryBytes } = this.#options;
    const settings = {
      ...statement.settings,
      max_execution_time: timeoutSecs,
      max_memory_usage: memoryBytes,
      max_bytes_before_external_group_by: Math.floor(memoryBytes * SPILLED_SHARE),
    };
    return connection.rows({ ...statement, settings }, signal);
  }

  scan<Result>(siteRange: SiteRange, openReader: () => ScanReader<Result>, { signal }: Asker): Promise<Result> {
    return this.#asked(async (asked) => {
      await this.#deliver(siteRange.siteId, asked);
      return scanRows(siteRange.range, openReader(), this.#selectIn(siteRange, asked));
    }, signal);
  }

  /** There are no rollups, and nothing to start. */
  async isCovered(): Promise<boolean> {
    return false;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#options.connection.rows({ sql: "SELECT 1 AS one", timeoutMs: CLICKHOUSE_CHECK_MS_MAX }, signal);
  }
}

/** See https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp. */
const TIMEOUT_EXCEEDED = 159;
const MEMORY_LIMIT_EXCEEDED = 241;
const TOO_MANY_ROWS_OR_BYTES = 396;
const CREDENTIALS_REFUSED = [192, 193, 194, 516];
const ACCESS_DENIED = [291, 497];

function refusal(error: unknown, timeoutSecs: number): unknown {
  if (error instanceof ClickhouseUnreachableError) return unavailable("ClickHouse cannot be reached. Try again later.", error);
  if (!(error instanceof ClickhouseError)) return error;
  if (error.code === TIMEOUT_EXCEEDED) {
    return new AppError({ code: "request_timeout" }, `The request exceeded the limit of ${timeoutSecs} seconds`, { cause: error });
  }
  if (error.code === MEMORY_LIMIT_EXCEEDED) {
    return unavailable("ClickHouse has too little memory for this range. Try a shorter range, or set a larger engine_memory_mb.", error);
  }
  if (error.code === TOO_MANY_ROWS_OR_BYTES) {
    return invalidInput('The result takes too much memory; ask for fewer days, a filter or a smaller "limit"');
  }
  if (CREDENTIALS_REFUSED.includes(error.code)) return unavailable("ClickHouse refuses the configured user or password.", error);
  if (ACCESS_DENIED.includes(error.code)) return unavailable("ClickHouse denies the configured user a right that is needed.", error);
  return unavailable("ClickHouse has refused a statement. The log says why.", error);
}
