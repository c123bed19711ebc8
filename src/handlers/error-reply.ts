/** Turns errors into responses (docs/http-api.md, "Requests and errors"), and logs those that the client did not cause. */
import { FAILURE_REASONS_MAX, FAILURE_REPEATED_MS } from "../runtime/base/config/limits.ts";
import { AppError, type AppErrorCode } from "../runtime/base/errors.ts";
import { reasonOf, type Log } from "../runtime/base/metrics/log.ts";
import { jsonReply, type Reply } from "./http.ts";

interface Repeated {
  loggedMs: number;
  /** Requests that failed since then. */
  count: number;
}

export class FailureLog {
  readonly #log: Log;
  readonly #monotonicMs: () => number;
  /** Keyed by reason, oldest first. */
  readonly #repeated = new Map<string, Repeated>();

  constructor(log: Log, monotonicMs: () => number) {
    this.#log = log;
    this.#monotonicMs = monotonicMs;
  }

  /** One request failed, for a reason of its own. */
  failed(error: unknown, requestId: string): void {
    this.#log.error("a request failed", { requestId, reason: reasonOf(error) });
  }

  /** One of many requests that may fail for this reason. */
  refused(cause: unknown, requestId: string): void {
    const reason = reasonOf(cause);
    const known = this.#repeated.get(reason);
    if (known) {
      known.count++;
      return;
    }
    this.failed(cause, requestId);
    const [oldest] = this.#repeated;
    if (oldest && this.#repeated.size >= FAILURE_REASONS_MAX) this.#end(...oldest);
    this.#repeated.set(reason, { loggedMs: this.#monotonicMs(), count: 0 });
  }

  tick(): void {
    const nowMs = this.#monotonicMs();
    for (const [reason, repeated] of this.#repeated) {
      if (nowMs - repeated.loggedMs < FAILURE_REPEATED_MS) continue;
      const { count } = repeated;
      this.#end(reason, repeated);
      if (count > 0) this.#repeated.set(reason, { loggedMs: nowMs, count: 0 });
    }
  }

  #end(reason: string, { count }: Repeated): void {
    this.#repeated.delete(reason);
    if (count > 0) this.#log.error("requests failed", { requests: count, reason });
  }
}

export const STATUS = {
  invalid_input: 400,
  malformed_body: 422,
  body_too_large: 413,
  headers_too_large: 431,
  unauthenticated: 401,
  forbidden: 403,
  unverified_host: 403,
  demo_site: 403,
  unknown_alias: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_configured: 409,
  conflict: 409,
  too_many_requests: 429,
  request_timeout: 408,
  extension_missing: 503,
  not_stored: 500,
  unavailable: 503,
} as const satisfies Record<AppErrorCode, number>;

const INTERNAL_ERROR = "Internal error. The server's log tells more under this request's id.";

function extraHeaders({ failure }: AppError): Record<string, string> {
  if ("retryAfterSecs" in failure) return { "Retry-After": String(failure.retryAfterSecs) };
  // Tells the dashboard, without parsing messages, that setup requires the setup code.
  if (failure.code === "unverified_host") return { "X-Setup-Code": "required" };
  // Distinguishes this 503 from a proxy's, and tells the dashboard not to retry.
  if (failure.code === "extension_missing") return { "X-Behavioral-Extension": "missing" };
  if (failure.code === "method_not_allowed") return { Allow: failure.allow };
  // The rest of an unfinished body is not read, so the connection cannot be reused.
  if (failure.code === "request_timeout") return { Connection: "close" };
  return {};
}

/** `{error}` with the error's status. Unexpected errors are logged, and their messages are not sent. */
export function errorReply(error: unknown, requestId: string, log: FailureLog): Reply {
  if (error instanceof AppError) {
    const { cause, failure, message } = error;
    if (cause !== undefined && failure.code === "unavailable") log.refused(cause, requestId);
    else if (cause !== undefined) log.failed(cause, requestId);
    return jsonReply({ error: message }, STATUS[failure.code], extraHeaders(error));
  }
  log.failed(error, requestId);
  return jsonReply({ error: INTERNAL_ERROR }, 500);
}
