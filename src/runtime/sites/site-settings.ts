/** The settings of a site: the rule and default of each, and how they are written in requests, responses and records (docs/sites.md). */
import { RETENTION_DAYS_MAX, SITE_NAME_CHARS_MAX } from "../../shared/limits.ts";
import { CLICK_IDS } from "../../shared/click-ids.ts";
import { normalizeHost } from "../../shared/paths.ts";
import { CARDS, SOURCE_PARAMETERS, WEEK_STARTS, type SourceParameter } from "../../shared/site-choices.ts";
import { exceedsChars } from "../../shared/text.ts";
import type { JsonObject } from "../../storage/record-store.ts";
import { TimeZone } from "../../storage/time-zone.ts";
import { type ArrivalRules, hostOfSite } from "../arrivals/arrivals.ts";
import {
  Body,
  flagField,
  integerField,
  refusedField,
  textField,
  textsField,
  visibleField,
  withDefault,
  wordField,
  fieldOf,
  isObject,
  malformedBody,
  required,
  type ValuesOf,
} from "../base/body.ts";
import { PAGE_PARAMETERS_MAX, SITE_LIST_ENTRIES_MAX, SITE_LIST_ENTRY_CHARS_MAX } from "../base/config/admin-limits.ts";
import { siteIdSchema, parseSiteId } from "../base/config/names.ts";
import { invalidInput, AppError } from "../base/errors.ts";
import { boolean, closed, count, list, orNull, text, word } from "../base/json-schema.ts";
import { channelRulesField } from "./channel-rules.ts";
import { parseAlias } from "./aliases.ts";
import { parseAsn } from "./as-number.ts";
import { networkText, parseNetwork } from "../base/ip-network.ts";
import type { SiteId } from "../../storage/event.ts";

