/**
 * Which host and path a request names (RFC 9112, 3.2). The target may have one of several forms; everything behind this file knows
 * one: a path in the request line, and a host in its header. The path comes from the request line alone.
 */
import type { IncomingMessage } from "node:http";
import { HOST_RULE, isHost } from "../../src/handlers/host.ts";

/** An `http` or `https` URL with an authority, as clients send it to proxies, and may to any server. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)([^]*)$/i;

/**
 * What the URL standard reads as another path than proxies do that have rules by path: a backslash is a slash to it, and a dot
 * segment, also one written with `%2e`, goes away. Browsers send neither. Queries may have both.
 */
const AMBIGUOUS_PATH = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Header lines come as names and values in turn. */
const hostCount = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;

/**
 * Brings the target into its usual form; says what is wrong where that cannot be done. The host's own syntax is for the app to check,
 * in workerd as here.
 */
export function normaliseTarget(request: IncomingMessage): string | null {
  const { headers, httpVersion, method, url = "" } = request;
  if (headers.host === undefined && httpVersion !== "1.0") return "A request of HTTP/1.1 needs the header Host";
  if (hostCount(request) > 1) return 'The header "Host" must be given once';
  if (url.includes("#")) return "The request target must not have a fragment";
  if (AMBIGUOUS_PATH.test(url.split("?", 1)[0] ?? url)) return 'The request target must not have a backslash, "/./" or "/../" in its path';
  if (url.startsWith("/")) return null;
  const [, authority, rest = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority !== undefined) {
    if (headers.host !== undefined && !isHost(headers.host)) return HOST_RULE;
    // In this form the target's authority counts, whichever host the header names.
    headers.host = authority;
    request.url = rest.startsWith("/") ? rest : `/${rest}`;
    return null;
  }
  if (url === "*" && method === "OPTIONS") {
    request.url = "/";
    return null;
  }
  return "The request target must be a path that begins with /, or an http or https URL";
}
