/** Talks to the service: the one place with its paths, its statuses, and what goes wrong on the way. */
import type {
  AuthStatus,
  Breakdown,
  CreatedKey,
  Erased,
  Flow,
  Funnel,
  Goals,
  Headline,
  Keys,
  PropertyKeys,
  PropertyValues,
  Realtime,
  Retention,
  Revenue,
  Sequences,
  Series,
  SessionSeries,
  Sites,
} from "./types.ts";
import { REQUESTS_MAX, RequestQueue } from "./request-queue.ts";

/**
 * Why there is no answer. `offline`: the service was not reached; `unfinished`: there was not time enough; `unverified`: under
 * this host name, setup with the setup code comes before anything else.
 */
export type FailureKind =
  | "offline"
  | "unauthenticated"
  | "forbidden"
  | "unverified"
  | "missing"
  | "locked"
  | "busy"
  | "unfinished"
  | "unavailable"
  | "refused"
  | "failed";

export class ServiceError extends Error {
  readonly kind: FailureKind;
  /** After so many seconds it is worth trying again; null where the service does not say. */
  readonly retryAfterSecs: number | null;

  constructor(kind: FailureKind, message: string, retryAfterSecs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterSecs = retryAfterSecs;
  }
}

const KINDS: Readonly<Record<number, FailureKind>> = {
  400: "refused",
  401: "unauthenticated",
  403: "forbidden",
  404: "missing",
  408: "unfinished",
  429: "busy",
  503: "unavailable",
};

/** A query that finds no free slot is asked again so many times. */
const BUSY_RETRIES = 3;

/** A figure of more events than the service holds in memory goes on where it was given up: it is asked again so many times. */
const UNFINISHED_RETRIES = 10;

async function failureOf(response: Response): Promise<ServiceError> {
  const retryAfter = Number(response.headers.get("retry-after"));
  const body = (await response.json().catch(() => null)) as { readonly error?: string } | null;
  const kind = response.headers.has("x-setup-code") ? "unverified" : (KINDS[response.status] ?? "failed");
  return new ServiceError(kind, body?.error ?? `The service answered ${response.status}.`, retryAfter > 0 ? retryAfter : null);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ServiceError("offline", "The service cannot be reached.");
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

const statistics = new RequestQueue(REQUESTS_MAX);

async function sendPatiently(path: string, signal: AbortSignal, unfinishedRetries: number): Promise<Response> {
  for (let busy = 0, unfinished = 0; ;) {
    try {
      return await send(path, { signal });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (error.kind === "unfinished" && unfinished++ < unfinishedRetries) continue;
      if (error.kind !== "busy" || busy++ === BUSY_RETRIES) throw error;
      await pause(Math.min(error.retryAfterSecs ?? 1, 5) * 1000, signal);
    }
  }
}

/** Every figure goes through here, and so does every export: at most four are under way. */
export const askFigure = <T>(path: string, signal: AbortSignal): Promise<T> =>
  statistics.run(async () => (await (await sendPatiently(path, signal, UNFINISHED_RETRIES)).json()) as T, signal);

export interface Download {
  readonly name: string;
  readonly content: Blob;
}

export const askFile = (path: string, signal: AbortSignal): Promise<Download> =>
  statistics.run(async () => {
    const response = await sendPatiently(path, signal, 0);
    const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "export";
    return { name, content: await response.blob() };
  }, signal);

const json = (method: string, body?: unknown): RequestInit => ({
  method,
  ...(body !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
});

const sendJson = async <T>(path: string, init: RequestInit): Promise<T> => (await (await send(path, init)).json()) as T;

export const authStatus = (): Promise<AuthStatus> => sendJson("/api/auth/status", {});
/** `code` is the setup code, where the service asks for it. */
export const setUp = (password: string, code?: string): Promise<unknown> => sendJson("/api/auth/setup", json("POST", { password, code }));
export const logIn = (password: string): Promise<unknown> => sendJson("/api/auth/login", json("POST", { password }));
export const logOut = (): Promise<unknown> => sendJson("/api/auth/logout", json("POST"));
export const isReachable = (): Promise<boolean> =>
  send("/health", {}).then(
    () => true,
    () => false,
  );

export type KeyScope = "ReadOnly" | "Admin";

export const keys = (): Promise<Keys> => sendJson("/api/keys", {});
export const createKey = (name: string, scope: KeyScope): Promise<CreatedKey> => sendJson("/api/keys", json("POST", { name, scope }));
export const revokeKey = (hash: string): Promise<unknown> => sendJson(`/api/keys/${hash}`, json("DELETE"));

export const erase = (siteId: string, startDate: string, endDate: string): Promise<Erased> =>
  sendJson(
    `/api/gdpr/erase?${new URLSearchParams({ site_id: siteId, start_date: startDate, end_date: endDate }).toString()}`,
    json("DELETE"),
  );

/** What each path of figures answers with. */
export interface Figures {
  readonly sites: Sites;
  readonly main: Headline;
  readonly timeseries: Series;
  readonly "session-timeseries": SessionSeries;
  readonly breakdown: Breakdown;
  readonly realtime: Realtime;
  readonly goals: Goals;
  readonly properties: PropertyKeys;
  readonly "property-values": PropertyValues;
  readonly revenue: Revenue;
  readonly funnel: Funnel;
  readonly retention: Retention;
  readonly sequences: Sequences;
  readonly flow: Flow;
}

export type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** The path with the parameters that have a value. */
export function pathOf(path: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  return `${path}?${query.toString()}`;
}
