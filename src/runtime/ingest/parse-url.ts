/**
 * Parses untrusted text as a URL: with a bounded host, because only the host takes more than linear time, and by catching the exception,
 * because `URL.canParse` of Node 20 rejects non-ASCII text once it is called often.
 */
import { URL_HOST_CHARS_MAX } from "../base/config/limits.ts";

/** Everything from the scheme's colon to the path: credentials, host and port. The URL standard ignores tabs and line breaks. */
const AUTHORITY = /^[^:]*:[/\\\t\r\n]*([^/\\?#]*)/;

const isHostTooLong = (text: string): boolean =>
  text.length > URL_HOST_CHARS_MAX && (AUTHORITY.exec(text)?.[1]?.length ?? 0) > URL_HOST_CHARS_MAX;

/** null if the text is not an absolute URL, or its host has more than `URL_HOST_CHARS_MAX` characters. */
export function parseUrl(text: string): URL | null {
  if (isHostTooLong(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** A reference with a scheme, and one with a host but no scheme. The URL standard ignores control characters and spaces in front. */
const ABSOLUTE = /^[\0-\x20]*[a-z][a-z\d+.\t\r\n-]*:/i;
const WITH_HOST = /^[\0-\x20]*(?=[/\\][\t\r\n]*[/\\])/;

/** Parses like `parseUrl` a reference that may be relative to `base`. */
export function resolveUrl(reference: string, base: URL): URL | null {
  const absolute = ABSOLUTE.test(reference) ? reference : WITH_HOST.test(reference) ? reference.replace(WITH_HOST, base.protocol) : "";
  if (isHostTooLong(absolute)) return null;
  try {
    return new URL(reference, base);
  } catch {
    return null;
  }
}
