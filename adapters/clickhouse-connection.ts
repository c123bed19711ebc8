/** Connects to ClickHouse, the same on every host. Owner of @clickhouse/client-web, which writes the requests. */
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client-web";
import { CLICKHOUSE_CHECK_MS_MAX, CLICKHOUSE_RESPONSE_MS_MAX } from "../src/runtime/config/clickhouse-limits.ts";
import {
  ClickhouseError,
  ClickhouseUnreachableError,
  type ClickhouseConnection,
  type ClickhouseStatement,
  type ConnectClickhouse,
} from "../src/runtime/engine/clickhouse/connection.ts";
import type { SqlRow } from "../src/runtime/query/sql.ts";
import { basicAuthorization, exceptionOf, exchange } from "./clickhouse-http.ts";

const SETTINGS = {
  // The server responds when it knows the outcome, so that a failure has a status.
  http_wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  prefer_column_name_to_alias: 1,
} as const;

/** A SELECT whose client is gone ends. */
const READ_SETTINGS = { cancel_http_readonly_queries_on_client_close: 1 } as const;

const KILL = "KILL QUERY WHERE query_id = {id:String} ASYNC";

/** A request of the client. */
interface Call {
  readonly query: string;
  readonly query_params: NonNullable<ClickhouseStatement["parameters"]>;
  readonly clickhouse_settings: NonNullable<ClickhouseStatement["settings"]>;
  readonly query_id: string;
  readonly abort_signal: AbortSignal;
}

/** The client makes exceptions its own where it recognizes their text. */
function portError(error: unknown): Error {
  if (error instanceof ClickhouseError || error instanceof ClickhouseUnreachableError) return error;
  if (error instanceof ClickHouseError) return exceptionOf(Number(error.code), error.message);
  return new ClickhouseUnreachableError("ClickHouse cannot be reached", { cause: error });
}

function parsedRows(text: string): SqlRow[] {
  try {
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as SqlRow);
  } catch (error) {
    throw new ClickhouseUnreachableError("ClickHouse's response cannot be read", { cause: error });
  }
}

export const connectClickhouse: ConnectClickhouse = (options) => {
  const authorization = basicAuthorization(options.clickhouseUser, options.clickhousePassword?.reveal() ?? "");
  /** Data of inserts by the id of their query: the client for browsers sends text only. */
  const uploads = new Map<string, Uint8Array>();
  const send = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const data = uploads.get(url.searchParams.get("query_id") ?? "");
    if (data) url.searchParams.set("query", String(init.body));
    const body = data ? (data as Uint8Array<ArrayBuffer>) : (init.body ?? null);
    // The client's own has no characters beyond Latin-1.
    const headers = { ...(init.headers as Record<string, string>), Authorization: authorization };
    return new Response(await exchange(url, { ...init, body, headers }));
  };
  const client = createClient({
    url: options.clickhouseUrl,
    clickhouse_settings: SETTINGS,
    use_multipart_params_auto: true,
    keep_alive: { enabled: false },
    request_timeout: CLICKHOUSE_RESPONSE_MS_MAX,
    log: { level: ClickHouseLogLevel.OFF },
    fetch: send,
  });

  /** Ends a query that nobody waits for. If that fails, it ends by `max_execution_time`. */
  function kill(queryId: string): void {
    const abort_signal = AbortSignal.timeout(CLICKHOUSE_CHECK_MS_MAX);
    client.command({ query: KILL, query_params: { id: queryId }, abort_signal }).catch(() => {});
  }

  async function run<T>(statement: ClickhouseStatement, signal: AbortSignal | undefined, call: (params: Call) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const { sql, parameters = {}, settings = {}, timeoutMs = CLICKHOUSE_RESPONSE_MS_MAX } = statement;
    const queryId = crypto.randomUUID();
    // The client takes a signal for itself, so that each call needs one.
    const abort = new AbortController();
    const onAbort = () => {
      abort.abort();
      kill(queryId);
    };
    const timer = setTimeout(onAbort, timeoutMs);
    signal?.addEventListener("abort", onAbort);
    try {
      return await call({
        query: sql,
        query_params: parameters,
        // A parameter of the URL, as settings are. The client omits the database named `default`.
        clickhouse_settings: statement.withoutDatabase ? settings : { ...settings, database: options.clickhouseDatabase },
        query_id: queryId,
        abort_signal: abort.signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (abort.signal.aborted) throw new ClickhouseUnreachableError(`ClickHouse cannot be reached: no response in ${timeoutMs / 1000} s`);
      throw portError(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  const connection: ClickhouseConnection = {
    async rows({ settings, ...statement }, signal) {
      const reading = { ...statement, settings: { ...READ_SETTINGS, ...settings } };
      return run(reading, signal, async (call) => parsedRows(await (await client.query({ ...call, format: "JSONEachRow" })).text()));
    },
    async execute(statement, signal) {
      await run(statement, signal, (call) => client.command(call));
    },
    async insertParquet(statement, parquet, signal) {
      await run(statement, signal, async (call) => {
        uploads.set(call.query_id, parquet);
        try {
          await client.command(call);
        } finally {
          uploads.delete(call.query_id);
        }
      });
    },
  };
  return connection;
};
