/** URLs of events: pages, links and referrers, parsed in linear time and reduced to what is stored. */
import { CLICK_IDS } from "../../shared/click-ids.ts";
import { mergeSlashes, normalizeHost, normalizePath, pathQuery } from "../../shared/paths.ts";
import { cutToChars } from "../../shared/text.ts";
import { PATHNAME_CHARS_MAX, URL_CHARS_MAX, URL_HOST_CHARS_MAX, UTM_CHARS_MAX } from "../base/config/limits.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "../base/config/names.ts";
import { invalidInput } from "../base/errors.ts";
import type { SiteSettings } from "../sites/site-settings.ts";

/** Everything from the scheme's colon to the path: credentials, host and port. The URL standard ignores tabs and line breaks. */
const AUTHORITY = /^[^:]*:[/\\\t\r\n]*([^/\\?#]*)/;

const isHostTooLong = (text: string): boolean =>
  text.length > URL_HOST_CHARS_MAX && (AUTHORITY.exec(text)?.[1]?.length ?? 0) > URL_HOST_CHARS_MAX;

function urlOf(text: string, base?: URL): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** null if the text is not an absolute URL, or its host has more than `URL_HOST_CHARS_MAX` characters. */
export const parseUrl = (text: string): URL | null => (isHostTooLong(text) ? null : urlOf(text));

/** A reference with a scheme, and one with a host but no scheme. The URL standard ignores control characters and spaces in front. */
const ABSOLUTE = /^[\0-\x20]*[a-z][a-z\d+.\t\r\n-]*:/i;
const WITH_HOST = /^[\0-\x20]*(?=[/\\][\t\r\n]*[/\\])/;

/** Parses like `parseUrl` a reference that may be relative to `base`. */
export function resolveUrl(reference: string, base: URL): URL | null {
  const absolute = ABSOLUTE.test(reference) ? reference : WITH_HOST.test(reference) ? reference.replace(WITH_HOST, base.protocol) : "";
  return isHostTooLong(absolute) ? null : urlOf(reference, base);
}

/** The stored parts of a page's URL: path, host and campaign parameters (docs/http-api.md, "Event fields"). */
export interface PageUrl {
  /** Normalized (`normalizePath`), with the parameters that the site counts as part of it. */
  readonly pathname: string;
  /** Normalized (`normalizeHost`). null if only a path was sent. */
  readonly hostname: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmContent: string | null;
  readonly utmTerm: string | null;
  /** The kind of click id in the query, one of `CLICK_IDS`; never its value, which identifies a person to its platform. */
  readonly clickId: string | null;
}

// Prepended to a path, so that `//host/path` stays a path.
const PATH_ORIGIN = "http://localhost";

const NO_CAMPAIGN = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null, clickId: null };

/** Most URLs have neither campaign nor click id, and parsing the query is expensive. A name may be percent-encoded. */
const MAY_HAVE_CAMPAIGN = new RegExp(`%|utm|${CLICK_IDS.join("|")}`);

/** Links that were copied from the source of a page contain the ampersand as HTML writes it. */
const ESCAPED_AMPERSAND = /&(?:amp;)+/g;

/** What a site's settings say about the URLs of its pages. */
export type PageRules = Pick<SiteSettings, "sourceParameters" | "pageParameters" | "mergeSlashes" | "appPages">;

/**
 * `url` is an absolute http(s) URL, one of an app if the site accepts these, or a path that starts with `/`; invalid_input, which begins
 * with `what`, for anything else.
 */
export function parsePageUrl(url: string, rules: PageRules, what = 'Field "u"'): PageUrl {
  const isPath = url.startsWith("/");
  const parsed = parseAddress(isPath ? PATH_ORIGIN + url : url, rules);
  if (parsed === null) {
    throw invalidInput(
      `${what} must be an absolute http or https URL whose host has at most ${URL_HOST_CHARS_MAX} characters, or a path that starts with "/"`,
    );
  }
  return {
    pathname: pageOf(parsed, rules),
    hostname: isPath || parsed.hostname === "" ? null : normalizeHost(parsed.hostname),
    ...campaignFrom(parsed.search, rules),
  };
}

/** The path of such a URL; null for anything else. */
function pathnameOf(url: string, rules: PageRules): string | null {
  const parsed = parseAddress(url.startsWith("/") ? PATH_ORIGIN + url : url, rules);
  return parsed && pageOf(parsed, rules);
}

/** Rules by which paths have no parameters. */
export const withoutParameters = (rules: PageRules): PageRules => ({ ...rules, pageParameters: [], sourceParameters: [] });

/** The path without parameters of what a bot asks for or sends as its page, which may be anything. */
export const barePathOf = (url: string, rules: PageRules): string => pathnameOf(url, withoutParameters(rules)) ?? "(none)";

/** Schemes under which apps load the pages that they bring along. */
const APP_PROTOCOLS: readonly string[] = ["capacitor:", "ionic:", "tauri:", "app:"];

function parseAddress(text: string, { appPages }: PageRules): URL | null {
  const url = parseUrl(text);
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  const isOfApp = url && appPages && APP_PROTOCOLS.includes(url.protocol);
  // Without a slash after the scheme, the rest is no path.
  return isOfApp && (url.pathname.startsWith("/") || url.hostname !== "") ? url : null;
}

/** A serialised path is ASCII, so UTF-16 units are characters. A cut never leaves part of a `%XX`. */
function pathnameFrom(path: string): string {
  const normalized = normalizePath(path);
  if (normalized.length <= PATHNAME_CHARS_MAX) return normalized;
  const escape = normalized.indexOf("%", PATHNAME_CHARS_MAX - 2);
  return normalizePath(normalized.slice(0, escape === -1 ? PATHNAME_CHARS_MAX : Math.min(escape, PATHNAME_CHARS_MAX)));
}

const parametersIn = (search: string): URLSearchParams => new URLSearchParams(search.replace(ESCAPED_AMPERSAND, "&"));

const lastValue = (params: URLSearchParams, name: string): string => params.getAll(name).findLast((sent) => sent.trim() !== "") ?? "";

/** The path with the parameters that are part of it; the last ones are left out if it would be too long. */
function pageOf({ pathname, search }: URL, { pageParameters, mergeSlashes: merges }: PageRules): string {
  // Only a URL of an app may have no path.
  const path = pathnameFrom((merges ? mergeSlashes(pathname) : pathname) || "/");
  if (pageParameters.length === 0 || search === "") return path;
  const params = parametersIn(search);
  const kept = pageParameters.map((name) => [name, lastValue(params, name)] as const);
  let query = pathQuery(kept);
  while (path.length + query.length > PATHNAME_CHARS_MAX) query = query.slice(0, Math.max(0, query.lastIndexOf("&")));
  return path + query;
}

function campaignFrom(search: string, { sourceParameters }: PageRules) {
  if (!MAY_HAVE_CAMPAIGN.test(search) && !sourceParameters.some((name) => search.includes(name))) return NO_CAMPAIGN;
  const params = parametersIn(search);
  return {
    utmSource: campaignValue(params, "utm_source") ?? firstValue(params, sourceParameters),
    utmMedium: campaignValue(params, "utm_medium"),
    utmCampaign: campaignValue(params, "utm_campaign"),
    utmContent: campaignValue(params, "utm_content"),
    utmTerm: campaignValue(params, "utm_term"),
    clickId: clickIdIn(params),
  };
}

/** The parameter's last value that is not empty, trimmed and cut. */
function campaignValue(params: URLSearchParams, name: string): string | null {
  const value = lastValue(params, name).trim();
  return value === "" ? null : cutToChars(value, UTM_CHARS_MAX);
}

function firstValue(params: URLSearchParams, names: readonly string[]): string | null {
  for (const name of names) {
    const value = campaignValue(params, name);
    if (value !== null) return value;
  }
  return null;
}

/** The last one, because platforms append theirs: a shared link may still have that of the visit in which it was copied. */
function clickIdIn(params: URLSearchParams): string | null {
  let found: string | null = null;
  for (const [name, value] of params) if (value !== "" && CLICK_IDS.includes(name)) found = name;
  return found;
}

const CAMPAIGN_PARAMETERS: readonly string[] = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"];

/** The names of the parameters of a URL of which nothing is stored, each once. */
export function droppedParameters(url: string, { sourceParameters, pageParameters }: PageRules): string[] {
  const search = /\?([^#]*)/.exec(url)?.[1] ?? "";
  const kept = new Set([...CAMPAIGN_PARAMETERS, ...CLICK_IDS, ...sourceParameters, ...pageParameters]);
  return [...new Set(parametersIn(search).keys())].filter((name) => !kept.has(name));
}

/** `stripQuery` drops query and fragment. */
type LinkUrlOptions = { readonly stripQuery: boolean };

/** The property of the tracker's events that holds the link (`tracker/start.ts`). */
const LINK_PROPERTY = "url";

/** A string, or a character that changes the depth or separates values. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** Credentials in text that does not parse as a URL, such as `//user:password@host/` or a link with an invalid port. */
const UNPARSED_CREDENTIALS = /^([^/\\?#]*[/\\]{2}|\s*(?:https?|ftp):)(?:[/\\]*[^/\\?#@]*@)+/i;

const QUERY_OR_FRAGMENT = /[?#].*$/s;

/**
 * The properties of an event, the JSON text of an object or `null`, with the link of an `Outbound Link: Click` or `File Download`
 * as it is stored. Other properties and other events stay as they were sent, character by character. Linear time.
 */
export function withStoredLink(eventName: string, props: string | null, options: LinkUrlOptions): string | null {
  if (props === null || (eventName !== OUTBOUND_CLICK && eventName !== FILE_DOWNLOAD)) return props;
  return replaceText(props, LINK_PROPERTY, (link) => storedLink(link, options));
}

/**
 * The link without user name and password, and with `strip_referrer_query` without query and fragment. Text that is not an absolute URL is
 * treated alike, because it may have been meant as one. Never throws.
 */
export function storedLink(link: string, { stripQuery }: LinkUrlOptions): string {
  const stored = withoutCredentials(link);
  return stripQuery ? stored.replace(QUERY_OR_FRAGMENT, "") : stored;
}

function withoutCredentials(link: string): string {
  const url = parseUrl(link);
  if (url === null) return link.replace(UNPARSED_CREDENTIALS, "$1");
  if (url.username === "" && url.password === "") return link;
  url.username = "";
  url.password = "";
  // Escaping may have made it longer.
  return url.href.slice(0, URL_CHARS_MAX);
}

/** The object's JSON text with the string at this key replaced. Other values are not parsed, which would round long numbers. */
function replaceText(json: string, name: string, change: (text: string) => string): string {
  let depth = 0;
  /** The key of the next value; `null` where the next string is a key. */
  let key: string | null = null;
  return json.replace(JSON_TOKEN, (token) => {
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    else if (depth !== 1) return token;
    else if (token === ",") key = null;
    else if (key === null) key = JSON.parse(token) as string;
    else if (key === name) return JSON.stringify(change(JSON.parse(token) as string));
    return token;
  });
}
