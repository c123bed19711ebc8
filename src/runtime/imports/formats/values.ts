/** Values of other products in our terms. What cannot be read gives the reason, never a guess. */
import { DAY_MS, type EpochMs, isLocalDate, type LocalDate, utcDateOf } from "../../../storage/event.ts";
import { IMPORT_COUNT_MAX, IMPORT_FIRST_DATE } from "../../base/config/limits.ts";
import { browserNameFrom, osNameFrom, osVersionFrom, versionFrom } from "../../ingest/device.ts";
import type { BadRowReason, Revenue } from "../rows.ts";

const FIRST_MS = Date.parse(`${IMPORT_FIRST_DATE}T00:00:00Z`);

/** True for a time from 1995 to tomorrow: everything else is a clock that was wrong, or another unit. */
const isInRange = (ms: EpochMs, nowMs: EpochMs): boolean => ms >= FIRST_MS && ms <= nowMs + DAY_MS;

/** `2026-05-01 12:34:56.789+02:00`, with "T", fraction, seconds and offset optional; an offset is "Z", "UTC" or hours with or without minutes. */
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:Z|UTC|([+-])(\d{2}):?(\d{2})?)?$/i;

/** A time without an offset is in UTC. Never rounded up: a fraction finer than milliseconds is cut. */
export function parseTimestamp(text: string, nowMs: EpochMs): EpochMs | BadRowReason {
  const [, date = "", hour, minute, second = "0", fraction = "", sign, offsetHours, offsetMinutes = "0"] = TIMESTAMP.exec(text) ?? [];
  if (!isLocalDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return "bad_date";
  const offsetMs = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  const timeMs = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3));
  return checkedMs(Date.parse(`${date}T00:00:00Z`) + timeMs - offsetMs, nowMs);
}

export const checkedMs = (ms: EpochMs, nowMs: EpochMs): EpochMs | "date_out_of_range" => (isInRange(ms, nowMs) ? ms : "date_out_of_range");

/** A date as `YYYY-MM-DD` or `YYYYMMDD`, to which a time at midnight may be added. */
const DATE = /^(\d{4})-?(\d{2})-?(\d{2})(?:[ T]00:00(?::00(?:\.0+)?)?Z?)?$/;

/** Why the text is no date of an import; null if it is one, which `dateOf` returns. */
export function dateFault(text: string, nowMs: EpochMs): BadRowReason | null {
  const date = dateOf(text);
  if (!isLocalDate(date)) return "bad_date";
  // Tomorrow has begun in some zones.
  return date >= IMPORT_FIRST_DATE && date <= utcDateOf(nowMs + DAY_MS) ? null : "date_out_of_range";
}

export const dateOf = (text: string): LocalDate => text.replace(DATE, "$1-$2-$3") as LocalDate;

const COUNT = /^\+?\d{1,30}(?:\.0+)?$/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** A whole number from 0 to 10 billion. */
export function parseCount(text: string): number | BadRowReason {
  if (!COUNT.test(text)) return NUMBER.test(text) && text.startsWith("-") ? "number_out_of_range" : "bad_number";
  const count = Number(text);
  return count <= IMPORT_COUNT_MAX ? count : "number_out_of_range";
}

/** Words for "nothing" of databases and dashboards. */
const NOTHING: ReadonlySet<string> = new Set(["", "\\N", "NULL", "null", "(not set)", "(none)", "undefined"]);

export const orNull = (text: string): string | null => (NOTHING.has(text) ? null : text);

/** Not ISO 3166-1, but in use. */
const COUNTRY_ALIASES: Readonly<Record<string, string>> = { UK: "GB", EL: "GR" };

/** Codes for "unknown", Tor, satellites and continents in databases of locations. */
const NO_COUNTRY: ReadonlySet<string> = new Set(["XX", "ZZ", "T1", "A1", "A2", "AP", "EU"]);

