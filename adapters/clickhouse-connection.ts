/** Connects to ClickHouse over HTTP, the same on every host: bounded responses, no redirects, every failure as an error of the port. Owner of @clickhouse/client-web, which writes the requests. */
import {
  CLICKHOUSE_REASON_CHARS_MAX,
  CLICKHOUSE_RESPONSE_BYTES_MAX,
  CLICKHOUSE_CHECK_MS_MAX,
  CLICKHOUSE_RESPONSE_MS_MAX,
} from "../src/runtime/base/config/clickhouse-limits.ts";
import {
  type ClickhouseConnection,
  ClickhouseError,
  type ClickhouseStatement,
  ClickhouseUnreachableError,
  type ConnectClickhouse,
} from "../src/runtime/clickhouse/connection.ts";
import { ClickHouseError, ClickHouseLogLevel, createClient } from "@clickhouse/client-web";
import type { SqlRow } from "../src/runtime/query/sql.ts";

// Names and headers: https://clickhouse.com/docs/interfaces/http
const EXCEPTION_CODE = "X-ClickHouse-Exception-Code";
const QUERY_ID = "X-ClickHouse-Query-Id";
const TOO_MANY_ROWS_OR_BYTES = 396;

const HINTS: Readonly<Record<number, string>> = {
  192: "clickhouse_user is unknown",
  193: "clickhouse_password is wrong",
  194: "clickhouse_password is missing",
  291: "clickhouse_user may not use clickhouse_database",
  497: "clickhouse_user lacks a right",
  516: "clickhouse_user or clickhouse_password is wrong",
};

/** `Basic` credentials in UTF-8, which ClickHouse's users have. */
function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The server's exception, without what every exception's text begins and ends with. */
function exceptionOf(code: number, text: string): ClickhouseError {
  const reason = text
    .replace(/^Code: \d+\. DB::Exception: /, "")
    .replace(/ \(version [^()]*(\([^()]*\))?\)\s*$/, "")
    .trim()
    // The statement, which may hold what a client asked for.
    .replace(/[.,:]? (?:in scope|while processing|while executing) [\s\S]*?(?=(?: \([A-Z_]{3,}\))?$)/i, "")
    .slice(0, CLICKHOUSE_REASON_CHARS_MAX);
  const hint = HINTS[code];
  return new ClickhouseError(code, `ClickHouse refuses: ${hint === undefined ? reason : `${hint} (${reason})`}`);
}

const unreachable = (reason: string, cause?: unknown): ClickhouseUnreachableError =>
  new ClickhouseUnreachableError(`ClickHouse cannot be reached: ${reason}`, { cause });

/** The failure below HTTP, such as `connect ECONNREFUSED 127.0.0.1:8123`. */
function connectionFailure(error: unknown): ClickhouseUnreachableError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause instanceof Error ? (cause as Error & { code?: unknown }) : { code: undefined, message: String(cause) };
  return unreachable(message || String(code), error);
}

