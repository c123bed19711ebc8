/**
 * Whether a request comes from the company whose crawler it claims to be: companies publish the networks of their crawlers (docs/bots.md,
 * "Verify crawlers").
 */
import { isObject } from "../base/body.ts";
import { type IpNetwork, networkMatcher, networkText, parseNetwork } from "../base/ip-network.ts";
import { AI_CRAWLERS } from "./ai-crawlers.ts";

/** null for an address that is not known, which verifies nothing. */
export type VerifiesCrawler = (crawlerName: string, address: string | null) => boolean;

export const VERIFIES_NONE: VerifiesCrawler = () => false;

/** All lists together. The published ones have some thousand. */
export const CRAWLER_NETWORKS_MAX = 50_000;

const FORM = 'it must have the form {"prefixes":[{"ipv4Prefix":"192.0.2.0/24"}]}, with ipv4Prefix or ipv6Prefix in each';

/** The networks of a list in the form in which Google, OpenAI and others publish theirs. Throws if it has another. */
export function networksIn(list: string): readonly IpNetwork[] {
  const { prefixes } = objectIn(list);
  if (!Array.isArray(prefixes) || prefixes.length === 0) throw new Error(FORM);
  return prefixes.flatMap((prefix: unknown) => {
    const { ipv4Prefix = null, ipv6Prefix = null } = isObject(prefix) ? prefix : {};
    const texts = [ipv4Prefix, ipv6Prefix].filter((text) => text !== null);
    if (texts.length === 0) throw new Error(FORM);
    return texts.map(networkOf);
  });
}

/** No company has more addresses together. A list with all of them would verify everybody. */
const PREFIX_BITS_MIN = { ipv4: 8, ipv6: 16 };

function networkOf(text: unknown): IpNetwork {
  if (typeof text !== "string") throw new Error(FORM);
  const network = parseNetwork(text);
  const shown = JSON.stringify(text.slice(0, 50));
  if (network === null) throw new Error(`${shown} is no network`);
  const bitsMin = network.words.length === 1 ? PREFIX_BITS_MIN.ipv4 : PREFIX_BITS_MIN.ipv6;
  if (network.prefixBits < bitsMin) throw new Error(`${shown} is wider than /${bitsMin}`);
  return network;
}

function objectIn(text: string): { readonly prefixes?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The crawlers whose addresses a list has: those of the operator or the one of this name, in any case. Empty for other names. */
export function crawlersNamed(name: string): readonly string[] {
  const isNamed = (text: string): boolean => text.toLowerCase() === name.toLowerCase();
  return AI_CRAWLERS.filter((crawler) => isNamed(crawler.name) || isNamed(crawler.operator)).map((crawler) => crawler.name);
}

/** `lists`: networks by the name of a crawler or an operator. */
export function crawlerVerifier(lists: ReadonlyMap<string, readonly IpNetwork[]>): VerifiesCrawler {
  const matchersOf = new Map<string, ReturnType<typeof networkMatcher>[]>();
  for (const [name, networks] of lists) {
    const matcher = networkMatcher(networks);
    for (const crawler of crawlersNamed(name)) matchersOf.set(crawler, [...(matchersOf.get(crawler) ?? []), matcher]);
  }
  return (crawlerName, address) => {
    const matchers = matchersOf.get(crawlerName);
    if (address === null || matchers === undefined) return false;
    const plain = plainAddress(address);
    return matchers.some((matches) => matches(plain));
  };
}

/** Sockets that listen on IPv6 see IPv4 peers as `::ffff:192.0.2.1`, which is written in other ways too (RFC 4291, 2.5.5.2). */
const MAPPED = /^[0:]+:ffff:/i;

function plainAddress(address: string): string {
  const network = MAPPED.test(address) ? parseNetwork(address) : null;
  return network === null ? address : networkText(network);
}
