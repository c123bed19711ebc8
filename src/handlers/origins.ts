/**
 * Where a request comes from: its client address and scheme, from the connection and the headers of trusted proxies; and pages of other
 * origins: which may read a response (CORS), which may change something (CSRF), and which names of this service an attacker's page could
 * have (DNS rebinding).
 */
import type { Config } from "../runtime/base/config/config.ts";
import { AppError } from "../runtime/base/errors.ts";
import { isPrivateAddress } from "../runtime/ingest/geo.ts";
import { parseUrl } from "../runtime/ingest/urls.ts";
import { COVERAGE_HEADER, emptyReply, type Reply, type ReplyHeaders, TIME_ZONE_HEADER } from "./http.ts";
import type { Access, Context, HostContext, RouteId } from "./route.ts";
import type { Endpoint } from "./router.ts";

interface ClientAddressSource {
  /** The peer of the connection, as the platform writes it. */
  readonly socketAddress: string;
  /** The `X-Forwarded-For` header, several of them joined by commas. */
  readonly forwardedFor: string | null;
  /** Number of proxies in front of the server, each of which appended the address of its peer. */
  readonly trustedProxies: number;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;

const IPV6_IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

const IPV6_CHARS = /^[0-9A-Fa-f:.]{2,45}$/;

/** The URL standard's notation of an IPv4 address that is mapped into IPv6. */
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The client address and scheme of a request, from its connection and the headers of trusted proxies.
 *
 * The client address: IPv4 in dotted decimal (also if mapped into IPv6), IPv6 in its shortest form in lowercase. Entries to the
 * left of those of trusted proxies are claims of the sender and are ignored. If the header has fewer entries than there are
 * proxies, or the entry is not an address, the address of the connection is used.
 */
export function clientAddressOf({ socketAddress, ...source }: ClientAddressSource): string {
  const forwarded = forwardedEntryOf(source);
  return (forwarded === null ? null : parseAddress(forwarded)) ?? parseAddress(socketAddress) ?? socketAddress;
}

export function clientAddressOfRequest(
  { headers }: Request,
  { services, socketAddress }: Pick<Context, "services" | "socketAddress">,
): string {
  return clientAddressOf({ socketAddress, forwardedFor: headers.get("x-forwarded-for"), trustedProxies: services.config.trustProxy });
}

/**
 * True if the client connected over https: a proxy that terminates it says so in `X-Forwarded-Proto`. A proxy that replaces
 * that header instead of appending to it leaves a single entry.
 */
export function isHttps({ headers, url }: Request, trustedProxies: number): boolean {
  const forwarded = trustedProxies > 0 ? headers.get("x-forwarded-proto") : null;
  if (forwarded === null) return url.startsWith("https:");
  const scheme = forwardedEntry(forwarded, trustedProxies) ?? forwarded.split(",", 1)[0]?.trim();
  return scheme?.toLowerCase() === "https";
}

/** The entry of the outermost trusted proxy; null for a request that did not pass through all of them. */
export function forwardedEntryOf({ forwardedFor, trustedProxies }: Omit<ClientAddressSource, "socketAddress">): string | null {
  if (trustedProxies === 0 || forwardedFor === null) return null;
  return forwardedEntry(forwardedFor, trustedProxies) || null;
}

/**
 * The entry that the outermost trusted proxy appended, counted from the end and trimmed; null if there are fewer entries.
 * Read from the end, because everything before it comes from the sender and may be long.
 */
export function forwardedEntry(header: string, trustedProxies: number): string | null {
  let end = header.length;
  for (let passed = 1; passed < trustedProxies; passed++) {
    end = end === 0 ? -1 : header.lastIndexOf(",", end - 1);
    if (end === -1) return null;
  }
  const start = end === 0 ? 0 : header.lastIndexOf(",", end - 1) + 1;
  return header.slice(start, end).trim();
}

/** The addresses of the connection and of the last entries of the header, nearest first; null for entries that are not addresses. */
export function addressChainOf({ socketAddress, forwardedFor }: Omit<ClientAddressSource, "trustedProxies">, entriesMax: number) {
  const chain = [parseAddress(socketAddress)];
  if (forwardedFor === null) return chain;
  for (let end = forwardedFor.length; end >= 0 && chain.length <= entriesMax;) {
    const start = end === 0 ? -1 : forwardedFor.lastIndexOf(",", end - 1);
    chain.push(parseAddress(forwardedFor.slice(start + 1, end)));
    end = start;
  }
  return chain;
}

/** Accepts an address with or without a port; null for anything else. */
function parseAddress(text: string): string | null {
  const entry = text.trim();
  const address = IPV4_WITH_PORT.exec(entry)?.[1] ?? IPV6_IN_BRACKETS.exec(entry)?.[1] ?? entry;
  return IPV4.test(address) ? address : parseIpv6(address);
}

/** The URL parser validates and normalizes IPv6 addresses. Zones (`%eth0`) are not supported. */
function parseIpv6(text: string): string | null {
  const url = IPV6_CHARS.test(text) ? parseUrl(`http://[${text}]/`) : null;
  if (!url) return null;
  const address = url.hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}

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
  const further = [TIME_ZONE_HEADER, COVERAGE_HEADER].filter((name) => name in reply.headers);
  return { ...allowed, "Access-Control-Expose-Headers": [EXPOSED, ...further].join(", ") };
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
