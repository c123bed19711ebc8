/** What limits by address count: IPv4 addresses, and IPv6 networks, because one customer can send from a whole network. */

const GROUPS = 8;

/** A /64, the smallest network that a customer gets (RFC 6177). */
const NETWORK_GROUPS = 4;

const groupsIn = (text: string): string[] => text.split(":").filter((group) => group !== "");

/**
 * An IPv4 address itself, the /64 network of an IPv6 address. Expects canonical addresses, as the handlers pass them: IPv6 in its
 * shortest form (RFC 5952), and IPv4-mapped addresses as IPv4. Visitor ids still use the whole address.
 */
export function rateLimitKeyOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
