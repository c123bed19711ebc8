/** The location of a visitor: from a record of a geo database, or from headers of a trusted proxy. */
import { cutToChars, wellFormed } from "../../shared/text.ts";
import { DAY_MS, type EpochMs, utcDateOf } from "../../storage/event.ts";
import type { GeoHeaders } from "../base/config/option-kinds.ts";
import type { Log } from "../base/metrics/log.ts";

/** `null` means "not known". */
export interface GeoPlace {
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string | null;
  /** English name of the largest subdivision. */
  readonly region: string | null;
  /** English name. */
  readonly city: string | null;
}

/** The location of a client address; `NOWHERE` for an address that is not public. Never throws. */
export type GeoLookup = (clientAddress: string) => GeoPlace;

export const NOWHERE: GeoPlace = { countryCode: null, region: null, city: null };

/** The longest place name has fewer than 200 characters. */
const PLACE_CHARS_MAX = 256;

const COUNTRY_CODE = /^[A-Za-z]{2}$/;

/**
 * The location in a database record, which has one of two layouts: MaxMind's (`country.iso_code`, `subdivisions[0].names.en`,
 * `city.names.en`) or a flat one (`country_code`, `state1`, `city`). A field that is missing or has another type is not known.
 */
export function geoPlaceFromRecord(record: unknown): GeoPlace {
  const country = fieldOf(fieldOf(record, "country"), "iso_code") ?? fieldOf(record, "country_code");
  const region = englishName(fieldOf(fieldOf(record, "subdivisions"), "0")) ?? fieldOf(record, "state1");
  const city = englishName(fieldOf(record, "city")) ?? fieldOf(record, "city");
  return { countryCode: countryCodeFrom(country), region: placeNameFrom(region), city: placeNameFrom(city) };
}

const englishName = (place: unknown): unknown => fieldOf(fieldOf(place, "names"), "en");

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

const countryCodeFrom = (value: unknown): string | null =>
  typeof value === "string" && COUNTRY_CODE.test(value) ? value.toUpperCase() : null;

function placeNameFrom(value: unknown): string | null {
  const name = typeof value === "string" ? wellFormed(value).trim() : "";
  return name === "" ? null : cutToChars(name, PLACE_CHARS_MAX);
}

/** Loopback, private, link-local and carrier-grade NAT networks (RFC 6890), which have no location. */
const PRIVATE_IPV4 = /^(?:(?:0|10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
const PRIVATE_IPV6 = /^(?:::1?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;

/** True if an address belongs to one of these networks. IPv6 addresses must be in their shortest form. */
export const isPrivateAddress = (address: string): boolean => PRIVATE_IPV4.test(address) || PRIVATE_IPV6.test(address);

/** Half a year: releases bring a new database far more often. */
const AGE_DAYS_MAX = 180;

interface Start {
  /** null without a database. */
  readonly geoBuiltMs: EpochMs | null;
  readonly now: () => EpochMs;
  readonly log: Pick<Log, "warn">;
}

/** Warns at the start of a geo database that is too old: networks change hands, so more and more visitors get a wrong country. */
export function warnOfOldGeoDatabase({ geoBuiltMs, now, log }: Start): void {
  if (geoBuiltMs === null) return;
  const days = Math.floor((now() - geoBuiltMs) / DAY_MS);
  if (days <= AGE_DAYS_MAX) return;
  const remedy = 'upgrade, or set geoip_db to a newer one (docs/operations.md, "Geography")';
  log.warn(`the geo database is ${days} days old, so some visitors get a wrong country: ${remedy}`, { built: utcDateOf(geoBuiltMs) });
}

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
 * The location in the headers of the option `geo_headers`. null without a country code: the database is asked. With one, only the headers
 * count: a region or city of the database may be in another country.
 */
export function geoPlaceFromHeaders({ country, region, city }: GeoHeaders, headers: Headers): GeoPlace | null {
  const valueOf = (name: string | null): string | null => {
    const value = name === null ? null : headers.get(name);
    return value === null || value.length > HEADER_CHARS_MAX ? null : nameOf(value);
  };
  const place = geoPlaceFromRecord({ country_code: valueOf(country)?.trim(), state1: valueOf(region), city: valueOf(city) });
  return place.countryCode === null || UNKNOWN_COUNTRIES.includes(place.countryCode) ? null : place;
}
