/** The stored part of a referrer, and its source (docs/http-api.md, "Event fields"). */
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { ANDROID_PACKAGES, HOSTS } from "./source-table.ts";
import { parseUrl } from "./urls.ts";

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
]);

/** Labels of the longest host in the tables: longer endings need no lookup. */
const LABELS_MAX = 5;

// Maps, because a host may be `constructor` or `__proto__`.
const sourceByName = (table: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(table).flatMap(([source, names]) => names.map((name) => [name, source])));

const SOURCE_BY_HOST = sourceByName(HOSTS);
const SOURCE_BY_ANDROID_PACKAGE = sourceByName(ANDROID_PACKAGES);

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

/** The source of an Android app; `null` when the table does not have its package. */
export const sourceFromAndroidPackage = (packageName: string): string | null => SOURCE_BY_ANDROID_PACKAGE.get(packageName) ?? null;

export const withoutWww = (host: string): string => (host.startsWith("www.") ? host.slice(4) : host);

/** The last labels of a host, the longest ending first: `a.b.c` -> `a.b.c`, `b.c`, `c`. */
function endingsOf(host: string): string[] {
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

interface Referrer {
  /** The URL without credentials and fragment. */
  readonly referrer: string | null;
  /** A named source, or the host without `www.`. */
  readonly source: string | null;
}

const UNRECORDED: Referrer = { referrer: null, source: null };

/** Not recorded unless `referrer` is an absolute http(s) or android-app URL of another host than `pageHostname`. Never throws. */
export function parseReferrer(
  referrer: string | null,
  pageHostname: string | null,
  { stripQuery }: { readonly stripQuery: boolean },
): Referrer {
  const url = referrer === null ? null : parseUrl(referrer);
  const source = url && sourceOf(url, pageHostname);
  return url && source ? { referrer: storedUrl(url, stripQuery), source } : UNRECORDED;
}

/** null for a URL that is not recorded, or has no host. */
function sourceOf({ protocol, hostname }: URL, pageHostname: string | null): string | null {
  if (protocol === "android-app:") return sourceFromAndroidPackage(hostname) ?? hostname;
  if (protocol !== "https:" && protocol !== "http:") return null;
  const host = bareHost(hostname);
  return pageHostname !== null && host === bareHost(pageHostname) ? null : (sourceFromHost(host) ?? host);
}

/** A host without `www.` and without the dot that may end a fully qualified name, for comparison. */
const bareHost = (hostname: string): string => withoutWww(hostname.endsWith(".") ? hostname.slice(0, -1) : hostname);

/** Concatenated, because each change of `username`, `password` and `hash` would serialise the URL again. */
const storedUrl = (url: URL, stripQuery: boolean): string =>
  `${url.protocol}//${url.host}${url.pathname}${stripQuery ? "" : url.search}`.slice(0, URL_CHARS_MAX);
