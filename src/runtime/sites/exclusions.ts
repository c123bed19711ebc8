/** Events that a site's settings keep from being stored: by path, address and country (docs/sites.md, "Exclude yourself"). */
import { mergeSlashes, normalizePath } from "../../shared/paths.ts";
import { WildcardPattern } from "../../shared/text.ts";
import { networkMatcher, parseNetwork } from "./ip-network.ts";
import type { SiteSettings } from "./site-settings.ts";

/** Prepared once, when the settings change. Null for a list that is empty, so that nothing is computed for it. */
export interface Exclusions {
  /** Takes paths as they are stored, without parameters. */
  readonly hasPath: ((pathname: string) => boolean) | null;
  /** Takes client addresses in canonical form. */
  readonly hasAddress: ((address: string) => boolean) | null;
  /** Takes ISO 3166-1 codes. */
  readonly hasCountry: ((countryCode: string) => boolean) | null;
}

/** null if the settings exclude nothing. */
export function exclusionsOf(settings: SiteSettings): Exclusions | null {
  const { excludedPaths, excludedAddresses, excludedCountries } = settings;
  if (excludedPaths.length + excludedAddresses.length + excludedCountries.length === 0) return null;
  const paths = excludedPaths.map((pattern) => new WildcardPattern(normalizePath(settings.mergeSlashes ? mergeSlashes(pattern) : pattern)));
  const networks = excludedAddresses.map(parseNetwork).filter((network) => network !== null);
  return {
    hasPath: paths.length > 0 ? (pathname) => paths.some((pattern) => pattern.matches(pathname)) : null,
    hasAddress: networks.length > 0 ? networkMatcher(networks) : null,
    hasCountry: excludedCountries.length > 0 ? (countryCode) => excludedCountries.includes(countryCode) : null,
  };
}
