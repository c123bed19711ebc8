/**
 * How a text that may be no URL is read: by trying, because `URL.canParse` of Node 20 denies texts beyond ASCII once it is called
 * often. Everything of a URL is parsed in linear time but its host, whose length is therefore checked first.
 */
import { URL_HOST_CHARS_MAX } from "../config/limits.ts";

/** From the scheme's colon to the path: credentials, host and port. The URL standard skips tabs and line breaks anywhere. */
const AUTHORITY = /^[^:]*:[/\\\t\r\n]*([^/\\?#]*)/;

const isHostTooLong = (text: string): boolean =>
  text.length > URL_HOST_CHARS_MAX && (AUTHORITY.exec(text)?.[1]?.length ?? 0) > URL_HOST_CHARS_MAX;

/** Null for what is no absolute URL, or has a host of more than `URL_HOST_CHARS_MAX` characters. */
export function parseUrl(text: string): URL | null {
  if (isHostTooLong(text)) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
