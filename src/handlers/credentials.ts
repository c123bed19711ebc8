/** How credentials travel: the session's cookie in both directions, and API keys in either of two headers. */
import { CREDENTIALS_TRIED_MAX } from "../runtime/config/limits.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../runtime/config/names.ts";
import type { Services } from "../runtime/services.ts";
import type { HostContext } from "./context.ts";
import { isHttps } from "./forwarded-headers.ts";
import type { ReplyHeaders } from "./reply.ts";

const BEARER = /^Bearer +(\S+)$/i;

/** Finds the cookie among others without parsing those. */
const SESSION_COOKIES = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}(?:=([^;]*))?\\s*(?=;|$)`, "g");

/** Possible session tokens. Several cookies of the name may come, some of them set by another site of the domain. */
export function sessionTokensOf({ headers }: Request): string[] {
  const tokens: string[] = [];
  for (const [, token = ""] of (headers.get("cookie") ?? "").matchAll(SESSION_COOKIES)) {
    tokens.push(token.trim());
    if (tokens.length === CREDENTIALS_TRIED_MAX) break;
  }
  return tokens;
}

/** The token of an `Authorization: Bearer` header, whatever it is for. */
export const bearerTokenOf = ({ headers }: Request): string | null => BEARER.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;

/** Possible API keys. An `Authorization` of another scheme, or with somebody else's token, is not one. */
export function apiKeysOf(request: Request): string[] {
  const header = request.headers.get("x-api-key")?.trim();
  return [bearerTokenOf(request), header].filter((key) => key?.startsWith(API_KEY_PREFIX) === true) as string[];
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Services whose operator has been warned. */
const warned = new WeakSet<Services>();

/** Where a browser would refuse a `Secure` cookie, login would not work at all. */
function isSecure(request: Request, { services, url }: HostContext): boolean {
  const { secureCookies, trustProxy } = services.config;
  if (secureCookies !== "auto") return secureCookies;
  if (isHttps(request, trustProxy) || LOOPBACK.test(url.hostname)) return true;
  if (!warned.has(services)) {
    warned.add(services);
    services.log.warn("a login came over plain http, so its cookie can be read on the way: use https, and trust_proxy behind a proxy");
  }
  return false;
}

function setCookie(request: Request, context: HostContext, token: string, maxAgeSecs: number): ReplyHeaders {
  const secure = isSecure(request, context) ? "; Secure" : "";
  return { "Set-Cookie": `${SESSION_COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSecs}${secure}` };
}

/** The header that gives a session to the browser. */
export const sessionCookie = (request: Request, context: HostContext, token: string): ReplyHeaders =>
  setCookie(request, context, token, context.services.config.sessionTtlSecs);

/** The header that makes the browser forget its session. */
export const endedSessionCookie = (request: Request, context: HostContext): ReplyHeaders => setCookie(request, context, "", 0);
