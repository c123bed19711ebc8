/** Access: the credentials of a request, what they are worth, and whether they suffice (docs/http-api.md, "Authentication"). */
import type { NewSession } from "../runtime/access/login.ts";
import { mayAdminister, mayRead, NOBODY, principalOf, type Credentials, type Standing } from "../runtime/access/principal.ts";
import type { SharedView } from "../runtime/access/shares.ts";
import { PERSISTENT_SESSION_DAYS } from "../runtime/base/config/admin-limits.ts";
import { CREDENTIALS_TRIED_MAX } from "../runtime/base/config/limits.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../runtime/base/config/names.ts";
import { AppError } from "../runtime/base/errors.ts";
import { rateLimitKeyOf } from "../runtime/base/rate-limit.ts";
import type { Asker } from "../runtime/query/scope.ts";
import type { SlotUse } from "../runtime/results/query-limiter.ts";
import type { Services } from "../runtime/service/services.ts";
import type { SiteId } from "../storage/event.ts";
import { clientAddressOfRequest, isHttps, refuseForeignPage, requireDashboardPage } from "./origins.ts";
import type { ReplyHeaders } from "./http.ts";
import type { HostContext, Context, Access } from "./route.ts";

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

export const bearerTokenOf = ({ headers }: Request): string | null => BEARER.exec(headers.get("authorization")?.trim() ?? "")?.[1] ?? null;

/** Candidate API keys. Other schemes and tokens without the prefix of API keys are ignored. */
export function apiKeysOf(request: Request): string[] {
  const header = request.headers.get("x-api-key")?.trim();
  return [bearerTokenOf(request), header].filter((key) => key?.startsWith(API_KEY_PREFIX) === true) as string[];
}

/** The token of a share link or its guest, or the id of a public site; null without the header. */
export const shareOf = ({ headers }: Request): string | null => headers.get("x-share");

/** A share overrides the other credentials: an administrator sees what guests see. Where keys alone count, a session adds no rights. */
function credentialsOf(request: Request, share: string | null, access: Access): Credentials {
  if (share !== null) return { sessionTokens: [], apiKeys: [], share };
  return { sessionTokens: access === "key" ? [] : sessionTokensOf(request), apiKeys: apiKeysOf(request), share };
}

const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Services that have logged the warning. */
const warned = new WeakSet<Services>();

/**
 * Browsers reject `Secure` cookies over plain http, so login would not work at all; at addresses of their own machine only Safari rejects
 * them.
 */
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

const PERSISTENT_SESSION_SECS = PERSISTENT_SESSION_DAYS * 86_400;

/** The cookie of a session; null deletes it. */
export function sessionCookie(request: Request, context: HostContext, session: NewSession | null): ReplyHeaders {
  const { basePath, sessionTtlSecs } = context.services.config;
  const maxAgeSecs = session === null ? 0 : session.isPersistent ? PERSISTENT_SESSION_SECS : sessionTtlSecs;
  const secure = isSecure(request, context) ? "; Secure" : "";
  return {
    "Set-Cookie": `${SESSION_COOKIE}=${session?.token ?? ""}; HttpOnly; SameSite=Strict; Path=${basePath}/; Max-Age=${maxAgeSecs}${secure}`,
  };
}

export const needsStanding = (access: Access): boolean => access !== "public" && access !== "ingest";

export const standingOf = (request: Request, services: Services, access: Access, share = shareOf(request)): Standing | Promise<Standing> =>
  services.standingOf(credentialsOf(request, share, access));

/**
 * 429 for too many requests from one address: with a share, valid or not, because anyone can send them, and of agents, which may call
 * tools in a loop.
 */
export function limitGuest(access: Access, share: string | null, request: Request, context: Context): void {
  const isOfGuest = share !== null && (access === "stats" || access === "share");
  if (access !== "key" && !isOfGuest) return;
  const { guestRateLimit, monotonicMs } = context.services;
  const verdict = guestRateLimit.take(rateLimitKeyOf(clientAddressOfRequest(request, context)), monotonicMs());
  if (verdict.allowed) return;
  const { retryAfterSecs } = verdict;
  throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many requests from this address. Try again later.");
}

export const askerOf = ({ reader, deadline }: Pick<Context, "reader" | "deadline">): Asker => ({
  isGuest: reader.comesLast,
  signal: deadline.signal,
});

