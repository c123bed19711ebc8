/** The stored part of a referrer, and its source (docs/http-api.md, "Event fields"). */
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { sourceFromAndroidPackage, sourceFromHost, withoutWww } from "./referrer-sources.ts";
import { parseUrl } from "./parse-url.ts";

export interface Referrer {
  /** The URL without credentials and fragment. */
  readonly referrer: string | null;
  /** A named source, or the host without `www.`. */
  readonly source: string | null;
}

export interface ReferrerOptions {
  /** Drops the query. */
  readonly stripQuery: boolean;
}

const UNRECORDED: Referrer = { referrer: null, source: null };

/** Not recorded unless `referrer` is an absolute http(s) or android-app URL of another host than `pageHostname`. Never throws. */
export function parseReferrer(referrer: string | null, pageHostname: string | null, options: ReferrerOptions): Referrer {
  const url = referrer === null ? null : parseUrl(referrer);
  if (url === null) return UNRECORDED;
  switch (url.protocol) {
    case "https:":
    case "http:": {
      const host = bareHost(url.hostname);
      if (host === "") return UNRECORDED;
      if (pageHostname !== null && host === bareHost(pageHostname)) return UNRECORDED;
      return { referrer: storedUrl(url, options), source: sourceFromHost(host) ?? host };
    }
    case "android-app:": {
      const packageName = url.hostname;
      if (packageName === "") return UNRECORDED;
      return { referrer: storedUrl(url, options), source: sourceFromAndroidPackage(packageName) ?? packageName };
    }
    default:
      return UNRECORDED;
  }
}

/** A host without `www.` and without the dot that may end a fully qualified name, for comparison. */
function bareHost(hostname: string): string {
  return withoutWww(hostname.endsWith(".") ? hostname.slice(0, -1) : hostname);
}

/** Concatenated, because each change of `username`, `password` and `hash` would serialise the URL again. */
function storedUrl(url: URL, options: ReferrerOptions): string {
  const stored = `${url.protocol}//${url.host}${url.pathname}${options.stripQuery ? "" : url.search}`;
  return stored.slice(0, URL_CHARS_MAX);
}
