/** The stored part of a referrer, and its source (docs/http-api.md, "Event fields"). */
import { bareHost, sourceFromAndroidPackage, sourceFromHost } from "../arrivals/source-names.ts";
import { URL_CHARS_MAX } from "../base/config/limits.ts";
import { parseUrl } from "./urls.ts";

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

/** The host in lower case; null for what is no URL with a host. */
export const hostOfReferrer = (referrer: string | null): string | null =>
  (referrer === null ? null : parseUrl(referrer)?.hostname.toLowerCase()) || null;

/** null for a URL that is not recorded, or has no host. */
function sourceOf({ protocol, hostname }: URL, pageHostname: string | null): string | null {
  if (protocol === "android-app:") return sourceFromAndroidPackage(hostname) ?? hostname;
  if (protocol !== "https:" && protocol !== "http:") return null;
  const host = bareHost(hostname);
  return pageHostname !== null && host === bareHost(pageHostname) ? null : (sourceFromHost(host) ?? host);
}

/** Concatenated, because each change of `username`, `password` and `hash` would serialise the URL again. */
const storedUrl = (url: URL, stripQuery: boolean): string =>
  `${url.protocol}//${url.host}${url.pathname}${stripQuery ? "" : url.search}`.slice(0, URL_CHARS_MAX);
