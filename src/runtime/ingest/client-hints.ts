/** Reads the client hints `Sec-CH-UA`, `Sec-CH-UA-Platform` and `Sec-CH-UA-Mobile` (User-Agent Client Hints, WICG). */
import { browserNameFrom, osNameFrom, versionFrom } from "./platform-names.ts";

/** The values of the three headers. */
export interface ClientHintHeaders {
  readonly brands: string | null;
  readonly platform: string | null;
  readonly mobile: string | null;
}

/** `null` means that the hint was not sent or says nothing. */
export interface ClientHints {
  readonly browser: string | null;
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly mobile: boolean | null;
}

export const NO_CLIENT_HINTS: ClientHints = { browser: null, browserVersion: null, os: null, mobile: null };

/** Brands of an engine or a web view, which many browsers and apps are built on. */
export const ENGINE_BRANDS: ReadonlySet<string> = new Set(["Android WebView", "Chromium"]);

interface Brand {
  readonly name: string;
  readonly version: string | null;
}

// Real headers have fewer than 150 characters; the limit bounds the cost of hostile ones.
const HEADER_CHARS_MAX = 512;

/** The next brand of the list, where the last one ends: a search from every quotation mark would take quadratic time. */
const BRAND = /(?:\s*,)?\s*"((?:[^"\\]|\\.)*)"\s*;\s*v="([^"\\]*)"/gy;

const DECOY_START = /^[^A-Za-z]*(?:not|yow)/i;

/** Characters of a structured field's string (RFC 8941), without quotes and backslashes. */
const NAME = /^[!#-[\]-~](?:[ !#-[\]-~]{0,62}[!#-[\]-~])?$/;

/** Never throws: a header that does not parse counts as not sent. */
export function parseClientHints({ brands, platform, mobile }: ClientHintHeaders): ClientHints {
  if (brands === null && platform === null && mobile === null) return NO_CLIENT_HINTS;
  const brand = brands === null ? null : mainBrand(brands);
  return {
    browser: brand?.name ?? null,
    browserVersion: brand?.version ?? null,
    os: platform === null ? null : parsePlatform(platform),
    mobile: mobile === null ? null : parseMobile(mobile),
  };
}

/** The most specific brand of the list. Browsers shuffle the list, so its order means nothing. */
function mainBrand(header: string): Brand | null {
  let main: Brand | null = null;
  for (const [, quoted = "", version = ""] of header.slice(0, HEADER_CHARS_MAX).matchAll(BRAND)) {
    const name = quoted.includes("\\") ? quoted.replace(/\\(.)/g, "$1") : quoted;
    if (!NAME.test(name) || isDecoy(name)) continue;
    const brand = { name: browserNameFrom(name), version: versionFrom(version) };
    if (main === null || specificityOf(brand) > specificityOf(main)) main = brand;
  }
  return main;
}

/** Chromium adds a brand like `Not.A/Brand`, with changing punctuation; Yandex adds `Yowser`. */
function isDecoy(name: string): boolean {
  if (!DECOY_START.test(name)) return false;
  const letters = name.replace(/[^A-Za-z]/g, "").toLowerCase();
  return letters === "notabrand" || letters === "notanybrand" || letters === "yowser";
}

/** A browser built on Chrome may list itself, Chrome and Chromium: the brand that the fewest browsers share is the most specific. */
function specificityOf(brand: Brand): number {
  if (ENGINE_BRANDS.has(brand.name)) return 0;
  return brand.name === "Chrome" ? 1 : 2;
}

function parsePlatform(header: string): string | null {
  const name = header.trim().replace(/^"(.*)"$/, "$1");
  return NAME.test(name) && name !== "Unknown" ? osNameFrom(name) : null;
}

function parseMobile(header: string): boolean | null {
  const value = header.trim();
  if (value === "?1") return true;
  return value === "?0" ? false : null;
}
