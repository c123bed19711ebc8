/**
 * Which pages of other origins may read an answer (docs/http-api.md, "CORS"): any page those of ingestion, and pages of
 * `dashboard_origin` those about statistics, keys and logins.
 */
import type { Config } from "../runtime/config/config.ts";
import { emptyReply, type Reply, type ReplyHeaders } from "./reply.ts";
import type { Access } from "./route.ts";
import type { Endpoint } from "./router.ts";

const PREFLIGHT_SECS = 86_400;

const NONE: ReplyHeaders = {};

/** On files that any page may load, whoever asks. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const;

/** What the dashboard requests, and its page may read from another origin. */
const OF_DASHBOARD: readonly Access[] = ["auth", "stats", "admin"];

const isOfDashboardPage = (origin: string | null, { access }: Endpoint, { dashboardOrigin }: Config): boolean =>
  dashboardOrigin !== null && origin === dashboardOrigin && OF_DASHBOARD.some((level) => access.has(level));

/**
 * The headers of an answer at this endpoint; none at a path where there is nothing. Ingestion echoes the origin and allows
 * credentials, because beacons always carry them and a browser then refuses `*`. That exposes nothing: no answer of ingestion
 * depends on a cookie.
 */
export function corsHeaders({ headers }: Request, endpoint: Endpoint | null, config: Config): ReplyHeaders {
  if (endpoint === null) return NONE;
  const origin = headers.get("origin");
  const isIngest = endpoint.access.has("ingest");
  if (isIngest && origin === null) return ANY_ORIGIN;
  if (origin === null || !(isIngest || isOfDashboardPage(origin, endpoint, config))) return NONE;
  const allowed = { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
  if (isIngest) return allowed;
  return { ...allowed, "Access-Control-Expose-Headers": "Content-Disposition, Retry-After, X-Request-Id, X-Setup-Code" };
}

/** Whether a browser asks by OPTIONS what a page of `dashboard_origin` may do. Ingestion has a route of its own for it. */
export function isDashboardPreflight({ method, headers }: Request, endpoint: Endpoint | null, config: Config): endpoint is Endpoint {
  return method === "OPTIONS" && endpoint !== null && isOfDashboardPage(headers.get("origin"), endpoint, config);
}

/** The answer to a preflight request at a path that takes these methods, separated by commas. */
export function preflightReply({ headers }: Request, methods: string): Reply {
  return emptyReply(204, {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": headers.get("access-control-request-headers") ?? "Content-Type",
    "Access-Control-Max-Age": String(PREFLIGHT_SECS),
  });
}

/** OPTIONS /api/event: pages of any origin may send events. */
export const preflight = (request: Request): Reply => preflightReply(request, "GET, POST, OPTIONS");
