/** Settings as JSON, in requests, responses and records: how they are written, and the rule of each field (docs/http-api.md, "Site settings"). */
import { RETENTION_DAYS_MAX, SITE_NAME_CHARS_MAX } from "../../shared/limits.ts";
import { CARDS, WEEK_STARTS } from "../../shared/site-choices.ts";
import { cutToChars, exceedsChars, wellFormed } from "../../shared/text.ts";
import type { JsonObject } from "../../storage/json-record.ts";
import { TimeZone } from "../../storage/time-zone.ts";
import { SITE_LIST_ENTRIES_MAX, SITE_LIST_ENTRY_CHARS_MAX, VALUE_QUOTED_CHARS_MAX } from "../base/config/admin-limits.ts";
import { fieldOf, malformedBody, optionalText } from "../base/config/json-fields.ts";
import { invalidInput } from "../base/errors.ts";
import { networkText, parseNetwork } from "./ip-network.ts";
import { DEFAULT_SETTINGS, type SiteSettings } from "./site-settings.ts";

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value);
  return exceedsChars(text, VALUE_QUOTED_CHARS_MAX) ? `${cutToChars(text, VALUE_QUOTED_CHARS_MAX)}…` : text;
};

const refused = (field: string, rule: string, value: unknown): never => {
  throw invalidInput(`Field "${field}" must be ${rule}, got ${quoted(value)}`);
};

function parseName(body: JsonObject): string | null {
  const name = optionalText(body, "name");
  if (name !== null && (name.trim() === "" || exceedsChars(name, SITE_NAME_CHARS_MAX)))
    refused("name", `1 to ${SITE_NAME_CHARS_MAX} characters and not only spaces`, name);
  return name;
}

function parseTimeZone(body: JsonObject): string | null {
  const name = optionalText(body, "time_zone");
  if (name !== null && TimeZone.named(name) === null)
    refused("time_zone", 'the IANA name of a time zone that the server knows, such as "Europe/Berlin"', name);
  return name;
}

function parseWeekStart(body: JsonObject): SiteSettings["weekStart"] {
  const text = optionalText(body, "week_start") ?? DEFAULT_SETTINGS.weekStart;
  return WEEK_STARTS.find((day) => day === text) ?? refused("week_start", `one of ${WEEK_STARTS.join(", ")}`, text);
}

function parseIsPublic(body: JsonObject): boolean {
  const value = fieldOf(body, "public") ?? DEFAULT_SETTINGS.isPublic;
  if (typeof value !== "boolean") throw malformedBody('Field "public" must be true or false');
  return value;
}

function parseRetentionDays(body: JsonObject): number | null {
  const value = fieldOf(body, "retention_days");
  if (value !== null && typeof value !== "number") throw malformedBody('Field "retention_days" must be a number or null');
  const isAllowed = value === null || (Number.isInteger(value) && value >= 0 && value <= RETENTION_DAYS_MAX);
  return isAllowed ? value : refused("retention_days", `an integer from 0 to ${RETENTION_DAYS_MAX}, or null`, value);
}

/** Each entry in its canonical form, once. `parse` gives null for an entry that breaks the rule. */
function parseList(body: JsonObject, field: string, rule: string, parse: (entry: string) => string | null): string[] {
  const values = fieldOf(body, field) ?? [];
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string"))
    throw malformedBody(`Field "${field}" must be an array of strings`);
  if (values.length > SITE_LIST_ENTRIES_MAX)
    throw invalidInput(`Field "${field}" must have at most ${SITE_LIST_ENTRIES_MAX} entries, got ${values.length}`);
  const entries = values.map((value: string) => {
    const text = wellFormed(value).trim();
    return (exceedsChars(text, SITE_LIST_ENTRY_CHARS_MAX) ? null : parse(text)) ?? refused(field, `a list of ${rule}`, value);
  });
  return [...new Set(entries)];
}

/** Drops trailing slashes, as stored paths have none. `?` and `#` end a path, so a pattern with one would match nothing. */
function parsePath(text: string): string | null {
  if (!/^\/[^?#\\\p{Cc}]*$/u.test(text)) return null;
  let end = text.length;
  while (end > 1 && text.endsWith("/", end)) end--;
  return text.slice(0, end);
}

function parseAddress(text: string): string | null {
  const network = parseNetwork(text);
  return network && networkText(network);
}

const PATH_RULE = `paths of at most ${SITE_LIST_ENTRY_CHARS_MAX} characters that start with / and may have the wildcard *, without ? and #`;

/** 422 for a field of the wrong type, 400 for one that breaks its rule. A missing field has its default; others are ignored. */
export const parseSettings = (body: JsonObject): SiteSettings => ({
  name: parseName(body),
  timeZone: parseTimeZone(body),
  weekStart: parseWeekStart(body),
  isPublic: parseIsPublic(body),
  excludedPaths: parseList(body, "excluded_paths", PATH_RULE, parsePath),
  excludedAddresses: parseList(
    body,
    "excluded_addresses",
    "IPv4 and IPv6 addresses, and networks such as 192.0.2.0/24 and 2001:db8::/32",
    parseAddress,
  ),
  excludedCountries: parseList(body, "excluded_countries", "ISO 3166-1 codes of two letters", (text) =>
    /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : null,
  ),
  hiddenCards: parseList(body, "hidden_cards", `cards: ${CARDS.join(", ")}`, (text) => CARDS.find((card) => card === text) ?? null),
  retentionDays: parseRetentionDays(body),
});

/** The input of `parseSettings`. */
export const settingsJson = (settings: SiteSettings) => ({
  name: settings.name,
  time_zone: settings.timeZone,
  week_start: settings.weekStart,
  public: settings.isPublic,
  excluded_paths: settings.excludedPaths,
  excluded_addresses: settings.excludedAddresses,
  excluded_countries: settings.excludedCountries,
  hidden_cards: settings.hiddenCards,
  retention_days: settings.retentionDays,
});
