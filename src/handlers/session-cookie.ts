/** The cookie that carries a session's token, and when it may be sent over connections that anybody can read. */
import { SESSION_COOKIE } from "../runtime/config/names.ts";
import type { Services } from "../runtime/services.ts";
import type { HostContext } from "./context.ts";
import { isHttps } from "./request-scheme.ts";

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Services whose operator has been told. */
const told = new WeakSet<Services>();

/** Where a browser would refuse a `Secure` cookie, login would not work at all. */
function isSecure(request: Request, { services, url }: HostContext): boolean {
  const { secureCookies, trustProxy } = services.config;
  if (secureCookies !== "auto") return secureCookies;
  if (isHttps(request, trustProxy) || LOOPBACK.test(url.hostname)) return true;
  if (!told.has(services)) {
    told.add(services);
    services.log.warn("a login came over plain http, so its cookie can be read on the way: use https, and trust_proxy behind a proxy");
  }
  return false;
}

function cookie(request: Request, context: HostContext, token: string, maxAgeSecs: number): Readonly<Record<string, string>> {
  const secure = isSecure(request, context) ? "; Secure" : "";
  return { "Set-Cookie": `${SESSION_COOKIE}=${token}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${maxAgeSecs}${secure}` };
}

/** The header that hands a session to the browser. */
export const sessionCookie = (request: Request, context: HostContext, token: string): Readonly<Record<string, string>> =>
  cookie(request, context, token, context.services.config.sessionTtlSecs);

/** The header that makes the browser forget its session. */
export const noSessionCookie = (request: Request, context: HostContext): Readonly<Record<string, string>> =>
  cookie(request, context, "", 0);
