/** What is known of the place an address belongs to, and how a database's record becomes it. */
import { cutToChars, wellFormed } from "./code-points.ts";

/** `null` stands for "not known". */
export interface GeoPlace {
  /** ISO 3166-1, two capitals. */
  readonly countryCode: string | null;
  /** The largest subdivision's English name. */
  readonly region: string | null;
  /** English name. */
  readonly city: string | null;
}

/** The place of a client address. Anything that is no public address is nowhere. Never throws. */
export type GeoLookup = (clientAddress: string) => GeoPlace;

export const NOWHERE: GeoPlace = { countryCode: null, region: null, city: null };

/** The longest place name on Earth has under 200 characters. */
const PLACE_CHARS_MAX = 256;

const COUNTRY_CODE = /^[A-Za-z]{2}$/;

/**
 * The place of a database record in one of two layouts: MaxMind's (`country.iso_code`, `subdivisions[0].names.en`,
 * `city.names.en`) or the flat one (`country_code`, `state1`, `city`). Whatever is missing or of another type is not known.
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

function countryCodeFrom(value: unknown): string | null {
  return typeof value === "string" && COUNTRY_CODE.test(value) ? value.toUpperCase() : null;
}

function placeNameFrom(value: unknown): string | null {
  const name = typeof value === "string" ? wellFormed(value).trim() : "";
  return name === "" ? null : cutToChars(name, PLACE_CHARS_MAX);
}

/** Loopback, private, link-local and carrier-shared networks: whatever anybody says of their place is not about the visitor. */
const PLACELESS_IPV4 = /^(?:(?:0|10|127)\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;
const PLACELESS_IPV6 = /^(?:::1?$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;

/** Whether an address, IPv4 in dots or IPv6 in its shortest form, is of a network that is nowhere on a map. */
export const isPlaceless = (address: string): boolean => PLACELESS_IPV4.test(address) || PLACELESS_IPV6.test(address);
