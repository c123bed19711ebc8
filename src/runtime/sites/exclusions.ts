/** Events that a site's settings keep from being stored: by path, address and country (docs/sites.md, "Exclude yourself"). */
import { WildcardPattern } from "../../shared/text.ts";
import { networkMatcher, parseNetwork } from "./ip-network.ts";
import type { SiteSettings } from "./site-settings.ts";

/** Prepared once, when the settings change. Null for a list that is empty, so that nothing is computed for it. */
export interface Exclusions {
  /** Takes paths as they are stored: percent-encoded, without trailing slashes. */
  readonly hasPath: ((pathname: string) => boolean) | null;
  /** Takes client addresses in canonical form. */
  readonly hasAddress: ((address: string) => boolean) | null;
  /** Takes ISO 3166-1 codes. */
  readonly hasCountry: ((countryCode: string) => boolean) | null;
}

/** Patterns are written as people read paths; stored paths are encoded by the rules of URLs. */
const encoded = (pattern: string): string => new URL(`http://localhost${pattern}`).pathname;

function pathMatcher(patterns: readonly string[]): (pathname: string) => boolean {
  const prepared = patterns.map((pattern) => new WildcardPattern(encoded(pattern)));
  return (pathname) => prepared.some((pattern) => pattern.matches(pathname));
}

function addressMatcher(addresses: readonly string[]): (address: string) => boolean {
  return networkMatcher(addresses.map(parseNetwork).filter((network) => network !== null));
}

function countryMatcher(codes: readonly string[]): (countryCode: string) => boolean {
  const excluded = new Set(codes);
  return (countryCode) => excluded.has(countryCode);
}

/** null if the settings exclude nothing. */
export function exclusionsOf({ excludedPaths, excludedAddresses, excludedCountries }: SiteSettings): Exclusions | null {
  if (excludedPaths.length + excludedAddresses.length + excludedCountries.length === 0) return null;
  return {
    hasPath: excludedPaths.length > 0 ? pathMatcher(excludedPaths) : null,
    hasAddress: excludedAddresses.length > 0 ? addressMatcher(excludedAddresses) : null,
    hasCountry: excludedCountries.length > 0 ? countryMatcher(excludedCountries) : null,
  };
}
