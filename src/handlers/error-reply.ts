/** Maps errors to status and body (docs/http-api.md, "Requests and errors"). */
import { AppError, type AppErrorCode } from "../runtime/base/errors.ts";
import type { FailureLog } from "./failure-log.ts";
import { jsonReply, type Reply } from "./reply.ts";

export const STATUS = {
  invalid_input: 400,
  malformed_body: 422,
  body_too_large: 413,
  headers_too_large: 431,
  unauthenticated: 401,
  forbidden: 403,
  unverified_host: 403,
  demo_site: 403,
  not_found: 404,
  method_not_allowed: 405,
  already_configured: 409,
  too_many_requests: 429,
  request_timeout: 408,
  extension_missing: 503,
  not_stored: 500,
  unavailable: 503,
} as const satisfies Record<AppErrorCode, number>;

/** Tells the dashboard, without parsing messages, that setup requires the setup code. */
const SETUP_CODE_REQUIRED = { "X-Setup-Code": "required" } as const;

/** Tells the dashboard that a retry is no use, and tells this 503 from a proxy's. */
const EXTENSION_MISSING = { "X-Behavioral-Extension": "missing" } as const;

const INTERNAL_ERROR = "Internal error. The server's log tells more under this request's id.";

function extraHeaders({ failure }: AppError): Record<string, string> {
  if ("retryAfterSecs" in failure) return { "Retry-After": String(failure.retryAfterSecs) };
  if (failure.code === "unverified_host") return SETUP_CODE_REQUIRED;
  if (failure.code === "extension_missing") return EXTENSION_MISSING;
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
