/**
 * Pages of other origins: which may read a response (CORS), which may change something (CSRF), and which names of this service an attacker's
 * page could have (DNS rebinding).
 */
import type { Config } from "../runtime/base/config/config.ts";
import { AppError } from "../runtime/base/errors.ts";
import { isPrivateAddress } from "../runtime/ingest/geo.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import { forwardedEntryOf, parseAddress } from "./forwarded-headers.ts";
import { emptyReply, TIME_ZONE_HEADER, type Reply, type ReplyHeaders } from "./reply.ts";
import type { Access, HostContext, Context, RouteId } from "./route.ts";
import type { Endpoint } from "./router.ts";

// CORS

const PREFLIGHT_SECS = 86_400;

const NONE: ReplyHeaders = {};

/** Headers of files that any page may load. */
export const ANY_ORIGIN = { "Access-Control-Allow-Origin": "*" } as const;

/** Headers for the dashboard in addition to those that every page may read. */
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

/** True if a request is a preflight of a page of `dashboard_origin`. Preflights of ingestion have their own route. */
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

// CSRF

/** The origin of the page that sent a request, by `Origin` or `Referer`; null without either. */
function pageOf({ headers }: Request): string | null {
  const origin = headers.get("origin");
  if (origin !== null) return origin;
  const referer = headers.get("referer");
  return referer === null ? null : (parseUrl(referer)?.origin ?? null);
}

function foreign({ services, url }: HostContext): AppError {
  const { dashboardOrigin } = services.config;
  const advice =
    dashboardOrigin === null
      ? `If ${url.host} is not what browsers call this service, set dashboard_origin.`
      : `By dashboard_origin that is ${dashboardOrigin}.`;
  return new AppError({ code: "forbidden" }, `The request must come from a page of the dashboard's own origin. ${advice}`);
}

/** A proxy may terminate https, so only hosts are compared. */
const isOfOwnHost = (origin: string, url: URL): boolean => parseUrl(origin)?.host === url.host;

/** 403 for a request of a foreign page. A request without an origin is allowed. */
export function refuseForeignPage(request: Request, context: HostContext): void {
  const { dashboardOrigin } = context.services.config;
  if (dashboardOrigin !== null) {
    const page = pageOf(request);
    if (page !== null && page !== dashboardOrigin) throw foreign(context);
    return;
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !isOfOwnHost(origin, context.url)) throw foreign(context);
}

/** 403 for a request that changes something with a session, unless a page of the dashboard sent it. */
export function requireDashboardPage(request: Request, context: HostContext): void {
  refuseForeignPage(request, context);
  if (context.services.config.dashboardOrigin !== null && pageOf(request) === null) throw foreign(context);
}

// Host names and DNS rebinding

/** Names in container networks have underscores. The URL parser decides whether digits form an address. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

export const HOST_RULE = 'The header "Host" must be a host name or an IP address, with :port where needed';

/**
 * True if `text` has the form `host`, `host:port`, `[ipv6]` or `[ipv6]:port` (RFC 9110, 7.2): nothing that could be read as a
 * path, a query or user information.
 */
export const isHost = (text: string): boolean => HOST.test(text);

const GUARDED: readonly Access[] = ["stats", "instance", "share", "site", "admin", "session", "manage", "auth"];

/**
 * Setup checks the setup code itself. Logout always gives 200 (docs/http-api.md, "Login sessions"), and before a password is
 * set there is no session that it could end.
 */
const UNGUARDED: readonly RouteId[] = ["POST /api/auth/setup", "POST /api/auth/logout"];

const withoutRootDot = (hostname: string): string => hostname.replace(/\.$/, "");

/** The URL parser normalizes IPv4 addresses to dotted decimal, and puts IPv6 in brackets. */
const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Browsers resolve these to loopback without DNS (RFC 6761). */
const LOCALHOST = /^(?:.+\.)?localhost$/;

function isVerified(hostname: string, dashboardOrigin: string | null): boolean {
  const name = withoutRootDot(hostname);
  if (IP_ADDRESS.test(name) || LOCALHOST.test(name)) return true;
  return dashboardOrigin !== null && name === withoutRootDot(new URL(dashboardOrigin).hostname);
}

/** True for loopback, private, link-local and shared networks (RFC 6598, also used by VPNs), and for anything that is not an address. */
export function isPrivate(socketAddress: string): boolean {
  const address = parseAddress(socketAddress);
  return address === null || isPrivateAddress(address);
}

/** True if an attacker's page may have sent the request by DNS rebinding. Always false once a password is set. */
export function maybeRebound(
  request: Request,
  { services: { config }, standing, socketAddress, url }: Pick<Context, "services" | "standing" | "socketAddress" | "url">,
): boolean {
  if (standing?.isPasswordSet) return false;
  const forwardedFor = request.headers.get("x-forwarded-for");
  if (forwardedEntryOf({ forwardedFor, trustedProxies: config.trustProxy }) !== null) return false;
  return isPrivate(socketAddress) && !isVerified(url.hostname, config.dashboardOrigin);
}

export function unverifiedHost({ url: { host } }: Pick<Context, "url">): AppError {
  return new AppError(
    { code: "unverified_host" },
    `The host name ${host} is refused until an admin password is set: use the IP address or localhost, set dashboard_origin ` +
      "(behind a proxy, trust_proxy), or set the password with the one-time setup code from the startup log",
  );
}

/** 403 for a request to a restricted route that may come from DNS rebinding. */
export function refuseUnverifiedHost(access: Access, routeId: RouteId, request: Request, context: Context): void {
  if (GUARDED.includes(access) && !UNGUARDED.includes(routeId) && maybeRebound(request, context)) throw unverifiedHost(context);
}
