/** Connects to ClickHouse over HTTP, the same on every host. Owner of @clickhouse/client-web. */
import { ClickHouseError, createClient } from "@clickhouse/client-web";
import {
  ClickhouseError,
  ClickhouseUnreachableError,
  type ClickhouseConnection,
  type ClickhouseStatement,
  type ConnectClickhouse,
} from "../src/runtime/engine/clickhouse/connection.ts";
import type { SqlRow } from "../src/runtime/query/sql.ts";

/** The server responds when it knows the outcome, so that a failure has a status. */
const SETTINGS = { wait_end_of_query: 1, output_format_json_quote_64bit_integers: 1, prefer_column_name_to_alias: 1 } as const;

/** Beyond the time limit that a query has on the server: the connection is lost, or the server hangs. */
const RESPONSE_MS_MAX = 3_660_000;

/** The client's own errors are about the connection, except those that it has parsed from a response. */
function errorOf(error: unknown): Error {
  if (error instanceof ClickHouseError) return new ClickhouseError(Number(error.code), error.message);
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return new ClickhouseUnreachableError(`ClickHouse does not respond: ${cause instanceof Error ? cause.message : String(cause)}`);
}

export const connectClickhouse: ConnectClickhouse = (options) => {
  /** Data of inserts by the id of their query: the client for browsers sends text only. */
  const uploads = new Map<string, Uint8Array>();
  const send = (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    const data = uploads.get(url.searchParams.get("query_id") ?? "");
    if (!data) return fetch(url, init);
    url.searchParams.set("query", String(init?.body));
    return fetch(url, { ...init, body: data as Uint8Array<ArrayBuffer> });
  };
  const client = createClient({
    url: options.clickhouseUrl,
    username: options.clickhouseUser,
    password: options.clickhousePassword?.reveal() ?? "",
    database: options.clickhouseDatabase,
    clickhouse_settings: SETTINGS,
    request_timeout: RESPONSE_MS_MAX,
    use_multipart_params_auto: true,
    fetch: send,
  });

  const paramsOf = ({ sql, parameters = {}, settings = {} }: ClickhouseStatement, queryId: string, abort: AbortController) => ({
    query: sql,
    query_params: parameters,
    clickhouse_settings: settings,
    query_id: queryId,
    abort_signal: abort.signal,
  });

  /** Runs a call of the client. When the signal aborts, the query ends on the server, too. */
  async function run<T>(
    statement: ClickhouseStatement,
    signal: AbortSignal | undefined,
    call: (params: ReturnType<typeof paramsOf>) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const queryId = crypto.randomUUID();
    // The client takes a signal for itself, so that each query needs one.
    const abort = new AbortController();
    const onAbort = () => {
      abort.abort();
      void client.command({ query: "KILL QUERY WHERE query_id = {id:String} ASYNC", query_params: { id: queryId } }).catch(() => {
        // The server ends it after `max_execution_time`.
      });
    };
    signal?.addEventListener("abort", onAbort);
    try {
      return await call(paramsOf(statement, queryId, abort));
    } catch (error) {
      signal?.throwIfAborted();
      throw errorOf(error);
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }

  const connection: ClickhouseConnection = {
    rows: (statement, signal) =>
      run(statement, signal, async (params) => (await client.query({ ...params, format: "JSONEachRow" })).json<SqlRow>()),
    async execute(statement, signal) {
      await run(statement, signal, (params) => client.command(params));
    },
    async insertParquet(statement, parquet, signal) {
      await run(statement, signal, async (params) => {
        uploads.set(params.query_id, parquet);
        try {
          await client.command(params);
        } finally {
          uploads.delete(params.query_id);
        }
      });
    },
  };
  return connection;
};
