/** The client address and scheme of a request, from its connection and the headers of trusted proxies. */
import { parseUrl } from "../runtime/ingest/urls.ts";
import type { Context } from "./route.ts";

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
export function parseAddress(text: string): string | null {
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
