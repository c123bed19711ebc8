/** All reasons why a request can fail. `handlers/error-reply.ts` maps each to a status (docs/http-api.md, "Statuses"). */
import { cutToChars, exceedsChars } from "../../shared/text.ts";
import { VALUE_QUOTED_CHARS_MAX } from "./config/admin-limits.ts";

/** `Retry-After` of a request that failed because of a storage error, in seconds. */
export const STORAGE_RETRY_SECS = 10;

type Failure =
  /** A parameter or field breaks a rule. The message names both. */
  | { code: "invalid_input" }
  /** The body is JSON, but does not have the expected structure. */
  | { code: "malformed_body" }
  | { code: "body_too_large" }
  | { code: "headers_too_large" }
  | { code: "unauthenticated" }
  | { code: "forbidden" }
  /** No password is set, and the host name may be an attacker's (DNS rebinding). Setup requires the setup code (docs/http-api.md, "Unverified hosts"). */
  | { code: "unverified_host" }
  /** An event of the demo site, whose events are made up. */
  | { code: "demo_site" }
  /** The tag of another product names no site by an alias. */
  | { code: "unknown_alias" }
  | { code: "not_found" }
  | { code: "method_not_allowed"; allow: string }
  /** An admin password is already set (docs/http-api.md, "Setup"). */
  | { code: "already_configured" }
  /** What the request changes is in a state in which it cannot be changed so. */
  | { code: "conflict" }
  | { code: "too_many_requests"; retryAfterSecs: number }
  | { code: "request_timeout" }
  /** The endpoint needs the behavioral extension, which is not loaded. */
  | { code: "extension_missing" }
  /** A password or API key could not be stored, so it is not valid. */
  | { code: "not_stored" }
  /** The service cannot process the request at the moment. */
  | { code: "unavailable"; retryAfterSecs: number };

export type AppErrorCode = Failure["code"];

/** Ends a request with a message for the client. Any other thrown value is an internal error (500). A `cause` is only logged. */
export class AppError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AppError";
    this.failure = failure;
  }
}

/** A parameter or field that breaks a rule (400). */
export const invalidInput = (message: string): AppError => new AppError({ code: "invalid_input" }, message);

/** Something in the way of the request (409). */
export const conflict = (message: string): AppError => new AppError({ code: "conflict" }, message);

/** 400 for a field or parameter. `rule` completes "… must be …"; of a long value, the beginning is quoted. */
export function refusedValue(what: string, rule: string, value: unknown): AppError {
  // JSON has no infinite numbers, but 1e400 is one.
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  const quoted = exceedsChars(text, VALUE_QUOTED_CHARS_MAX) ? `${cutToChars(text, VALUE_QUOTED_CHARS_MAX)}…` : text;
  return invalidInput(`${what} must be ${rule}, got ${quoted}`);
}

export const storageUnavailable = (message: string, cause: unknown): AppError =>
  new AppError({ code: "unavailable", retryAfterSecs: STORAGE_RETRY_SECS }, message, { cause });
