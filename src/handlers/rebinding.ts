/**
 * Which host names may open an instance that has no password yet. By DNS rebinding, a page whose name is made to resolve to
 * this machine has the service for its own origin, and could read statistics and set the password. It cannot choose an IP
 * address, localhost or the operator's own name for its host, and browsers reach by it what they could reach anyway: this
 * machine and private networks.
 */
import { AppError } from "../runtime/errors.ts";
import { isPrivateAddress } from "../runtime/ingest/geo.ts";
import type { RouteId } from "./app.ts";
import type { Access } from "./access.ts";
import { forwardedEntryOf, parseAddress } from "./client-address.ts";
import type { Context } from "./context.ts";

const GUARDED: readonly Access[] = ["stats", "admin", "auth"];

/**
 * Setup asks for the setup code by itself. Logout is always answered 200 (contract 4.6), and there is no session that it
 * could end before there is a password.
 */
const UNGUARDED: readonly string[] = ["POST /api/auth/setup", "POST /api/auth/logout"] satisfies RouteId[];

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
export function refuseUnverifiedHost(access: Access, routeId: string, request: Request, context: Context): void {
  if (GUARDED.includes(access) && !UNGUARDED.includes(routeId) && maybeRebound(request, context)) throw unverifiedHost(context);
}
