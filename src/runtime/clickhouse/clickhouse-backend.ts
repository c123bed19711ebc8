/** Answers plans with ClickHouse: each query is one statement over all events of its site. */
import type { SiteId } from "../../storage/event.ts";
import { CLICKHOUSE_CHECK_MS_MAX } from "../base/config/clickhouse-limits.ts";
import { ClickhouseError, ClickhouseUnreachableError, type ClickhouseConnection, type ClickhouseStatement } from "./connection.ts";
import type { Responsiveness } from "./responsiveness.ts";
import type { EventTables } from "./tables.ts";
import { AppError, invalidInput } from "../base/errors.ts";
import { unlessAborted } from "../base/queue.ts";
import type { SiteRange } from "../query/scope.ts";
import type { SqlRow, SqlText } from "../query/sql.ts";
import type { CalendarOf } from "../sites/sites.ts";
import type { AggregateQuery } from "../query/aggregate-query.ts";
import type { AnalyticsBackend } from "../query/analytics-backend.ts";
import type { Asker } from "../query/asker.ts";
import { portionsOf, resultSql, rowsOfVisitors, scanStatement } from "./clickhouse-query.ts";
import { scanRows } from "./clickhouse-scan.ts";
import { runSteps, type Plan, type PlanStep, type StepRows } from "../query/plan.ts";
import type { ScanReader } from "../query/scan.ts";
import { visitorTallies } from "./visitor-tallies.ts";

const RETRY_SECS = 10;

/** Share of a query's memory beyond which groups go to the server's disk. */
const SPILLED_SHARE = 0.5;

const unavailable = (message: string, cause: unknown): AppError =>
  new AppError({ code: "unavailable", retryAfterSecs: RETRY_SECS }, message, { cause });

export interface ClickhouseBackendOptions {
  readonly connection: ClickhouseConnection;
  readonly responsiveness: Responsiveness;
  readonly tables: EventTables;
  readonly calendarOf: CalendarOf;
  /** Resolves once ClickHouse has all events of the site that were accepted before the call. */
  readonly deliver: (siteId: SiteId) => Promise<void>;
  /** The time limit of a query. */
  readonly timeoutSecs: number;
  /** The memory limit of a query. */
  readonly memoryBytes: number;
}

export class ClickhouseBackend implements AnalyticsBackend {
  readonly #options: ClickhouseBackendOptions;

  constructor(options: ClickhouseBackendOptions) {
    this.#options = options;
  }

  async run<Result>({ steps, toResult }: Plan<Result>, { signal }: Asker): Promise<Result> {
    return toResult(await this.#asked((asked) => runSteps(steps, (step) => this.#runStep(step, asked)), signal));
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

  async #runStep({ siteRange, queries }: PlanStep, signal: AbortSignal): Promise<StepRows> {
    await this.#deliver(siteRange.siteId, signal);
    const { tables, calendarOf } = this.#options;
    const read = { ...siteRange, calendar: calendarOf(siteRange.siteId) };
    const select = (rest: SqlText) => this.#rows(scanStatement(rest, siteRange.siteId, tables), signal);
    const rowsOf = async (query: AggregateQuery): Promise<StepRows[number]> => {
      const { perVisitor } = query;
      if (perVisitor) return visitorTallies({ perVisitor, histories: rowsOfVisitors(query, read, tables), select });
      const portions = portionsOf(query).map((portion) => select(resultSql(portion, read, tables)));
      return (await Promise.all(portions)).flat();
    };
    return Promise.all(queries.map(rowsOf));
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

  scan<Result>({ siteId, range }: SiteRange, openReader: () => ScanReader<Result>, { signal }: Asker): Promise<Result> {
    return this.#asked(async (asked) => {
      await this.#deliver(siteId, asked);
      return scanRows(range, openReader(), (rest) => this.#rows(scanStatement(rest, siteId, this.#options.tables), asked));
    }, signal);
  }

  /** There are no rollups, and nothing to start. */
  async isCovered(): Promise<boolean> {
    return false;
  }

  /** Other nodes insert events of the same site. */
  async versionsOf(): Promise<null> {
    return null;
  }

  async isAnswering(signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.connection.rows({ sql: "SELECT 1 AS one", timeoutMs: CLICKHOUSE_CHECK_MS_MAX }, signal);
      return true;
    } catch {
      return false;
    }
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
