/** IP networks as integers: one address (`192.0.2.1`), or all that share a prefix (`192.0.2.0/24`, CIDR of RFC 4632 and RFC 4291, 2.3). */

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV6_CHARS = /^[0-9A-Fa-f:.]{2,45}$/;

/** An IPv4 address that is mapped into IPv6 begins with these words. */
const MAPPED_WORDS = [0, 0, 0xffff];
const MAPPED_BITS = 96;

const WORD_BITS = 32;

/** 32-bit words, the highest first: one of an IPv4 address, four of an IPv6 address. */
type Words = readonly number[];

export interface IpNetwork {
  readonly words: Words;
  readonly prefixBits: number;
}

const ipv4Words = (text: string): Words => [text.split(".").reduce((value, part) => value * 256 + Number(part), 0)];

/** The URL parser validates an IPv6 address and writes it in its shortest form (RFC 5952). */
function shortestIpv6(text: string): string | null {
  if (!IPV6_CHARS.test(text)) return null;
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return null;
  }
}

function ipv6Words(shortest: string): Words {
  const [first = [], last = []] = shortest.split("::").map((part) => part.split(":").filter((group) => group !== ""));
  const groups = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => "0"), ...last];
  return [0, 2, 4, 6].map((i) => Number.parseInt(groups[i] ?? "", 16) * 0x10000 + Number.parseInt(groups[i + 1] ?? "", 16));
}

/** null if the text is not an address. IPv4 that is mapped into IPv6 is IPv6 here. */
function wordsOf(text: string): Words | null {
  if (IPV4.test(text)) return ipv4Words(text);
  const shortest = shortestIpv6(text);
  return shortest === null ? null : ipv6Words(shortest);
}

export const isAddress = (text: string): boolean => wordsOf(text) !== null;

/** The bits of word `i` that belong to a prefix. */
function maskOf(prefixBits: number, i: number): number {
  const bits = Math.min(Math.max(prefixBits - i * WORD_BITS, 0), WORD_BITS);
  return bits === 0 ? 0 : (-1 << (WORD_BITS - bits)) >>> 0;
}

const isMapped = (words: Words): boolean => words.length === 4 && MAPPED_WORDS.every((word, i) => words[i] === word);

/** An address, or an address, `/` and the length of a prefix; null for anything else. Bits after the prefix are ignored. */
export function parseNetwork(text: string): IpNetwork | null {
  const [address = "", length, ...more] = text.split("/");
  const words = wordsOf(address);
  if (words === null || more.length > 0) return null;
  const bits = words.length * WORD_BITS;
  const prefixBits = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(prefixBits <= bits)) return null;
  if (isMapped(words) && prefixBits >= MAPPED_BITS) return networkOf(words.slice(-1), prefixBits - MAPPED_BITS);
  return networkOf(words, prefixBits);
}

const networkOf = (words: Words, prefixBits: number): IpNetwork => ({
  words: words.map((word, i) => (word & maskOf(prefixBits, i)) >>> 0),
  prefixBits,
});

/** The one way to write a network: the shortest form of its address, and no length for a single address. */
export function networkText({ words, prefixBits }: IpNetwork): string {
  const [word = 0] = words;
  const groups = words.flatMap((each) => [each >>> 16, each & 0xffff]).map((group) => group.toString(16));
  const address = words.length === 1 ? [24, 16, 8, 0].map((shift) => (word >>> shift) & 0xff).join(".") : shortestIpv6(groups.join(":"));
  return prefixBits === words.length * WORD_BITS ? `${address}` : `${address}/${prefixBits}`;
}

const keyOf = (words: Words): string => words.join(" ");

/** Tells whether an address is in one of the networks, in time that their number does not change. Mapped addresses must be written as IPv4. */
export function networkMatcher(networks: readonly IpNetwork[]): (address: string) => boolean {
  /** IPv4 networks are of one word: their prefixes of 32 bits are not those of IPv6. */
  const ofLength = new Map<string, { readonly size: number; readonly prefixBits: number; readonly keys: Set<string> }>();
  for (const { words, prefixBits } of networks) {
    const group = ofLength.get(`${words.length}/${prefixBits}`) ?? { size: words.length, prefixBits, keys: new Set() };
    ofLength.set(`${words.length}/${prefixBits}`, group);
    group.keys.add(keyOf(words));
  }
  return (address) => {
    const words = wordsOf(address);
    if (words === null) return false;
    for (const { size, prefixBits, keys } of ofLength.values()) {
      if (size === words.length && keys.has(keyOf(networkOf(words, prefixBits).words))) return true;
    }
    return false;
  };
}
