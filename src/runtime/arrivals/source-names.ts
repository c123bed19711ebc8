/** The name of a source, from a host, an Android app or a `utm_source`, and its kind. */
import { AMBIGUOUS_NAMES, ALIASES, ANDROID_PACKAGES } from "./source-aliases.ts";
import { AI_ASSISTANTS, HOSTS_BY_KIND, type Names, type SourceKind } from "./source-hosts.ts";

interface CountrySite {
  readonly source: string;
  /** Subdomains belong to the source, too. */
  readonly subdomains: boolean;
}

const COUNTRY_SUFFIX = /^(?:com|(?:com?\.)?[a-z]{2})$/;

/** Sites with a host in each country: `<label>.com`, `<label>.<cc>`, `<label>.co.<cc>` and `<label>.com.<cc>`. */
const COUNTRY_SITES: ReadonlyMap<string, CountrySite> = new Map([
  // Subdomains are documents, courses, calendars: a link from there is not a search.
  ["google", { source: "Google", subdomains: false }],
  ["pinterest", { source: "Pinterest", subdomains: true }],
  ["yandex", { source: "Yandex", subdomains: true }],
  ["amazon", { source: "Amazon", subdomains: true }],
  ["ebay", { source: "eBay", subdomains: true }],
  ["lazada", { source: "Lazada", subdomains: true }],
  ["mercadolibre", { source: "Mercado Libre", subdomains: true }],
  ["shopee", { source: "Shopee", subdomains: true }],
  ["zalando", { source: "Zalando", subdomains: true }],
]);

/** Labels of the longest host in the tables: longer endings need no lookup. */
const LABELS_MAX = 5;

const AI_HOSTS: Names = Object.fromEntries(Object.entries(AI_ASSISTANTS).map(([source, { hosts }]) => [source, hosts]));

const NAMES_BY_KIND = Object.entries({ ...HOSTS_BY_KIND, ai: AI_HOSTS }) as [SourceKind, Names][];

// Maps, because a host may be `constructor` or `__proto__`.
const sourceByName = (table: Names): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([source, names]) => names.map((name) => [name, source])));

const SOURCE_BY_HOST = new Map(NAMES_BY_KIND.flatMap(([, names]) => [...sourceByName(names)]));
const SOURCE_BY_ANDROID_PACKAGE = sourceByName(ANDROID_PACKAGES);

const KIND_BY_SOURCE: ReadonlyMap<string, SourceKind> = new Map([
  ...["Amazon", "eBay", "Lazada", "Mercado Libre", "Shopee", "Zalando"].map((source) => [source, "shopping"] as const),
  ...NAMES_BY_KIND.flatMap(([kind, names]) => Object.keys(names).map((source) => [source, kind] as const)),
]);

/** The kind of a named source; null for any other. */
export const kindOfSource = (source: string): SourceKind | null => KIND_BY_SOURCE.get(source) ?? null;

/** Letters and digits in lower case: `Facebook-Ads`, `facebook_ads` and `facebook ads` are spellings of one name. */
export const squashed = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

const SOURCE_BY_ALIAS: ReadonlyMap<string, string> = new Map([
  ...[...KIND_BY_SOURCE.keys()].filter((source) => !AMBIGUOUS_NAMES.includes(source)).map((source) => [squashed(source), source] as const),
  ...sourceByName(ALIASES),
]);

/** What people add to the name of a source: `google_ads`, `LinkedIn organic`. */
const ADDED = /(?:ads?|paid|organic)$/;

/**
 * The source of `host` (in lower case, without `www.`); `null` when the table does not have it. An entry matches its host and all
 * subdomains; the longest entry wins (`mail.yandex.ru` before `yandex.ru`). Only whole labels match: `t.co` does not match `reddit.com`.
 */
export function sourceFromHost(host: string): string | null {
  for (const ending of endingsOf(host)) {
    const source = SOURCE_BY_HOST.get(ending);
    if (source !== undefined) return source;
    const countrySite = countrySiteOf(ending);
    if (countrySite !== null) return countrySite.subdomains || ending === host ? countrySite.source : null;
  }
  return null;
}

/** Webmail of providers that no table has. */
const isWebmail = (host: string): boolean => host.startsWith("webmail.");

/** The kind of the source of a referrer; null if it is not known. */
export function kindOfReferrer(host: string): SourceKind | null {
  const source = sourceOfReferrer(host);
  return source === null ? (isWebmail(host) ? "mail" : null) : kindOfSource(source);
}

/** The named source of a referrer: a host, with or without `www.`, or the package of an Android app. null if no table has it. */
export const sourceOfReferrer = (host: string): string | null => sourceFromAndroidPackage(host) ?? sourceFromHost(bareHost(host));

/** The source of an Android app; `null` when the table does not have its package. */
export const sourceFromAndroidPackage = (packageName: string): string | null => SOURCE_BY_ANDROID_PACKAGE.get(packageName) ?? null;

interface CampaignSource {
  readonly source: string;
  /** The text adds to the name that it is an advertisement: `google_ads`, `facebook paid`. */
  readonly isAdvertisement: boolean;
}

/** The source that a `utm_source` names: by its name or another spelling, its host or its app. `null` when the tables do not have it. */
export function campaignSource(utmSource: string): CampaignSource | null {
  const text = utmSource.trim().toLowerCase();
  const named = SOURCE_BY_ANDROID_PACKAGE.get(text) ?? (text.includes(".") ? sourceFromHost(bareHost(text)) : null);
  if (named !== null) return { source: named, isAdvertisement: false };
  const name = squashed(text);
  const source = SOURCE_BY_ALIAS.get(name);
  if (source !== undefined) return { source, isAdvertisement: false };
  const [added = ""] = ADDED.exec(name) ?? [];
  const base = added === "" ? undefined : SOURCE_BY_ALIAS.get(name.slice(0, -added.length));
  return base === undefined ? null : { source: base, isAdvertisement: added !== "organic" };
}

/** A host without `www.` and without the dot that may end a fully qualified name, for comparison. */
export const bareHost = (hostname: string): string => withoutWww(hostname.endsWith(".") ? hostname.slice(0, -1) : hostname);

export const withoutWww = (host: string): string => (host.startsWith("www.") ? host.slice(4) : host);

/** The last labels of a host, the longest ending first: `a.b.c` -> `a.b.c`, `b.c`, `c`. */
export function endingsOf(host: string): string[] {
  const endings: string[] = [];
  let dot = host.length;
  for (let labels = 0; labels < LABELS_MAX && dot !== -1; labels++) {
    dot = dot === 0 ? -1 : host.lastIndexOf(".", dot - 1);
    endings.unshift(host.slice(dot + 1));
  }
  return endings;
}

/** The country site whose host `ending` is: its name, then `com`, `de`, `co.uk` or `com.br`. */
function countrySiteOf(ending: string): CountrySite | null {
  const dot = ending.indexOf(".");
  const site = COUNTRY_SITES.get(ending.slice(0, dot));
  return site !== undefined && COUNTRY_SUFFIX.test(ending.slice(dot + 1)) ? site : null;
}
