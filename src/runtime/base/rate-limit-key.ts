/** What limits by address count: IPv4 addresses, and IPv6 networks, because one customer can send from a whole network. */

const GROUPS = 8;

/** A /64, the smallest network that a customer gets (RFC 6177). */
const NETWORK_GROUPS = 4;

/** A /32, the smallest network that a provider gets, out of which it may give a customer many of the above. */
const WIDE_NETWORK_GROUPS = 2;

const groupsIn = (text: string): string[] => text.split(":").filter((group) => group !== "");

/** The first groups of an IPv6 address. */
function headOf(address: string, groups: number): string {
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => "0");
  return [...first, ...zeros, ...last].slice(0, groups).join(":");
}

/**
 * An IPv4 address itself, the /64 network of an IPv6 address. Expects canonical addresses, as the handlers pass them: IPv6 in its
 * shortest form (RFC 5952), and IPv4-mapped addresses as IPv4. Visitor ids still use the whole address.
 */
export function rateLimitKeyOf(address: string): string {
  return address.includes(":") ? `${headOf(address, NETWORK_GROUPS)}::/64` : address;
}

/** The /16 network of an IPv4 address, the /32 network of an IPv6 address: who changes addresses easily stays within a few of them. */
export const wideNetworkOf = (address: string): string =>
  address.includes(":") ? `${headOf(address, WIDE_NETWORK_GROUPS)}::/32` : `${address.split(".", 2).join(".")}.0.0/16`;