/** Each link and each address of guests may hold one export. Undefined for other callers, who have no such limit. */
export function exporterOf(request: Request, context: Context): SlotUse["exporter"] {
  const share = context.standing?.share;
  if (typeof share !== "object" || share === null) return undefined;
  return { share: share.shareId, address: rateLimitKeyOf(clientAddressOfRequest(request, context)) };
}

/** Tells whether a guest still sees what `isShown` asks for, while a response is streamed. null for other callers. */
export function stillShown(
  request: Request,
  { reader, services }: Pick<Context, "reader" | "services">,
  isShown: (view: SharedView) => boolean,
): (() => Promise<boolean>) | null {
  if (reader.principal.view === null) return null;
  return async () => {
    const { view } = principalOf(await standingOf(request, services, "stats"));
    return view !== null && isShown(view);
  };
}

/**
 * The site that a caller reads or changes under a name. A site that was renamed answers to its earlier name, and one that was merged into
 * another is asked for as the other, by callers who may read that one.
 */
export function siteNamed(name: SiteId, isRead: boolean, { services: { names }, reader }: Pick<Context, "services" | "reader">): SiteId {
  if (names === null) return name;
  const siteId = isRead ? names.siteOf(name) : names.renamedTo(name);
  return mayRead(reader.principal, siteId) ? siteId : name;
}

export const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const unauthenticated = (message = "A valid session or API key is required"): AppError =>
  new AppError({ code: "unauthenticated" }, message);

const forbidden = (message: string): AppError => new AppError({ code: "forbidden" }, message);

function checkOpenAccess(access: Access, request: Request, context: Context): void {
  if (access === "admin" || access === "site" || access === "session") throw unauthenticated();
  if (access === "manage") refuseForeignPage(request, context);
}

/** Counts even without an admin password, whose keys may be those of an earlier one. */
function checkKeyAccess(request: Request, context: Context, { isPasswordSet, hasKeys, keys }: Standing): void {
  if (!isPasswordSet || !hasKeys) {
    throw forbidden("This takes API keys only, and is off until there is one: set an admin password, then create a key in the dashboard");
  }
  if (keys.length === 0) throw unauthenticated("A valid API key is required, as Authorization: Bearer or X-API-Key");
  refuseForeignPage(request, context);
}

/** Counts even before an admin password is set. */
function checkSharedAccess(access: Access, share: NonNullable<Standing["share"]>): void {
  if (share === "unknown") throw unauthenticated("The share link is unknown, revoked or expired");
  if (share === "locked") throw unauthenticated("The share link needs its password");
  if (access !== "stats") throw forbidden("A share link may only read the statistics of its site");
}

/**
 * 403 for a site that the caller may not change, whether it exists or not. Routes of access `site` call it unless the site is in their
 * path.
 */
export function requireAdminOf(siteId: SiteId, { reader: { principal } }: Pick<Context, "reader">): void {
  if (!mayAdminister(principal, siteId)) throw forbidden(`The API key may not change the site "${siteId}"`);
}

/** 403 for a caller whose role or sites do not suffice. */
function checkRights(access: Access, context: Context): void {
  const { role, sites } = context.reader.principal;
  const { site_id: siteId } = context.params;
  if (access !== "instance" && role !== "admin") throw forbidden("A ReadOnly key may only read statistics; use an Admin key or a session");
  if (access === "site" && siteId !== undefined) requireAdminOf(siteId as SiteId, context);
  if (access !== "site" && sites !== "all") throw forbidden("The API key is limited to some sites; use a key for all sites, or a session");
}

/** True if the request relies on a session, which a foreign page may use. */
const isBySession = (access: Access, { hasSession, keys }: Standing): boolean =>
  access === "session" || (hasSession && !keys.some(({ scope, sites }) => scope === "Admin" && sites === null));

/** 401 without a valid credential; 403 for an insufficient one, or for one that a foreign page may have sent. */
export function checkAccess(access: Access, request: Request, context: Context): void {
  const { standing } = context;
  if (standing === null || access === "auth" || access === "share") return;
  if (standing.share !== null) return checkSharedAccess(access, standing.share);
  if (access === "key") return checkKeyAccess(request, context, standing);
  if (!standing.isPasswordSet) return checkOpenAccess(access, request, context);
  if (context.reader.principal === NOBODY) throw unauthenticated();
  if (access === "stats") return;
  if (access === "session" && !standing.hasSession) throw forbidden("An API key may not do this; log in and use a session");
  checkRights(access, context);
  if (access !== "instance" && isBySession(access, standing) && !isReading(request)) requireDashboardPage(request, context);
}
