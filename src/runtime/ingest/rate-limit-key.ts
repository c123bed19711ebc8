/** Whom limits by address count: who has one IPv6 address has the whole network around it, and can send from all of it. */

const GROUPS = 8;

/** The groups of a /64, which is what a single customer gets at least. */
const NETWORK_GROUPS = 4;

const groupsIn = (text: string): string[] => text.split(":").filter((group) => group !== "");

/**
 * What an address counts as: IPv4 as itself, IPv6 as its /64 network. Takes addresses as the handlers write them: IPv4 that
 * is mapped into IPv6 as IPv4, and IPv6 in its shortest form. Visitors are told apart by the whole address all the same.
 */
export function rateLimitKeyOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.split("::");
  const [first, last] = [groupsIn(head), groupsIn(tail)];
  const zeros = Array.from({ length: Math.max(0, GROUPS - first.length - last.length) }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, NETWORK_GROUPS).join(":")}::/64`;
}
