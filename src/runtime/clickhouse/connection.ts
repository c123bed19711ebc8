/** The port to a ClickHouse server: statements with typed parameters, and data of inserts, without exposing the HTTP client. */
import {
  CLICKHOUSE_PING_MS_MAX,
  CLICKHOUSE_PING_PAUSE_MS,
  CLICKHOUSE_PINGED_MS_MAX,
  CLICKHOUSE_SLOW_MS,
} from "../base/config/clickhouse-limits.ts";
import type { Config } from "../base/config/config.ts";
import { unlessAborted } from "../base/queue.ts";
import type { SqlRow } from "../query/sql.ts";

/** Parameters are written `{name:Type}` in the SQL. */
export interface ClickhouseStatement {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Settings of this query (https://clickhouse.com/docs/operations/settings/settings). */
  readonly settings?: Readonly<Record<string, string | number>>;
  /** Runs outside of any database, because the configured one may not exist yet. */
  readonly withoutDatabase?: boolean;
  /** The longest wait for the response, by default `CLICKHOUSE_RESPONSE_MS_MAX`. */
  readonly timeoutMs?: number;
}

/**
 * Every statement rejects with `ClickhouseUnreachableError` or `ClickhouseError`, and with the signal's reason when aborted: the server
 * then ends the query, too. Statements run in the configured database, unless they name another.
 */
export interface ClickhouseConnection {
  /** The rows of a SELECT. 64-bit integers are texts, because JavaScript's numbers may not hold them. */
  rows(statement: ClickhouseStatement, signal?: AbortSignal): Promise<SqlRow[]>;
  execute(statement: ClickhouseStatement, signal?: AbortSignal): Promise<void>;
  /** An `INSERT` that ends with `FORMAT` and a format, and the data. Resolves when the server has stored the rows. */
  insert(statement: ClickhouseStatement, data: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** True if the server responds to a ping in time. Needs no credentials and no database. Never rejects. */
  responds(timeoutMs: number): Promise<boolean>;
}

/** The connection to the server of the options. Nothing is sent before the first statement. */
export type ConnectClickhouse = (
  options: Pick<Config, "clickhouseDatabase" | "clickhouseUser" | "clickhousePassword"> & { readonly clickhouseUrl: string },
) => ClickhouseConnection;

/** There was no response of a ClickHouse server in time, so it is unknown whether it has executed the statement. */
export class ClickhouseUnreachableError extends Error {
  override readonly name = "ClickhouseUnreachableError";
}

/** The server has refused the statement, or could not complete it. The message is for the log; it names no password. */
export class ClickhouseError extends Error {
  override readonly name = "ClickhouseError";
  /** See https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;

/** True if the server has no schema yet, has lost it, or another one has taken its place. */
export const lacksSchema = (error: unknown): boolean =>
  error instanceof ClickhouseError && [UNKNOWN_TABLE, UNKNOWN_DATABASE].includes(error.code);

/** A connection whose server has the schema: it is prepared before the first statement, because the server may be down at the start. */
export class PreparedConnection implements ClickhouseConnection {
  readonly #connection: ClickhouseConnection;
  readonly #prepare: () => Promise<void>;
  #prepared: Promise<void> | null = null;

  /** `prepare` is called once for all statements, and again after it has failed. */
  constructor(connection: ClickhouseConnection, prepare: () => Promise<void>) {
    this.#connection = connection;
    this.#prepare = prepare;
  }

  readonly rows: ClickhouseConnection["rows"] = (statement, signal) => this.#run(() => this.#connection.rows(statement, signal), signal);
  readonly execute: ClickhouseConnection["execute"] = (statement, signal) =>
    this.#run(() => this.#connection.execute(statement, signal), signal);
  readonly insert: ClickhouseConnection["insert"] = (statement, data, signal) =>
    this.#run(() => this.#connection.insert(statement, data, signal), signal);
  readonly responds: ClickhouseConnection["responds"] = (timeoutMs) => this.#connection.responds(timeoutMs);

  async #run<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    await this.#ready(signal);
    try {
      return await call();
    } catch (error) {
      if (lacksSchema(error)) this.#prepared = null;
      throw error;
    }
  }

  #ready(signal: AbortSignal | undefined): Promise<void> {
    this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = null;
      throw error;
    });
    return signal ? unlessAborted(this.#prepared, signal) : this.#prepared;
  }
}

/** The meaning of the SQL: NULL as in the SQL standard, exact distinct counts, UTC. */
const MEANING = {
  aggregate_functions_null_for_empty: 0,
  cast_keep_nullable: 0,
  count_distinct_implementation: "uniqExact",
  empty_result_for_aggregation_by_empty_set: 0,
  enable_analyzer: 1,
  final: 0,
  force_grouping_standard_compatibility: 1,
  group_by_use_nulls: 1,
  join_use_nulls: 1,
  prefer_column_name_to_alias: 1,
  session_timezone: "UTC",
  transform_null_in: 0,
  union_default_mode: "ALL",
} as const;

