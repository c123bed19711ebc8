/** Where a request comes from, by its connection and the headers of trusted proxies: the client's address, and http or https. */
import { parseUrl } from "../runtime/ingest/parse-url.ts";
import type { Context } from "./context.ts";

export interface ClientAddressSource {
  /** The peer of the connection, as the platform writes it. */
  readonly socketAddress: string;
  /** The `X-Forwarded-For` header, several of them joined by commas. */
  readonly forwardedFor: string | null;
  /** How many proxies stand before the server, each of which appended the address that it saw. */
  readonly trustedProxies: number;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;

const IPV6_IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;

const IPV6_CHARS = /^[0-9A-Fa-f:.]{2,45}$/;

/** How the URL standard writes an IPv4 address that is mapped into IPv6. */
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * The client's address: IPv4 in dots (also for one mapped into IPv6), IPv6 in its shortest form and small letters. The entries
 * further left than the trusted proxies' are the sender's own words. A header with fewer entries than there are proxies did
 * not come through them, and an entry may be no address: then the socket's address counts.
 */
export function clientAddressOf({ socketAddress, ...source }: ClientAddressSource): string {
  const forwarded = forwardedEntryOf(source);
  return (forwarded === null ? null : parseAddress(forwarded)) ?? parseAddress(socketAddress) ?? socketAddress;
}

/** The same of a request. */
export function clientAddressOfRequest(
  { headers }: Request,
  { services, socketAddress }: Pick<Context, "services" | "socketAddress">,
): string {
  return clientAddressOf({ socketAddress, forwardedFor: headers.get("x-forwarded-for"), trustedProxies: services.config.trustProxy });
}

/**
 * Whether the client asked over https: its connection may end at a proxy, which then says so in `X-Forwarded-Proto`. A proxy that
 * replaces that header instead of appending to it leaves a single entry.
 */
export function isHttps({ headers, url }: Request, trustedProxies: number): boolean {
  const forwarded = trustedProxies > 0 ? headers.get("x-forwarded-proto") : null;
  if (forwarded === null) return url.startsWith("https:");
  const scheme = forwardedEntry(forwarded, trustedProxies) ?? forwarded.split(",", 1)[0]?.trim();
  return scheme?.toLowerCase() === "https";
}

/** What the outermost trusted proxy wrote into the header; `null` for a request that did not come through all of them. */
export function forwardedEntryOf({ forwardedFor, trustedProxies }: Omit<ClientAddressSource, "socketAddress">): string | null {
  if (trustedProxies === 0 || forwardedFor === null) return null;
  return forwardedEntry(forwardedFor, trustedProxies) || null;
}

/**
 * The entry that the outermost of the trusted proxies appended, which is that many from the end, trimmed; null when there are
 * fewer entries. Read from the end: everything before it is the sender's own and may be long.
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

/** The address in `text`, with or without a port; `null` when there is none. */
export function parseAddress(text: string): string | null {
  const entry = text.trim();
  const address = IPV4_WITH_PORT.exec(entry)?.[1] ?? IPV6_IN_BRACKETS.exec(entry)?.[1] ?? entry;
  return IPV4.test(address) ? address : parseIpv6(address);
}

/** The URL standard knows what an IPv6 address is and has one way to write it. Zones (`%eth0`) are no part of it. */
function parseIpv6(text: string): string | null {
  const url = IPV6_CHARS.test(text) ? parseUrl(`http://[${text}]/`) : null;
  if (!url) return null;
  const address = url.hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = Number.parseInt(high, 16) * 0x10000 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join(".");
}
