/**
 * Which hosts a request may name: only well-formed ones, and while no password is set only those that DNS rebinding cannot
 * forge. By rebinding, a page whose name is made to resolve to this machine is same-origin with the service, and could read
 * statistics and set the password. It cannot choose an IP address, localhost or the operator's own name for its host, and what
 * browsers reach by rebinding is what they could reach anyway: this machine and private networks.
 */
import { AppError } from "../runtime/errors.ts";
import { isPrivateAddress } from "../runtime/ingest/geo.ts";
import type { Context } from "./context.ts";
import { forwardedEntryOf, parseAddress } from "./forwarded-headers.ts";
import type { Access, RouteId } from "./route.ts";

/** Underscores occur in names of container networks. Whether digits make an address is for the URL parser to say. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/;

export const HOST_RULE = 'The header "Host" must be a host name or an IP address, with :port where needed';

/**
 * Whether `text` has the form `host`, `host:port`, `[ipv6]` or `[ipv6]:port` (RFC 9110, 7.2): nothing that could pass for a path,
 * a query or user information.
 */
export const isHost = (text: string): boolean => HOST.test(text);

const GUARDED: readonly Access[] = ["stats", "admin", "auth"];

/**
 * Setup checks the setup code itself. Logout is always answered 200 (docs/http-api.md, "Sessions"), and before there is a
 * password no session exists that it could end.
 */
const UNGUARDED: readonly RouteId[] = ["POST /api/auth/setup", "POST /api/auth/logout"];

const withoutRootDot = (hostname: string): string => hostname.replace(/\.$/, "");

/** The URL standard writes every spelling of an IPv4 address in dots, and IPv6 in brackets. */
const IP_ADDRESS = /^(?:[\d.]+|\[.*\])$/;

/** Browsers resolve these to the machine itself and ask no name server (RFC 6761). */
const LOCALHOST = /^(?:.+\.)?localhost$/;

function isVerified(hostname: string, dashboardOrigin: string | null): boolean {
  const name = withoutRootDot(hostname);
  if (IP_ADDRESS.test(name) || LOCALHOST.test(name)) return true;
  return dashboardOrigin !== null && name === withoutRootDot(new URL(dashboardOrigin).hostname);
}

/** Loopback, private, link-local and shared networks (RFC 6598, which VPNs use, too), and what is no address. */
export function isPrivate(socketAddress: string): boolean {
  const address = parseAddress(socketAddress);
  return address === null || isPrivateAddress(address);
}

/** Whether a page of an attacker's may have sent the request by rebinding its name. Never, once there is a password. */
export function maybeRebound(
  request: Request,
  { services, socketAddress, url }: Pick<Context, "services" | "socketAddress" | "url">,
): boolean {
  const { adminPassword, config } = services;
  if (adminPassword.isConfigured) return false;
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

/** 403 for a request that a rebound page may have sent to a route that is not for everybody. */
export function refuseUnverifiedHost(access: Access, routeId: RouteId, request: Request, context: Context): void {
  if (GUARDED.includes(access) && !UNGUARDED.includes(routeId) && maybeRebound(request, context)) throw unverifiedHost(context);
}
