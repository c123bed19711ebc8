/** HTTP requests to the service, and every way in which one can fail. */
import { fill, words } from "../words/words.ts";

/**
 * Why a request failed.
 * - `offline`: no connection
 * - `unavailable`: a proxy answered in place of the service
 * - `busy`: the service asks for a retry (429, or 503 with Retry-After)
 * - `timeout`: the report, or the sending of a body, took too long (408)
 * - `too_large`: the body is longer than the service, or a proxy before it, allows (413)
 * - `extension_missing`: it needs the behavioral extension, which is not loaded
 * - `setup_code_required`: the host name is not known, so a password must be set with the setup code first (docs/http-api.md,
 *   "Unverified hosts")
 */
export type FailureKind =
  | "offline"
  | "unauthenticated"
  | "forbidden"
  | "setup_code_required"
  | "not_found"
  | "conflict"
  | "too_large"
  | "busy"
  | "timeout"
  | "unavailable"
  | "extension_missing"
  | "invalid"
  | "failed";

export class ServiceError extends Error {
  readonly kind: FailureKind;
  /** The Retry-After header; null if it is missing. */
  readonly retryAfterSecs: number | null;

  constructor(kind: FailureKind, message: string, retryAfterSecs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterSecs = retryAfterSecs;
  }

  /** The service may be down; only another request can confirm it. */
  get isOutage(): boolean {
    return this.kind === "offline" || this.kind === "unavailable";
  }
}

export const problemText = (error: unknown, otherwise: string = words.api.somethingWrong): string =>
  error instanceof ServiceError ? error.message : otherwise;

const KINDS: Readonly<Record<number, FailureKind>> = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  413: "too_large",
  429: "busy",
};

const messageOf = (status: number): string => fill(status > 500 ? words.api.unavailable : words.api.failed, { status: String(status) });

/**
 * The service itself answers no status above 500 but 503, with a JSON error, and with Retry-After unless the behavioral extension is
 * missing (docs/http-api.md, "Statuses"). All others are a proxy's.
 */
function kindOf({ status, headers }: Response, hasReason: boolean): FailureKind {
  if (headers.has("x-setup-code")) return "setup_code_required";
  if (headers.has("x-behavioral-extension")) return "extension_missing";
  if (status === 503 && hasReason && headers.has("retry-after")) return "busy";
  return status > 500 ? "unavailable" : (KINDS[status] ?? "failed");
}

async function errorFrom(response: Response): Promise<ServiceError> {
  const retryAfterSecs = Number(response.headers.get("retry-after"));
  const body = (await response.json().catch(() => null)) as { readonly error?: unknown } | null;
  const reason = typeof body?.error === "string" ? body.error : null;
  const kind = kindOf(response, reason !== null);
  const message = response.status === 429 ? words.api.tooMany : kind === "unavailable" ? null : reason;
  return new ServiceError(kind, message ?? messageOf(response.status), retryAfterSecs > 0 ? retryAfterSecs : null);
}

/** Identifies the guest instead of a cookie; `root` is the service's address from the guest's page. */
interface Share {
  readonly root: string;
  readonly token: string;
}

let share: Share | null = null;

/** Sends all further requests as the guest of a share link. They carry no cookies, so that an owner sees exactly what guests see. */
export const presentShare = (root: string, token: string): void => {
  share = { root, token };
};

/** Addresses are relative to the page, which may be below a path of its host (`base_path`). `path` begins with a slash. */
export const addressOf = (path: string): string => `${share?.root ?? "."}${path}`;

function withCredentials(init: RequestInit): RequestInit {
  if (share === null) return { credentials: "same-origin", ...init };
  return { ...init, credentials: "omit", headers: { ...(init.headers as Record<string, string> | undefined), "X-Share": share.token } };
}

/** @throws ServiceError unless the status is 2xx, or the signal's reason when aborted */
export async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(addressOf(path), withCredentials(init));
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServiceError("offline", words.api.unreachable);
  }
  if (!response.ok) throw await errorFrom(response);
  return response;
}

/** @throws ServiceError like `send` */
export const sendJson = async <T>(path: string, init: RequestInit): Promise<T> => (await (await send(path, init)).json()) as T;

export type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** Leaves out parameters that are null, undefined or empty. */
export function urlOf(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  return `${path}?${query.toString()}`;
}

export const json = (method: string, body?: unknown): RequestInit => ({
  method,
  ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
});
