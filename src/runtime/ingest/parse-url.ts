/**
 * How untrusted text is parsed as a URL: with a bounded host, because that is the only part that takes more than linear time, and
 * by catching the exception, because `URL.canParse` of Node 20 rejects non-ASCII text once it is called often.
 */
import { URL_HOST_CHARS_MAX } from "../config/limits.ts";

/** From the scheme's colon to the path: credentials, host and port. The URL standard ignores tabs and line breaks. */
const AUTHORITY = /^[^:]*:[/\\\t\r\n]*([^/\\?#]*)/;

const isHostTooLong = (text: string): boolean =>
  text.length > URL_HOST_CHARS_MAX && (AUTHORITY.exec(text)?.[1]?.length ?? 0) > URL_HOST_CHARS_MAX;

/** Null when the text is not an absolute URL, or its host has more than `URL_HOST_CHARS_MAX` characters. */
export function parseUrl(text: string): URL | null {
  if (isHostTooLong(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
