/** The location of a visitor in headers of a trusted proxy (the option `geo_headers`). */
import type { GeoHeaders } from "../base/config/option-kinds.ts";
import { geoPlaceFromRecord, type GeoPlace } from "./geo.ts";

/** Longer values are not names. Each character of a name may be nine of the header: three bytes, percent-encoded. */
const HEADER_CHARS_MAX = 1024;

/** Codes for "unknown": Cloudflare sends `XX`, which ISO 3166-1 leaves to users. Its `T1`, for Tor, does not have two letters. */
const UNKNOWN_COUNTRIES: readonly string[] = ["XX", "ZZ"];

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Applies `decode` to a text; returns the text itself if that fails. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}

/** Headers are read as Latin-1. Proxies send other names as UTF-8, or percent-encode them. */
const nameOf = (value: string): string =>
  /[\u0080-\u00ff]/.test(value)
    ? decoded(value, (text) => decoder.decode(Uint8Array.from(text, (char) => char.charCodeAt(0))))
    : decoded(value, decodeURIComponent);

/**
 * null without a country code: the database is asked. With one, only the headers count: a region or city of the database may be in another
 * country.
 */
export function geoPlaceFromHeaders({ country, region, city }: GeoHeaders, headers: Headers): GeoPlace | null {
  const valueOf = (name: string | null): string | null => {
    const value = name === null ? null : headers.get(name);
    return value === null || value.length > HEADER_CHARS_MAX ? null : nameOf(value);
  };
  const place = geoPlaceFromRecord({ country_code: valueOf(country)?.trim(), state1: valueOf(region), city: valueOf(city) });
  return place.countryCode === null || UNKNOWN_COUNTRIES.includes(place.countryCode) ? null : place;
}