/** Drops trailing slashes, as stored paths have none. `?` and `#` end a path, so a pattern with one would match nothing. */
function parsePath(entry: string): string | null {
  if (!/^\/[^?#\\\p{Cc}]*$/u.test(entry)) return null;
  let end = entry.length;
  while (end > 1 && entry.endsWith("/", end)) end--;
  return entry.slice(0, end);
}

function parseAddress(entry: string): string | null {
  const network = parseNetwork(entry);
  return network && networkText(network);
}

const HOST = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/;

const SUBDOMAINS = /^\*\./;

/** A host in the spelling in which hosts are stored, with `*.` in front kept. */
function parseHost(entry: string): string | null {
  const host = normalizeHost(entry.replace(SUBDOMAINS, ""));
  if (!HOST.test(host)) return null;
  return SUBDOMAINS.test(entry) ? `*.${host}` : host;
}

const HOST_RULE = "hosts such as shop.example, or *.shop.example for its subdomains";

const PARAMETER_NAME = "^[A-Za-z0-9_.~\\[\\]-]+$";

const parseParameter = (entry: string): string | null =>
  new RegExp(PARAMETER_NAME).test(entry) && !entry.startsWith("utm_") && !isClickId(entry) ? entry : null;

/** Its value identifies a person, so that nothing may store it. */
const isClickId = (entry: string): boolean => CLICK_IDS.some((name) => name.toLowerCase() === entry.toLowerCase());

const PATH_RULE = `paths of at most ${SITE_LIST_ENTRY_CHARS_MAX} characters that start with / and may have the wildcard *, without ? and #`;

/** Each entry in its canonical form, once. `parse` returns null for an entry that breaks the rule. */
const listField = <Entry extends string = string>(
  description: string,
  rule: string,
  parse: (entry: string) => Entry | null,
  entrySchema: Parameters<typeof text>[1] = { minLength: 1, maxLength: SITE_LIST_ENTRY_CHARS_MAX },
  entriesMax = SITE_LIST_ENTRIES_MAX,
) =>
  withDefault<readonly Entry[]>(
    textsField(list(description, text("One of them.", entrySchema), { maxItems: entriesMax }), (sent, name) => {
      if (sent.length > entriesMax) throw invalidInput(`Field "${name}" must have at most ${entriesMax} entries, got ${sent.length}`);
      const entries = sent.map((value) => {
        const entry = value.trim();
        const parsed = exceedsChars(entry, SITE_LIST_ENTRY_CHARS_MAX) ? null : parse(entry);
        if (parsed === null) throw refusedField(name, `a list of ${rule}`, value);
        return parsed;
      });
      return [...new Set(entries)];
    }),
    [],
  );

const FIELDS = {
  name: visibleField(orNull(text("What the dashboard calls the site; null for its id.", { minLength: 1, maxLength: SITE_NAME_CHARS_MAX }))),
  time_zone: textField(
    orNull(text("IANA name of the zone whose midnight begins a day; null for the option `time_zone`.", { minLength: 1 })),
    (zone, name) => {
      if (TimeZone.named(zone) !== null) return zone;
      throw refusedField(name, 'the IANA name of a time zone that the server knows, such as "Europe/Berlin"', zone);
    },
  ),
  week_start: withDefault(
    wordField(word("The first day of a week, in the dashboard and in series with `interval=week`.", WEEK_STARTS)),
    "monday",
  ),
  public: withDefault(flagField(boolean("Whether everyone may read the site's statistics.")), false),
  public_raw_export: withDefault(
    flagField(boolean("Whether everyone may export the single events of a public site, and not only its daily totals.")),
    true,
  ),
  excluded_paths: listField("Events of these paths are not stored. `*` stands for any characters.", PATH_RULE, parsePath),
  excluded_addresses: listField(
    "Events from these addresses and networks (CIDR) are not stored.",
    "IPv4 and IPv6 addresses, and networks such as 192.0.2.0/24 and 2001:db8::/32",
    parseAddress,
  ),
  excluded_countries: listField(
    "Events from these countries are not stored: ISO 3166-1 codes.",
    "ISO 3166-1 codes of two letters",
    (code) => (/^[A-Za-z]{2}$/.test(code) ? code.toUpperCase() : null),
    { pattern: "^[A-Za-z]{2}$" },
  ),
  excluded_networks: listField(
    "Events from these networks are not stored: AS numbers. On Node, they have no effect without the option `asn_db`.",
    "AS numbers such as AS64496",
    (entry) => {
      const asn = parseAsn(entry);
      return asn === null ? null : `AS${asn}`;
    },
    { pattern: "^(?:[Aa][Ss])?[1-9]\\d{0,9}$" },
  ),
  excluded_hosts: listField(
    "Events of pages of these hosts are not stored. `*.` in front stands for all subdomains.",
    HOST_RULE,
    parseHost,
  ),
  allowed_hosts: listField(
    "If there are any, events of pages of other hosts are not stored. `*.` in front stands for all subdomains.",
    HOST_RULE,
    parseHost,
  ),
  excluded_referrers: listField(
    "Events with referrers of these hosts are not stored, such as spam. `*.` in front stands for all subdomains.",
    HOST_RULE,
    parseHost,
  ),
  hidden_cards: listField(
    "Cards that the dashboard does not show.",
    `cards: ${CARDS.join(", ")}`,
    (entry) => CARDS.find((card) => card === entry) ?? null,
    { enum: CARDS },
  ),
  own_hosts: listField(
    "Hosts of the site besides its id: referrers from there are the site's own. `*.` in front stands for all subdomains.",
    HOST_RULE,
    parseHost,
  ),
  ignored_referrers: listField(
    "Hosts that count as no referrer, besides those of payment and sign-in. `*.` in front stands for all subdomains.",
    HOST_RULE,
    parseHost,
  ),
  source_parameters: listField<SourceParameter>(
    "Parameters of a page's URL that count as `utm_source` if it has none; the first that has a value.",
    `parameters: ${SOURCE_PARAMETERS.join(", ")}`,
    (entry) => SOURCE_PARAMETERS.find((parameter) => parameter === entry) ?? null,
    { enum: SOURCE_PARAMETERS },
  ),
  channel_rules: channelRulesField,
  page_parameters: listField(
    "Parameters of the query that are part of a page's path, such as `page_id`.",
    "names of parameters, in letters, digits and -._~[], without utm_ in front, and no click ids",
    parseParameter,
    { pattern: PARAMETER_NAME, maxLength: SITE_LIST_ENTRY_CHARS_MAX },
    PAGE_PARAMETERS_MAX,
  ),
  merge_slashes: withDefault(flagField(boolean("Whether several slashes in a row count as one in paths.")), false),
  app_pages: withDefault(
    flagField(boolean("Whether pages of apps are accepted: URLs of the schemes `capacitor:`, `ionic:`, `tauri:` and `app:`.")),
    false,
  ),
  aliases: listField(
    "Names under which tags of other products count for the site, such as `umami:<id>`, `goatcounter:<code>` and `matomo:<id>`.",
    "aliases such as umami:<id>, goatcounter:<code> and matomo:<id>, whose ids have letters, digits and -._",
    parseAlias,
  ),
  retention_days: integerField(
    orNull(count("Days for which events are kept; 0 forever, null for the option `retention_days`.", { maximum: RETENTION_DAYS_MAX })),
  ),
};

export const SETTINGS = new Body(FIELDS, {
  site_id: siteIdSchema("The site."),
  created_at: orNull(text("When settings were first set; null if none are.", { format: "date-time" })),
  time_zone_in_force: text("The zone of the current day: a change takes effect with a coming date."),
  time_zone_changes: list(
    "All changes of the zone, oldest first.",
    closed({ first_date: text("The first date in the zone.", { format: "date" }), time_zone: text("The zone.") }),
  ),
  default_time_zone: text("The option `time_zone`, which counts without a zone of the site."),
  default_retention_days: count("The option `retention_days`, which counts without a number of the site.", { maximum: RETENTION_DAYS_MAX }),
  asn_db_loaded: boolean(
    "Whether networks are known: by a network database, or on Workers by Cloudflare. If not, `excluded_networks` has no effect.",
  ),
});

/** The names of settings in code, and in requests, responses and records. */
const NAMES = {
  name: "name",
  timeZone: "time_zone",
  weekStart: "week_start",
  isPublic: "public",
  hasPublicRawExport: "public_raw_export",
  excludedPaths: "excluded_paths",
  excludedAddresses: "excluded_addresses",
  excludedCountries: "excluded_countries",
  excludedNetworks: "excluded_networks",
  excludedHosts: "excluded_hosts",
  allowedHosts: "allowed_hosts",
  excludedReferrers: "excluded_referrers",
  hiddenCards: "hidden_cards",
  ownHosts: "own_hosts",
  ignoredReferrers: "ignored_referrers",
  sourceParameters: "source_parameters",
  channelRules: "channel_rules",
  pageParameters: "page_parameters",
  mergeSlashes: "merge_slashes",
  appPages: "app_pages",
  aliases: "aliases",
  retentionDays: "retention_days",
} as const satisfies Readonly<Record<string, keyof typeof FIELDS>>;

type SettingName = keyof typeof NAMES;

export type SiteSettings = { readonly [Name in SettingName]: ValuesOf<typeof FIELDS>[(typeof NAMES)[Name]] };

const NAME_PAIRS = Object.entries(NAMES) as [SettingName, keyof typeof FIELDS][];

const settingsFrom = (sent: ValuesOf<typeof FIELDS>) =>
  Object.fromEntries(NAME_PAIRS.map(([name, field]) => [name, sent[field]])) as SiteSettings;

/** Parses a record, which may have fields that this version does not know. Throws for a value that breaks its rule. */
export const parseSettings = (json: JsonObject): SiteSettings => settingsFrom(SETTINGS.check(SETTINGS.read(json)));

export const DEFAULT_SETTINGS: SiteSettings = parseSettings({});

export const settingsJson = (settings: SiteSettings): JsonObject =>
  Object.fromEntries(NAME_PAIRS.map(([name, field]) => [field, settings[name]]));

export const arrivalRulesIn = ({ ownHosts, ignoredReferrers, channelRules }: SiteSettings): ArrivalRules => ({
  ownHosts,
  ignoredReferrers,
  channelRules,
});

/** The settings of a renamed site: the host that it was named after stays one of its own, if there is room. null for none still. */
export function withOwnHost(settings: SiteSettings | null, from: SiteId, to: SiteId): SiteSettings | null {
  const host = from.includes(".") ? parseHost(hostOfSite(from)) : null;
  const { ownHosts } = settings ?? DEFAULT_SETTINGS;
  const isKnown = host === null || host === hostOfSite(to) || ownHosts.includes(host) || ownHosts.length >= SITE_LIST_ENTRIES_MAX;
  return isKnown ? settings : { ...(settings ?? DEFAULT_SETTINGS), ownHosts: [...ownHosts, host] };
}

/** The version of the file of all settings (docs/sites.md, "Export and import settings"). */
export const SETTINGS_FILE_VERSION = 1;

/** The settings in a request about a site; 400 if its body names another one. */
export function parseBodyOfSite(body: JsonObject, siteId: SiteId): SiteSettings {
  const settings = settingsFrom(SETTINGS.parse(body));
  const named = fieldOf(body, "site_id");
  if (named !== null && named !== siteId) throw invalidInput('Field "site_id" must be the site of the path, or be left out');
  return settings;
}

/** Puts the place of a value in front of the error about it. */
export function at<T>(place: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) throw new AppError(error.failure, `${place}: ${error.message}`);
    throw error;
  }
}

