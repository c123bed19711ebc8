/** The stored part of a clicked link: never user name and password, and no query and fragment with `strip_referrer_query`. */
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "../base/config/names.ts";
import { parseUrl } from "./parse-url.ts";

export interface LinkUrlOptions {
  /** Drops query and fragment, too. */
  readonly stripQuery: boolean;
}

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

/** Text that is not an absolute URL is treated alike, because it may have been meant as one. Never throws. */
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
