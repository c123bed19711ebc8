/** Which foreign pages may read answers: any page those of ingestion, the dashboard's those about figures, keys and logins. */
import type { Config } from "../runtime/config/config.ts";
import { emptyReply, withHeaders, type Reply, type ReplyHeaders } from "./reply.ts";

const PREFLIGHT_SECS = 86_400;

/**
 * A page's own origin is echoed and credentials are allowed, because beacons always carry them and a
 * browser then refuses `*`. There is nothing to protect: no answer of ingestion depends on a cookie.
 */
function ingestCors(origin: string | null): ReplyHeaders {
  if (origin === null) return { "Access-Control-Allow-Origin": "*" };
  return { "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true", Vary: "Origin" };
}

/** Adds what lets the page that sent an event read the answer. */
export const withIngestCors = (request: Request, reply: Reply): Reply => withHeaders(reply, ingestCors(request.headers.get("origin")));

/** Whether a page of `dashboard_origin` asks. Without the option there is none: pages of the service itself need no leave. */
export const isDashboardPage = ({ headers }: Request, { dashboardOrigin }: Config): boolean =>
  dashboardOrigin !== null && headers.get("origin") === dashboardOrigin;

/** Adds what lets the dashboard's page read the answer. */
export const withDashboardCors = (request: Request, reply: Reply): Reply =>
  withHeaders(reply, {
    "Access-Control-Allow-Origin": request.headers.get("origin") ?? "",
    "Access-Control-Allow-Credentials": "true",
    "Access-Control-Expose-Headers": "Content-Disposition, Retry-After, X-Request-Id, X-Setup-Code",
    Vary: "Origin",
  });

/** Answers the question a browser asks before a request that is not simple. */
export function preflight(request: Request): Reply {
  return preflightFor(request, "GET, POST, OPTIONS");
}

/** The same for a path that takes these methods, separated by commas. */
export function preflightFor(request: Request, methods: string): Reply {
  return emptyReply(204, {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": request.headers.get("access-control-request-headers") ?? "Content-Type",
    "Access-Control-Max-Age": String(PREFLIGHT_SECS),
  });
}