const ENTRY = new Body({ site_id: required(textField(siteIdSchema("The site."), parseSiteId)) });

/** Such a site has no URL `/api/sites/{site_id}`: clients remove these segments from paths, encoded ones too (URL Standard, 4.4). */
function siteOf(entry: JsonObject): SiteId {
  const { site_id: siteId } = ENTRY.parse(entry);
  if (siteId === "." || siteId === "..") throw invalidInput(`a site named "${siteId}" cannot have settings`);
  return siteId;
}

/** 400 or 422 with the first problem; then nothing of the file may count. */
export function parseSettingsFile(file: JsonObject): ReadonlyMap<SiteId, SiteSettings> {
  const [version, entries] = [fieldOf(file, "version"), fieldOf(file, "sites")];
  if (version !== SETTINGS_FILE_VERSION) throw invalidInput(`Field "version" must be ${SETTINGS_FILE_VERSION}`);
  if (!Array.isArray(entries)) throw malformedBody('Field "sites" must be an array');
  const parsed = new Map<SiteId, SiteSettings>();
  for (const [i, entry] of (entries as readonly unknown[]).entries()) {
    at(`Entry ${i + 1} of "sites"`, () => {
      if (!isObject(entry)) throw malformedBody("it must be an object");
      const siteId = siteOf(entry);
      if (parsed.has(siteId)) throw invalidInput(`the site "${siteId}" comes twice`);
      parsed.set(siteId, parseBodyOfSite(entry, siteId));
    });
  }
  return parsed;
}