/** All rows or an error, and nothing but these rows. */
const COMPLETENESS = {
  additional_result_filter: "",
  additional_table_filters: "{}",
  distinct_overflow_mode: "throw",
  extremes: 0,
  group_by_overflow_mode: "throw",
  join_overflow_mode: "throw",
  limit: 0,
  offset: 0,
  partial_result_on_first_cancel: 0,
  read_overflow_mode: "throw",
  result_overflow_mode: "throw",
  set_overflow_mode: "throw",
  skip_unavailable_shards: 0,
  sort_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  use_query_cache: 0,
} as const;

/** The largest statement names as many arrivals as there may be, more than once. */
const SIZE = {
  max_ast_elements: 1_000_000,
  max_expanded_ast_elements: 5_000_000,
  max_query_size: 16_777_216,
} as const;

const FORMAT = {
  output_format_json_array_of_rows: 0,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_validate_utf8: 0,
} as const;

/** Settings that a statement's result depends on, so that no profile on the server changes it (https://clickhouse.com/docs/operations/settings/settings). */
export const RESULT_SETTINGS: NonNullable<ClickhouseStatement["settings"]> = { ...MEANING, ...COMPLETENESS, ...SIZE, ...FORMAT };

interface ResponsivenessOptions {
  readonly connection: Pick<ClickhouseConnection, "responds">;
  readonly monotonicMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** The server responds again after it was silent, or after a task did not reach it and nothing was known about the server before. */
  readonly onReturn: () => void;
}

const silent = (): ClickhouseUnreachableError => new ClickhouseUnreachableError("ClickHouse cannot be reached: it does not respond");

/**
 * Watches whether ClickHouse responds at all. A slow report does not show it, so while reports wait, the server is pinged: all of them end
 * as soon as it does not respond, and further ones are refused until it does.
 */
export class Responsiveness {
  readonly #options: ResponsivenessOptions;
  readonly #tasks = new Set<AbortController>();
  #isWatching = false;
  #state: "responding" | "doubtful" | "silent" = "responding";
  /** The server has responded since it was last silent or not watched. */
  #hasResponded = false;
  #lastTaskMs = 0;
  #endPause: () => void = () => {};

  constructor(options: ResponsivenessOptions) {
    this.#options = options;
  }

  /**
   * Runs a task whose signal aborts when the server is silent, with a `ClickhouseUnreachableError`. Rejects with one at once while it is.
   */
  async run<T>(task: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    this.#lastTaskMs = this.#options.monotonicMs();
    if (this.#state === "silent") throw silent();
    const ended = new AbortController();
    const end = () => ended.abort(signal.reason);
    signal.addEventListener("abort", end);
    this.#tasks.add(ended);
    void this.#watch();
    try {
      signal.throwIfAborted();
      const result = await task(ended.signal);
      if (this.#state === "responding") this.#hasResponded = true;
      return result;
    } catch (error) {
      if (error instanceof ClickhouseUnreachableError && this.#state === "responding") this.#doubt();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
      this.#tasks.delete(ended);
    }
  }

  /** A connection may break although the server is well, so that alone refuses nothing. */
  #doubt(): void {
    this.#state = "doubtful";
    this.#endPause();
  }

  /** The only caller of `#ping`, so that pings never overlap and the last result is the latest. */
  async #watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    while (this.#isNeeded()) {
      if (this.#state === "responding") await this.#pause(CLICKHOUSE_SLOW_MS - CLICKHOUSE_PING_PAUSE_MS);
      if (!this.#isNeeded()) break;
      await this.#ping();
      // Not cut short: however many connections break, pings are this far apart.
      await this.#options.wait(CLICKHOUSE_PING_PAUSE_MS);
    }
    this.#state = "responding";
    this.#hasResponded = false;
    this.#isWatching = false;
  }

  /** `#doubt` cuts it short. */
  async #pause(ms: number): Promise<void> {
    const doubted = new Promise<void>((resolve) => (this.#endPause = resolve));
    await Promise.race([this.#options.wait(ms), doubted]);
  }

  #isNeeded(): boolean {
    if (this.#state === "responding") return this.#tasks.size > 0;
    return this.#options.monotonicMs() - this.#lastTaskMs < CLICKHOUSE_PINGED_MS_MAX;
  }

  async #ping(): Promise<void> {
    const { connection, onReturn } = this.#options;
    if (await connection.responds(CLICKHOUSE_PING_MS_MAX)) {
      const hasReturned = this.#state !== "responding" && !this.#hasResponded;
      this.#state = "responding";
      this.#hasResponded = true;
      if (hasReturned) onReturn();
      return;
    }
    this.#state = "silent";
    this.#hasResponded = false;
    for (const task of this.#tasks) task.abort(silent());
  }
}
