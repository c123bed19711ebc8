/** Which IP addresses are public: all but those of the special-purpose registries (RFC 6890). */
import { isPrivateAddress } from "../ingest/geo.ts";

const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** Protocol assignments, documentation, 6to4 relays, benchmarks, multicast and reserved. The rest is `isPrivateAddress`. */
const SPECIAL_IPV4 = /^(?:192\.0\.[02]\.|192\.88\.99\.|198\.1[89]\.|198\.51\.100\.|203\.0\.113\.|22[4-9]\.|2[3-5]\d\.)/;

/**
 * Only 2000::/3 of IPv6 is global unicast, so loopback, mapped, private, link-local and multicast addresses do not match. Within it
 * 2001::/23 (Teredo), 2001:db8::/32, 2002::/16 (6to4) and 3fff::/20 are special.
 */
const PUBLIC_IPV6 = /^(?!2001:(?:db8|1?[0-9a-f]{0,2}):|2002:|3fff:[0-9a-f]{0,3}:)[23][0-9a-f]{3}:[0-9a-f:.]+$/i;

/** True if an address is public. IPv6 must be in its shortest form, without brackets and zone. */
export const isPublicIp = (address: string): boolean =>
  IPV4.test(address) ? !isPrivateAddress(address) && !SPECIAL_IPV4.test(address) : PUBLIC_IPV6.test(address);

/** The IP address that is a URL's host; null for a name. The URL parser writes addresses in one form only. */
export function ipOf({ hostname }: URL): string | null {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  return IPV4.test(hostname) ? hostname : null;
}
