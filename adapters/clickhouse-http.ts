/** How ClickHouse is called over HTTP: a bounded response, no redirects, and every failure as an error of the port. */
import { CLICKHOUSE_REASON_CHARS_MAX, CLICKHOUSE_RESPONSE_BYTES_MAX } from "../src/runtime/base/config/clickhouse-limits.ts";
import { ClickhouseError, ClickhouseUnreachableError } from "../src/runtime/clickhouse/connection.ts";

// Names and headers: https://clickhouse.com/docs/interfaces/http
const EXCEPTION_CODE = "X-ClickHouse-Exception-Code";
const QUERY_ID = "X-ClickHouse-Query-Id";
const TOO_MANY_ROWS_OR_BYTES = 396;

/** What the administrator should look at, by the exception's code. */
const HINTS: Readonly<Record<number, string>> = {
  192: "clickhouse_user is unknown",
  193: "clickhouse_password is wrong",
  194: "clickhouse_password is missing",
  291: "clickhouse_user may not use clickhouse_database",
  497: "clickhouse_user lacks a right",
  516: "clickhouse_user or clickhouse_password is wrong",
};

/** `Basic` credentials in UTF-8, which ClickHouse's users have. */
export function basicAuthorization(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** The server's exception, without what every exception's text begins and ends with. */
export function exceptionOf(code: number, text: string): ClickhouseError {
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

/** What went wrong below HTTP, such as `connect ECONNREFUSED 127.0.0.1:8123`. */
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
export async function exchange(url: URL, init: RequestInit): Promise<string> {
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

/** True if anything but a gateway's error comes from the server's ping in time. */
export async function responds(clickhouseUrl: string, timeoutMs: number): Promise<boolean> {
  try {
    const url = new URL(clickhouseUrl);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/ping`;
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return response.status < 500;
  } catch {
    return false;
  }
}
