/** The port for pages of other hosts, and the public addresses it may connect to. The page check is the only request that the program sends on its own (docs/privacy.md). */
import { isPrivateAddress } from "../ingest/geo.ts";

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Protocol assignments, documentation, 6to4 relays, benchmarks, multicast and reserved. The rest is `isPrivateAddress`. */
const SPECIAL_IPV4 = /^(?:192\.0\.[02]\.|192\.88\.99\.|198\.1[89]\.|198\.51\.100\.|203\.0\.113\.|22[4-9]\.|2[3-5]\d\.)/;

/**
 * Only 2000::/3 of IPv6 is global unicast, so loopback, mapped, private, link-local and multicast addresses do not match. Within it
 * 2001::/23 (Teredo), 2001:db8::/32, 2002::/16 (6to4) and 3fff::/20 are special.
 */
const PUBLIC_IPV6 = /^(?!2001:(?:db8|1?[0-9a-f]{0,2}):|2002:|3fff:[0-9a-f]{0,3}:)[23][0-9a-f]{3}:[0-9a-f:.]+$/i;

/** True unless the address is in a special-purpose registry (RFC 6890). IPv6 must be in its shortest form, without brackets and zone. */
export const isPublicIp = (address: string): boolean =>
  IPV4.test(address) ? !isPrivateAddress(address) && !SPECIAL_IPV4.test(address) : PUBLIC_IPV6.test(address);

/** The IP address that is a URL's host; null for a name. The URL parser writes addresses in one form only. */
export function ipOf({ hostname }: URL): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return IPV4.test(hostname) ? hostname : null;
}

export interface FetchedPage {
  readonly status: number;
  readonly location: string | null;
  /** The header `Content-Type`, or "". */
  readonly contentType: string;
  /** The headers `Content-Security-Policy`, joined by commas, or "". */
  readonly policy: string;
  /** The first `PAGE_BYTES_MAX` bytes of the body as UTF-8; "" for a redirect. */
  readonly html: string;
}

export const isRedirect = ({ status, location }: Pick<FetchedPage, "status" | "location">): boolean =>
  status >= 300 && status < 400 && location !== null;

/**
 * `not_public`: the host has an address of this machine, a private network or another special range. `unresolvable`: the name
 * has no address. `certificate`: the TLS certificate is not valid for the host.
 */
export const FETCH_FAILURES = ["not_public", "unresolvable", "unreachable", "certificate", "timeout"] as const;

export type FetchFailure = (typeof FETCH_FAILURES)[number];

export class PageFetchError extends Error {
  readonly failure: FetchFailure;

  constructor(failure: FetchFailure, options?: ErrorOptions) {
    super(`the page could not be fetched: ${failure}`, options);
    this.name = "PageFetchError";
    this.failure = failure;
  }
}

/**
 * Sends one GET without cookies and follows no redirect. Connects to public addresses only (`isPublicIp`), on hosts that
 * resolve names themselves to the very address that was checked.
 * @throws PageFetchError within `timeoutMs`
 */
export type PageFetch = (url: URL, timeoutMs: number) => Promise<FetchedPage>;
