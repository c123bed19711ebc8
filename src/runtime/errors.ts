/** The closed set of reasons for which a request is stopped. Statuses are given to them in `handlers/error-reply.ts`. */

import { STORAGE_RETRY_SECS } from "./config/limits.ts";

type Failure =
  /** A parameter or field breaks a rule; the message names both. */
  | { code: "invalid_input" }
  /** The body is JSON but not the object this endpoint takes. */
  | { code: "malformed_body" }
  | { code: "body_too_large" }
  | { code: "headers_too_large" }
  | { code: "unauthenticated" }
  | { code: "forbidden" }
  /** While no password is set, the host name may be an attacker's; the setup code, if anything, helps. */
  | { code: "unverified_host" }
  | { code: "not_found" }
  | { code: "method_not_allowed"; allow: string }
  /** What can be done once only has been done. */
  | { code: "already_configured" }
  | { code: "too_many_requests"; retryAfterSecs: number }
  /** The request ran past the server's time limit. */
  | { code: "request_timeout" }
  /** The endpoint needs the behavioral extension, which is not loaded. */
  | { code: "extension_missing" }
  /** A record that must last could not be stored, so it does not count (contract 3 has a status of its own for it). */
  | { code: "not_stored" }
  /** The service cannot take this now, through no fault of the caller. */
  | { code: "unavailable"; retryAfterSecs: number };

export type AppErrorCode = Failure["code"];

/**
 * Stops a request with a reason the caller may read. Anything else that is thrown is an internal error. A `cause` is for the
 * log only.
 */
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

/** What cannot be done because storage does not take it now (503); the cause goes to the log. */
export const storageUnavailable = (message: string, cause: unknown): AppError =>
  new AppError({ code: "unavailable", retryAfterSecs: STORAGE_RETRY_SECS }, message, { cause });
