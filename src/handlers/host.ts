/**
 * Validation of the `Host` header: it must be well-formed, and until a password is set it must be one that DNS rebinding cannot
 * use (docs/http-api.md, "Unverified hosts"). An attacker's page whose name resolves to this machine is same-origin with the
 * service, and could read stats and set the password. Its host cannot be an IP address, localhost or the operator's own name,
 * and rebinding only reaches what browsers can reach directly: this machine and private networks.
 */
import { AppError } from "../runtime/base/errors.ts";
import { isPrivateAddress } from "../runtime/ingest/geo.ts";
import type { Context } from "./context.ts";
import { forwardedEntryOf, parseAddress } from "./forwarded-headers.ts";
import type { Access, RouteId } from "./route.ts";

/** Names in container networks have underscores. The URL parser decides whether digits form an address. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

export const HOST_RULE = 'The header "Host" must be a host name or an IP address, with :port where needed';

/**
 * Whether `text` has the form `host`, `host:port`, `[ipv6]` or `[ipv6]:port` (RFC 9110, 7.2): nothing that could be read as a
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

/** Whether an attacker's page may have sent the request by DNS rebinding. Always false once a password is set. */
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
