/** HTTP requests to the service, and every way in which one can fail. */

/**
 * Why a request failed. `offline`: no connection; `timeout`: the report took too long (408); `setup_code_required`: the host
 * name is not known, so a password must be set with the setup code first (docs/http-api.md, "Unverified hosts").
 */
export type FailureKind =
  | "offline"
  | "unauthenticated"
  | "forbidden"
  | "setup_code_required"
  | "not_found"
  | "busy"
  | "timeout"
  | "unavailable"
  | "invalid"
  | "failed";

export class ServiceError extends Error {
  readonly kind: FailureKind;
  /** From the Retry-After header; null without one. */
  readonly retryAfterSecs: number | null;

  constructor(kind: FailureKind, message: string, retryAfterSecs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterSecs = retryAfterSecs;
  }
}

const KINDS: Readonly<Record<number, FailureKind>> = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  429: "busy",
  503: "unavailable",
};

const messageOf = (status: number): string => (status >= 500 ? `Server unavailable (${status}).` : `The request failed (${status}).`);

async function errorFrom(response: Response): Promise<ServiceError> {
  const retryAfterSecs = Number(response.headers.get("retry-after"));
  const body = (await response.json().catch(() => null)) as { readonly error?: string } | null;
  const kind = response.headers.has("x-setup-code") ? "setup_code_required" : (KINDS[response.status] ?? "failed");
  return new ServiceError(kind, body?.error ?? messageOf(response.status), retryAfterSecs > 0 ? retryAfterSecs : null);
}

/** Relative to the page, which may be below a path of its host (`base_path`). `path` begins with a slash. */
const addressOf = (path: string): string => `.${path}`;

/** @throws ServiceError unless the status is 2xx, or the signal's reason when aborted */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(addressOf(path), { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServiceError("offline", "Server unreachable.");
  }
  if (!response.ok) throw await errorFrom(response);
  return response;
}

export type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** The path with a query string; parameters that are null, undefined or empty are left out. */
export function urlOf(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  return `${path}?${query.toString()}`;
}