export function countryFrom(text: string): string | null {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) && !NO_COUNTRY.has(code) ? (COUNTRY_ALIASES[code] ?? code) : null;
}

/** The spellings of all products: they say little more than ours. */
const DEVICE_TYPES: Readonly<Record<string, string>> = {
  desktop: "desktop",
  laptop: "desktop",
  mobile: "mobile",
  smartphone: "mobile",
  phablet: "mobile",
  phone: "mobile",
  "feature phone": "mobile",
  tablet: "tablet",
  tv: "tv",
  smarttv: "tv",
  "smart tv": "tv",
  console: "console",
  wearable: "wearable",
  embedded: "embedded",
  "car browser": "embedded",
  "smart display": "embedded",
};

export const deviceTypeFrom = (text: string): string | null => DEVICE_TYPES[text.trim().toLowerCase()] ?? null;

/** Names that neither our parser nor client hints have. */
const BROWSER_ALIASES: Readonly<Record<string, string>> = { "Samsung Browser": "Samsung Internet", "Chrome Webview": "Android WebView" };
const OS_ALIASES: Readonly<Record<string, string>> = { Mac: "macOS", "GNU/Linux": "Linux" };

/** "Chrome Mobile", "Mobile Chrome", "Chrome Mobile iOS"; but not "Mobile App". */
const MOBILE = /^Mobile (?!App)| Mobile(?: iOS)?$/;

/** Names as ours, so that old and new rows of breakdowns are one. */
export function browserFrom(name: string, version: string): { readonly browser: string | null; readonly browserVersion: string | null } {
  const browser = orNull(name.trim());
  if (browser === null) return NO_BROWSER;
  return { browser: browserNameFrom(BROWSER_ALIASES[browser] ?? browser.replace(MOBILE, "")), browserVersion: versionFrom(version) };
}

const NO_BROWSER = { browser: null, browserVersion: null };

export function osFrom(name: string, version: string): { readonly os: string | null; readonly osVersion: string | null } {
  const system = orNull(name.trim());
  const os = system === null ? null : osNameFrom(OS_ALIASES[system] ?? system);
  return { os, osVersion: os === null ? null : osVersionFrom(version, os) };
}

/** The width of `1280`, `1280x800` or `1280,800,1`. */
export function screenWidthFrom(text: string): number | null {
  const width = Number(/^\d{1,5}(?=$|[x×,.])/i.exec(text.trim())?.[0] ?? 0);
  return width > 0 ? width : null;
}

const SCHEME = /^[a-z][a-z\d+.-]*:/i;

/** A URL of a referrer that is stored without scheme. */
export function referrerFrom(text: string): string | null {
  const referrer = orNull(text.trim());
  return referrer === null || (SCHEME.test(referrer) && referrer.includes("//")) ? referrer : `https://${referrer.replace(/^\/+/, "")}`;
}

/** A path that begins with a slash, for whatever the source calls one. */
export const pathFrom = (text: string): string => (text.startsWith("/") ? text : `/${text}`);

const AMOUNT = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** null for zero, too: products write it where there is no revenue. */
export function revenueFrom(amount: string, currency: string): Revenue | null {
  const code = currency.replaceAll("\0", "").trim();
  if (!AMOUNT.test(amount.trim()) || Number(amount) === 0) return null;
  return { amount: amount.trim(), currency: /^[A-Za-z]{3}$/.test(code) ? code.toUpperCase() : null };
}

const HTTP_URL = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]*)(?::\d*)?([^]*)$/i;

/** Host and path of a page's URL, with query and fragment; null for a text that is neither a URL nor a path. */
export function urlParts(url: string): { readonly hostname: string | null; readonly path: string } | null {
  if (url.startsWith("/")) return { hostname: null, path: url };
  const [, hostname, rest = ""] = HTTP_URL.exec(url) ?? [];
  return hostname === undefined ? null : { hostname: orNull(hostname), path: pathFrom(rest) };
}
