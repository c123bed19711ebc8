/**
 * Normalises the request target (RFC 9112, 3.2) to origin-form: a path in the request line, and the host in its header. The rest of
 * the program knows only that form. The path comes from the request line alone.
 */
import type { IncomingMessage } from "node:http";
import { HOST_RULE, isHost } from "../../../src/handlers/origins.ts";

/** Absolute-form: clients send it to proxies, and may send it to any server (RFC 9112, 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)([^]*)$/i;

/**
 * Paths that the URL standard reads differently from proxies with rules by path: it turns a backslash into a slash, and removes dot
 * segments, including those written with `%2e`. Browsers send neither. Queries may contain both.
 */
const AMBIGUOUS_PATH = /\\|\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** `rawHeaders` alternates names and values. */
const hostCount = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === "host").length;

/** Rewrites the request in place. Returns the reason if the target is invalid, else null. The app checks the syntax of the host. */
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
    // The authority of the target replaces the header (RFC 9112, 3.2.2).
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
