/** Events that a site's settings keep from being stored: by page, address, country, network and referrer (docs/sites.md, "Exclude yourself"). */
import { mergeSlashes, normalizePath } from "../../shared/paths.ts";
import { WildcardPattern } from "../../shared/text.ts";
import { HostList } from "../arrivals/host-list.ts";
import { parseAsn } from "./as-number.ts";
import { networkMatcher, parseNetwork } from "../base/ip-network.ts";
import type { SiteSettings } from "./site-settings.ts";

/** Prepared once, when the settings change. Null for a list that is empty, so that nothing is computed for it. */
export interface Exclusions {
  /** Takes paths as they are stored, without parameters, and hosts as they are stored; null for a page without a host. */
  readonly hasPage: ((pathname: string, hostname: string | null) => boolean) | null;
  /** Takes client addresses in canonical form. */
  readonly hasAddress: ((address: string) => boolean) | null;
  /** Takes ISO 3166-1 codes. */
  readonly hasCountry: ((countryCode: string) => boolean) | null;
  /** Takes AS numbers. */
  readonly hasNetwork: ((asn: number) => boolean) | null;
  /** Takes hosts in lower case. */
  readonly hasReferrer: ((host: string) => boolean) | null;
}

/** null if the settings exclude nothing. */
export function exclusionsOf(settings: SiteSettings): Exclusions | null {
  const { excludedAddresses, excludedCountries, excludedNetworks, excludedReferrers } = settings;
  const networks = excludedAddresses.map(parseNetwork).filter((network) => network !== null);
  const asns = new Set(excludedNetworks.map(parseAsn));
  const referrers = new HostList(excludedReferrers);
  const exclusions: Exclusions = {
    hasPage: pageMatcher(settings),
    hasAddress: networks.length > 0 ? networkMatcher(networks) : null,
    hasCountry: excludedCountries.length > 0 ? (countryCode) => excludedCountries.includes(countryCode) : null,
    hasNetwork: excludedNetworks.length > 0 ? (asn) => asns.has(asn) : null,
    hasReferrer: excludedReferrers.length > 0 ? (host) => referrers.has(host) : null,
  };
  return Object.values(exclusions).some((part) => part !== null) ? exclusions : null;
}

/** A page without a host, as servers may send it, is of no other host: only its path can exclude it. */
function pageMatcher({ excludedPaths, excludedHosts, allowedHosts, mergeSlashes: isMerging }: SiteSettings): Exclusions["hasPage"] {
  if (excludedPaths.length + excludedHosts.length + allowedHosts.length === 0) return null;
  const paths = excludedPaths.map((pattern) => new WildcardPattern(normalizePath(isMerging ? mergeSlashes(pattern) : pattern)));
  const [excluded, allowed] = [new HostList(excludedHosts), new HostList(allowedHosts)];
  return (pathname, hostname) =>
    paths.some((pattern) => pattern.matches(pathname)) ||
    (hostname !== null && (excluded.has(hostname) || (allowedHosts.length > 0 && !allowed.has(hostname))));
}
