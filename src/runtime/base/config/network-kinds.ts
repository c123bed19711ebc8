/** The kinds of option values that describe where the service is reached: hosts, origins, paths, sites and proxies. */

import type { SiteId } from "../../../storage/event.ts";
import { SITE_ID_CHARS_MAX, URL_HOST_CHARS_MAX } from "./limits.ts";
import type { OptionKind } from "./option.ts";
import { booleanFromText, inRange, integerFromText, refused, STRING_LENGTH_MAX } from "./option-kinds.ts";
import { isSiteId } from "./site-id.ts";

const URL_PATH_CHARS_MAX = 256;

/** A path of this service, matched as it is written. */
export const urlPath: OptionKind<string> = {
  expected: `a path of at most ${URL_PATH_CHARS_MAX} characters that starts with / and has segments of letters, digits and . _ ~ -`,
  secret: false,
  valueFromText: (text) => text,
  check: (value) => {
    const isShaped = typeof value === "string" && value.length <= URL_PATH_CHARS_MAX && /^(\/[\w.~-]+)+$/.test(value);
    // Clients resolve `.` and `..` before they send a path.
    return isShaped && !value.split("/").some((part) => part === "." || part === "..") ? { value } : refused(value);
  },
};

/** Where the service is within its host: empty for the root, else like `/stats`. One trailing slash is accepted. */
export const basePath: OptionKind<string> = {
  expected: `/ or ${urlPath.expected}`,
  secret: false,
  valueFromText: (text) => text.trim(),
  check: (value) => {
    if (typeof value !== "string") return refused(value);
    const path = value.replace(/\/$/, "");
    return path === "" || "value" in urlPath.check(path) ? { value: path } : refused(value);
  },
};

/** A host name or an address without a port. An IPv6 address loses its brackets, as servers expect. */
export const host: OptionKind<string> = {
  expected: "a host name or IP address, without scheme and port",
  secret: false,
  valueFromText: (text) => text.trim(),
  check: (value) => {
    if (typeof value !== "string" || value.length > STRING_LENGTH_MAX) return refused(value);
    const bare = /^\[.*\]$/.test(value) ? value.slice(1, -1) : value;
    const isIpv6 = /^[0-9a-f:.]+(%[\w.-]+)?$/i.test(bare) && bare.split(":").length > 2;
    const isNameOrIpv4 = bare === value && /^[\w.-]+$/.test(bare);
    return isIpv6 || isNameOrIpv4 ? { value: bare } : refused(value);
  },
};

/** A web origin as browsers send it: in lower case, without the scheme's default port. One trailing slash is accepted. */
export const origin: OptionKind<string> = {
  expected: "http://host or https://host, with :port where needed and no path",
  secret: false,
  valueFromText: (text) => text.trim(),
  check: (value) => {
    const normalised = typeof value === "string" ? originFrom(value) : null;
    return normalised === null ? refused(value) : { value: normalised };
  },
};

function originFrom(text: string): string | null {
  const hostAndPort = /^https?:\/\/([^\s/\\?#@]+)\/?$/i.exec(text)?.[1];
  if (hostAndPort === undefined || hostAndPort.length > URL_HOST_CHARS_MAX) return null;
  try {
    return new URL(text).origin;
  } catch {
    return null;
  }
}

/**
 * An entry of the ingest allowlist: a site id, which every host name in ASCII form is too. It keeps its case, because site
 * ids differ by case; a comparison with a host has to ignore it.
 */
export const siteIdOrHost: OptionKind<SiteId> = {
  expected: `a site id or host name of at most ${SITE_ID_CHARS_MAX} ASCII letters, digits and . - _ : characters`,
  secret: false,
  valueFromText: (text) => text,
  check: (value) => (typeof value === "string" && isSiteId(value) ? { value } : refused(value)),
};

/** The names of the headers in which a proxy sends the location of a visitor, in lower case. */
export interface GeoHeaders {
  readonly country: string;
  readonly region: string | null;
  readonly city: string | null;
}

/** Written as `country=CF-IPCountry, region=CF-Region, city=CF-IPCity`. */
export const geoHeaders: OptionKind<GeoHeaders> = {
  expected: "a list of country=<header> and, where wanted, region=<header> and city=<header>",
  secret: false,
  valueFromText: (text) => text.split(",").map((part) => part.trim()),
  check: (value) => {
    if (!Array.isArray(value) || value.length > 3) return refused(value);
    const headers = new Map<string, string>();
    for (const entry of value) {
      const [, field = "", name = ""] = (typeof entry === "string" && /^(country|region|city) *= *([\w-]{1,64})$/i.exec(entry)) || [];
      if (name === "" || headers.has(field.toLowerCase())) return refused(entry);
      headers.set(field.toLowerCase(), name.toLowerCase());
    }
    const country = headers.get("country");
    if (country === undefined) return { got: "no country" };
    return { value: { country, region: headers.get("region") ?? null, city: headers.get("city") ?? null } };
  },
};

/** How many reverse proxies are in front of the service; a boolean stands for one or none. */
export function proxyCount(sizes: { max: number }): OptionKind<number> {
  return {
    expected: `an integer from 0 to ${sizes.max} or a boolean (true for 1, false for 0)`,
    secret: false,
    valueFromText: (text) => {
      const count = integerFromText(text);
      return typeof count === "number" ? count : booleanFromText(text);
    },
    check: (value) => {
      if (typeof value === "boolean") return { value: value ? 1 : 0 };
      return Number.isSafeInteger(value) ? inRange(value as number, { min: 0, max: sizes.max }) : refused(value);
    },
  };
}
