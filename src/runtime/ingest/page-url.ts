/** The stored parts of a page's URL: path, host and campaign parameters (docs/http-api.md, "Event fields"). */
import { invalidInput } from "../base/errors.ts";
import { PATHNAME_CHARS_MAX, URL_HOST_CHARS_MAX, UTM_CHARS_MAX } from "../base/config/limits.ts";
import { cutToChars } from "../../shared/text.ts";
import { parseUrl } from "./parse-url.ts";

export interface PageUrl {
  /** Starts with `/`, has no trailing slash except for the root, and is percent-encoded as in the URL standard. */
  readonly pathname: string;
  /** Lower case, without the port. null if only a path was sent. */
  readonly hostname: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmContent: string | null;
  readonly utmTerm: string | null;
}

// Prepended to a path, so that `//host/path` stays a path.
const PATH_ORIGIN = "http://localhost";

const SLASH = 47;

const NO_CAMPAIGN = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null };

/** `url` is an absolute http(s) URL or a path that starts with `/`; invalid_input for anything else. */
export function parsePageUrl(url: string): PageUrl {
  const isPath = url.charCodeAt(0) === SLASH;
  const parsed = parseWebUrl(isPath ? PATH_ORIGIN + url : url);
  if (parsed === null) {
    throw invalidInput(
      `Field "u" must be an absolute http or https URL whose host has at most ${URL_HOST_CHARS_MAX} characters, or a path that starts with "/"`,
    );
  }
  return {
    pathname: pathnameFrom(parsed.pathname),
    hostname: isPath ? null : parsed.hostname,
    ...campaignFrom(parsed.search),
  };
}

function parseWebUrl(text: string): URL | null {
  const url = parseUrl(text);
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : null;
}

/** A serialised path is ASCII, so UTF-16 units are characters. A cut never leaves part of a `%XX`. */
function pathnameFrom(path: string): string {
  let end = path.length;
  if (end > PATHNAME_CHARS_MAX) {
    end = PATHNAME_CHARS_MAX;
    const escape = path.indexOf("%", end - 2);
    if (escape !== -1 && escape < end) end = escape;
  }
  while (end > 1 && path.charCodeAt(end - 1) === SLASH) end--;
  return path.slice(0, end);
}

function campaignFrom(search: string) {
  // Most URLs have no campaign, and parsing the query is expensive. A name may be percent-encoded.
  if (!search.includes("utm") && !search.includes("%")) return NO_CAMPAIGN;
  const params = new URLSearchParams(search);
  return {
    utmSource: campaignValue(params, "utm_source"),
    utmMedium: campaignValue(params, "utm_medium"),
    utmCampaign: campaignValue(params, "utm_campaign"),
    utmContent: campaignValue(params, "utm_content"),
    utmTerm: campaignValue(params, "utm_term"),
  };
}

/** The parameter's last value, trimmed and cut; an empty one counts as absent. */
function campaignValue(params: URLSearchParams, name: string): string | null {
  const value = params.getAll(name).at(-1)?.trim() ?? "";
  return value === "" ? null : cutToChars(value, UTM_CHARS_MAX);
}
