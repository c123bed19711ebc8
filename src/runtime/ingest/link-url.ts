/** What is kept of a link that was clicked: never its user name and password, and no query and fragment where referrers lose theirs. */
import { URL_CHARS_MAX } from "../config/limits.ts";
import { FILE_DOWNLOAD, OUTBOUND_CLICK } from "../config/names.ts";
import { parseUrl } from "./parse-url.ts";

export interface LinkUrlOptions {
  /** Drops the query and the fragment, too. */
  readonly stripQuery: boolean;
}

/** The property of the tracker's events that holds the link (`tracker/link-clicks.ts`). */
const LINK_PROPERTY = "url";

/** A string, or what tells how deep it is nested and whether it is a key. */
const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g;

/** Of text that does not parse as a URL, such as `//user:password@host/` or a link with a wrong port. */
const UNPARSED_CREDENTIALS = /^([^/\\?#]*[/\\]{2}|\s*(?:https?|ftp):)(?:[/\\]*[^/\\?#@]*@)+/i;

const QUERY_OR_FRAGMENT = /[?#].*$/s;

/**
 * The properties of an event, as JSON text of an object or `null`, with the link of an `Outbound Link: Click` or a `File
 * Download` as it may be stored. Everything else stays as it is, character by character: other properties, and other
 * events' links, are the sender's own. Takes time in proportion to the text.
 */
export function withKeptLink(eventName: string, props: string | null, options: LinkUrlOptions): string | null {
  if (props === null || (eventName !== OUTBOUND_CLICK && eventName !== FILE_DOWNLOAD)) return props;
  return replaceText(props, LINK_PROPERTY, (link) => keptLink(link, options));
}

/** Text that is no absolute URL is treated alike, because it may have been meant as one. Never throws. */
export function keptLink(link: string, { stripQuery }: LinkUrlOptions): string {
  const kept = withoutCredentials(link);
  return stripQuery ? kept.replace(QUERY_OR_FRAGMENT, "") : kept;
}

function withoutCredentials(link: string): string {
  const url = parseUrl(link);
  if (url === null) return link.replace(UNPARSED_CREDENTIALS, "$1");
  if (url.username === "" && url.password === "") return link;
  url.username = "";
  url.password = "";
  // Escapes make it longer than it was sent.
  return url.href.slice(0, URL_CHARS_MAX);
}

/** The object's JSON text with another string as the value of this key. The numbers beside it are not parsed, which would round them. */
function replaceText(json: string, name: string, change: (text: string) => string): string {
  let depth = 0;
  /** Of the value that comes next; `null` where a key comes. */
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
