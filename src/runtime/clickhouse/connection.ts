/** The port to a ClickHouse server: statements with typed parameters, and data of inserts, without exposing the HTTP client. */
import type { Config } from "../base/config/config.ts";
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
  /** Any statement without a result. */
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
