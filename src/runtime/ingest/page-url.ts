/** Which parts of a page's URL are kept: the path, the host and the campaign parameters, and in which form. */
import { invalidInput } from "../errors.ts";
import { PATHNAME_CHARS_MAX, URL_HOST_CHARS_MAX, UTM_CHARS_MAX } from "../config/limits.ts";
import { cutToChars } from "./code-points.ts";
import { parseUrl } from "./parse-url.ts";

export interface PageUrl {
  /** Starts with `/`, has no trailing slash but the root's own, and stays percent-encoded as the URL standard writes it. */
  readonly pathname: string;
  /** In lower case, without the port. `null` when the page was given as a bare path. */
  readonly hostname: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmContent: string | null;
  readonly utmTerm: string | null;
}

// Any host will do: a bare path is appended to it, so that `//host/path` stays a path.
const PATH_ORIGIN = "http://localhost";

const SLASH = 47;

const NO_CAMPAIGN = { utmSource: null, utmMedium: null, utmCampaign: null, utmContent: null, utmTerm: null };

/** The kept parts of `url`: an absolute http(s) URL or a path that starts with `/`; invalid_input for anything else. */
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

/** A serialised path is ASCII, so that units are characters; what a cut leaves of a `%XX` goes too. */
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
  // Most URLs carry no campaign, and looking for one by name is the dear part. A name may be written with escapes.
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

/** The last of the parameter's values, trimmed and cut; an empty one says nothing. */
function campaignValue(params: URLSearchParams, name: string): string | null {
  const value = params.getAll(name).at(-1)?.trim() ?? "";
  return value === "" ? null : cutToChars(value, UTM_CHARS_MAX);
}
