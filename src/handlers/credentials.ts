/** Credentials on the wire: the session cookie, which is read and set, API keys in either of two headers, and share links in a third. */
import type { Credentials } from "../runtime/access/principal.ts";
import { CREDENTIALS_TRIED_MAX } from "../runtime/base/config/limits.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../runtime/base/config/names.ts";
import type { Services } from "../runtime/service/services.ts";
import type { HostContext } from "./context.ts";
import { isHttps } from "./forwarded-headers.ts";
import type { ReplyHeaders } from "./reply.ts";

const BEARER = /^Bearer +(\S+)$/i;

/** Finds the cookie without parsing the others. */
const SESSION_COOKIES = new RegExp(`(?:^|;)\\s*${SESSION_COOKIE}(?:=([^;]*))?\\s*(?=;|$)`, "g");

/** Candidate session tokens. There may be several cookies of that name, for example set by another host of the domain. */
export function sessionTokensOf({ headers }: Request): string[] {
  const tokens: string[] = [];
  for (const [, token = ""] of (headers.get("cookie") ?? "").matchAll(SESSION_COOKIES)) {
    tokens.push(token.trim());
    if (tokens.length === CREDENTIALS_TRIED_MAX) break;
  }
  return tokens;
}

/** The token of an `Authorization: Bearer` header, of any kind. */
export const bearerTokenOf = ({ headers }: Request): string | null => BEARER.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;

/** Candidate API keys. Other schemes and tokens without the prefix of API keys are ignored. */
export function apiKeysOf(request: Request): string[] {
  const header = request.headers.get("x-api-key")?.trim();
  return [bearerTokenOf(request), header].filter((key) => key?.startsWith(API_KEY_PREFIX) === true) as string[];
}

/** The token of a share link or its guest, or the id of a public site; null without the header. */
export const shareOf = ({ headers }: Request): string | null => headers.get("x-share");

/** With `X-Share` the others are not read: an administrator sees what guests see. */
export function credentialsOf(request: Request): Credentials {
  const share = shareOf(request);
  if (share !== null) return { sessionTokens: [], apiKeys: [], share };
  return { sessionTokens: sessionTokensOf(request), apiKeys: apiKeysOf(request), share };
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Services that have logged the warning. */
const warned = new WeakSet<Services>();

/** Over plain http, browsers reject `Secure` cookies, so login would not work at all; at addresses of their own machine only Safari does. */
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
  const path = `${context.services.config.basePath}/`;
  return { "Set-Cookie": `${SESSION_COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${maxAgeSecs}${secure}` };
}

/** The header that sets the session cookie. */
export const sessionCookie = (request: Request, context: HostContext, token: string): ReplyHeaders =>
  setCookie(request, context, token, context.services.config.sessionTtlSecs);

/** The header that deletes the session cookie. */
export const endedSessionCookie = (request: Request, context: HostContext): ReplyHeaders => setCookie(request, context, "", 0);