async function boundedText({ body }: Response): Promise<string> {
  if (!body) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let [text, bytes] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > CLICKHOUSE_RESPONSE_BYTES_MAX) {
      // The connection ends with it.
      reader.cancel().catch(() => {});
      throw new ClickhouseError(TOO_MANY_ROWS_OR_BYTES, `ClickHouse's response has more than ${CLICKHOUSE_RESPONSE_BYTES_MAX} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The text of a successful response. Rejects with an error of the port. */
async function exchange(url: URL, init: RequestInit): Promise<string> {
  try {
    // A redirect could lead the credentials anywhere.
    const response = await fetch(url, { ...init, redirect: "manual" });
    const text = await boundedText(response);
    const code = Number(response.headers.get(EXCEPTION_CODE) ?? /^Code: (\d+)\./.exec(text)?.[1] ?? 0);
    if (code > 0) throw exceptionOf(code, text);
    if (response.status !== 200) throw unreachable(`status ${response.status} at clickhouse_url`);
    // Anything may listen there, and an event that it swallows is lost.
    if (!response.headers.has(QUERY_ID)) throw unreachable("what responds at clickhouse_url is not ClickHouse's HTTP interface");
    return text;
  } catch (error) {
    throw error instanceof ClickhouseError || error instanceof ClickhouseUnreachableError ? error : connectionFailure(error);
  }
}

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

/** The client makes exceptions its own where it recognizes their text. */
function portError(error: unknown): Error {
  if (error instanceof ClickhouseError || error instanceof ClickhouseUnreachableError) return error;
  if (error instanceof ClickHouseError) return exceptionOf(Number(error.code), error.message);
  return new ClickhouseUnreachableError("ClickHouse cannot be reached", { cause: error });
}

interface Kind {
  readonly format?: "JSONEachRow";
  readonly data?: Uint8Array;
}

const callOf = (
  { sql, parameters = {}, settings = {}, withoutDatabase }: ClickhouseStatement,
  database: string,
  abort_signal: AbortSignal,
) => ({
  query: sql,
  query_params: parameters,
  // The database is a parameter of the URL, as settings are. The client itself omits the one named `default`.
  clickhouse_settings: withoutDatabase ? settings : { ...settings, database },
  query_id: crypto.randomUUID(),
  abort_signal,
});

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

type Options = Parameters<ConnectClickhouse>[0];

type Send = (url: URL, init: RequestInit) => Promise<void>;

class HttpConnection implements ClickhouseConnection {
  readonly #options: Options;
  /** The client's own has no characters beyond Latin-1. */
  readonly #authorization: string;

  constructor(options: Options) {
    this.#options = options;
    this.#authorization = basicAuthorization(options.clickhouseUser, options.clickhousePassword?.reveal() ?? "");
  }

  async rows({ settings, ...statement }: ClickhouseStatement, signal?: AbortSignal): Promise<SqlRow[]> {
    const reading = { ...statement, settings: { ...READ_SETTINGS, ...settings } };
    return parsedRows(await this.#run(reading, signal, { format: "JSONEachRow" }));
  }

  async execute(statement: ClickhouseStatement, signal?: AbortSignal): Promise<void> {
    await this.#run(statement, signal);
  }

  async insert(statement: ClickhouseStatement, data: Uint8Array, signal?: AbortSignal): Promise<void> {
    await this.#run(statement, signal, { data });
  }

  /** True if anything but a gateway's error comes from the server's ping in time. */
  async responds(timeoutMs: number): Promise<boolean> {
    try {
      const url = new URL(this.#options.clickhouseUrl);
      url.pathname = `${url.pathname.replace(/\/$/, "")}/ping`;
      const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
      await response.body?.cancel();
      return response.status < 500;
    } catch {
      return false;
    }
  }

  async #run(statement: ClickhouseStatement, signal: AbortSignal | undefined, kind: Kind = {}): Promise<string> {
    signal?.throwIfAborted();
    const { timeoutMs = CLICKHOUSE_RESPONSE_MS_MAX } = statement;
    const abort = new AbortController();
    const call = callOf(statement, this.#options.clickhouseDatabase, abort.signal);
    const onAbort = () => {
      abort.abort();
      this.#kill(call.query_id);
    };
    const timer = setTimeout(onAbort, timeoutMs);
    signal?.addEventListener("abort", onAbort);
    try {
      return await this.#send(call, kind);
    } catch (error) {
      signal?.throwIfAborted();
      if (abort.signal.aborted) throw new ClickhouseUnreachableError(`ClickHouse cannot be reached: no response in ${timeoutMs / 1000} s`);
      throw portError(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  async #send(call: ReturnType<typeof callOf>, { format, data }: Kind): Promise<string> {
    let text = "";
    const client = this.#clientFor(async (url, init) => {
      if (data) url.searchParams.set("query", call.query);
      text = await exchange(url, data ? { ...init, body: data as Uint8Array<ArrayBuffer> } : init);
    });
    await (format ? client.query({ ...call, format }) : client.command(call));
    return text;
  }

  /** Ends an aborted query. If that fails, it ends by `max_execution_time`. */
  #kill(queryId: string): void {
    const client = this.#clientFor(async (url, init) => void (await exchange(url, init)));
    const abort_signal = AbortSignal.timeout(CLICKHOUSE_CHECK_MS_MAX);
    client.command({ query: KILL, query_params: { id: queryId }, abort_signal }).catch(() => {});
  }

  /**
   * A client for one call. What it writes passes through `send`, because it sends no binary data; and it gets an empty response,
   * because reading one depends on the host's `Response`.
   */
  #clientFor(send: Send) {
    return createClient({
      url: this.#options.clickhouseUrl,
      clickhouse_settings: SETTINGS,
      use_multipart_params_auto: true,
      keep_alive: { enabled: false },
      request_timeout: CLICKHOUSE_RESPONSE_MS_MAX,
      log: { level: ClickHouseLogLevel.OFF },
      fetch: async (input, init = {}) => {
        const headers = { ...(init.headers as Record<string, string>), Authorization: this.#authorization };
        await send(new URL(String(input)), { ...init, headers });
        return new Response(null);
      },
    });
  }
}

export const connectClickhouse: ConnectClickhouse = (options) => new HttpConnection(options);
