/**
 * Which other origins may read a response (docs/http-api.md, "CORS"): any origin those of ingestion, and `dashboard_origin`
 * those about stats, keys and logins.
 */
import type { Config } from "../runtime/base/config/config.ts";
import { emptyReply, TIME_ZONE_HEADER, type Reply, type ReplyHeaders } from "./reply.ts";
import type { Access } from "./route.ts";
import type { Endpoint } from "./router.ts";

const PREFLIGHT_SECS = 86_400;

const NONE: ReplyHeaders = {};

/** For files that any page may load. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const;

/** What the dashboard reads in addition to the headers that every page may read. */
const EXPOSED = "Content-Disposition, Retry-After, X-Behavioral-Extension, X-Request-Id, X-Setup-Code";

/** Access levels of the routes that the dashboard uses, also from another origin. */
export const OF_DASHBOARD: readonly Access[] = ["auth", "stats", "instance", "site", "admin", "session", "manage"];

type Origins = Pick<Config, "dashboardOrigin">;

const isOfDashboardPage = (origin: string | null, { access }: Endpoint, { dashboardOrigin }: Origins): boolean =>
  dashboardOrigin !== null && origin === dashboardOrigin && OF_DASHBOARD.some((level) => access.has(level));

/**
 * The CORS headers of a response of this endpoint; none for an unknown path. Ingestion echoes the origin and allows
 * credentials, because beacons always send them and browsers then reject `*`. That exposes nothing: no response of ingestion
 * depends on a cookie.
 */
export function corsHeaders({ headers }: Request, endpoint: Endpoint | null, reply: Reply, config: Origins): ReplyHeaders {
  if (endpoint === null) return NONE;
  const origin = headers.get("origin");
  const isIngest = endpoint.access.has("ingest");
  if (isIngest && origin === null) return ANY_ORIGIN;
  if (origin === null || !(isIngest || isOfDashboardPage(origin, endpoint, config))) return NONE;
  const allowed = { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
  if (isIngest) return allowed;
  const exposed = TIME_ZONE_HEADER in reply.headers ? `${EXPOSED}, ${TIME_ZONE_HEADER}` : EXPOSED;
  return { ...allowed, "Access-Control-Expose-Headers": exposed };
}

/** Whether a request is a preflight of a page of `dashboard_origin`. Preflights of ingestion have their own route. */
export function isDashboardPreflight({ method, headers }: Request, endpoint: Endpoint | null, config: Config): endpoint is Endpoint {
  return method === "OPTIONS" && endpoint !== null && isOfDashboardPage(headers.get("origin"), endpoint, config);
}

/** The response to a preflight request for a path with these methods, separated by commas. */
export function preflightReply({ headers }: Request, methods: string): Reply {
  return emptyReply(204, {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": headers.get("access-control-request-headers") ?? "Content-Type",
    "Access-Control-Max-Age": String(PREFLIGHT_SECS),
  });
}

/** OPTIONS /api/event: pages of any origin may send events. */
export const preflight = (request: Request): Reply => preflightReply(request, "GET, POST, OPTIONS");
