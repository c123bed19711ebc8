/**
 * Whether a request comes from the company whose crawler it claims to be: companies publish the networks of their crawlers (docs/bots.md,
 * "Verify crawlers").
 */
import { type IpNetwork, networkMatcher, parseNetwork } from "../sites/ip-network.ts";
import { isObject } from "../base/body.ts";
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
  return prefixes.map((prefix: unknown) => {
    const { ipv4Prefix = null, ipv6Prefix = null } = isObject(prefix) ? prefix : {};
    const text = ipv4Prefix ?? ipv6Prefix;
    if (typeof text !== "string") throw new Error(FORM);
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${JSON.stringify(text.slice(0, 50))} is no network`);
    return network;
  });
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
  const networksOf = new Map<string, IpNetwork[]>();
  for (const [name, networks] of lists) {
    for (const crawler of crawlersNamed(name)) networksOf.set(crawler, [...(networksOf.get(crawler) ?? []), ...networks]);
  }
  const matchers = new Map([...networksOf].map(([crawler, networks]) => [crawler, networkMatcher(networks)]));
  return (crawlerName, address) => address !== null && (matchers.get(crawlerName)?.(plainAddress(address)) ?? false);
}

/** A socket that listens on IPv6 sees IPv4 peers as `::ffff:192.0.2.1` (RFC 4291, 2.5.5.2). */
const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");
