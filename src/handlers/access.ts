/** Checks who sent a request, and whether they may (docs/http-api.md, "Authentication"). */
import { mayAdminister, NOBODY, principalOf, type Standing } from "../runtime/access/principal.ts";
import { AppError } from "../runtime/base/errors.ts";
import type { Asker } from "../runtime/query/asker.ts";
import type { SlotUse } from "../runtime/results/query-limiter.ts";
import { rateLimitKeyOf } from "../runtime/base/rate-limit.ts";
import type { Services } from "../runtime/service/services.ts";
import type { SiteId } from "../storage/event.ts";
import type { Context } from "./context.ts";
import { credentialsOf, shareOf } from "./credentials.ts";
import { refuseForeignPage, requireDashboardPage } from "./csrf.ts";
import { clientAddressOfRequest } from "./forwarded-headers.ts";
import type { Access } from "./route.ts";

/** Whether access to the route depends on the caller. */
export const needsStanding = (access: Access): boolean => access !== "public" && access !== "ingest";

/** Asks what the credentials of the request are worth. */
export const standingOf = (request: Request, services: Services): Standing | Promise<Standing> =>
  services.standingOf(credentialsOf(request));

/** 429 for too many requests with `X-Share` from one address, whatever it says, where it may give access: anyone can send them. */
export function limitGuest(access: Access, request: Request, context: Context): void {
  if (shareOf(request) === null || (access !== "stats" && access !== "share")) return;
  const { guestRateLimit, monotonicMs } = context.services;
  const verdict = guestRateLimit.take(rateLimitKeyOf(clientAddressOfRequest(request, context)), monotonicMs());
  if (verdict.allowed) return;
  const { retryAfterSecs } = verdict;
  throw new AppError({ code: "too_many_requests", retryAfterSecs }, "Too many requests from this address. Try again later.");
}

/** For whom the queries of a request run. */
export const askerOf = ({ reader, deadline }: Pick<Context, "reader" | "deadline">): Asker => ({
  isGuest: reader.principal.view !== null,
  signal: deadline.signal,
});

/** Who exports, where guests have one export each: none of them holds what others wait for twice. Undefined for any other caller. */
export function exporterOf(request: Request, context: Context): SlotUse["exporter"] {
  const share = context.standing?.share;
  if (typeof share !== "object" || share === null) return undefined;
  return { share: share.shareId, address: rateLimitKeyOf(clientAddressOfRequest(request, context)) };
}

/** Asks whether what is shared with the guest of a request still is; null for any other caller. */
export function stillShown(request: Request, { reader, services }: Pick<Context, "reader" | "services">): (() => Promise<boolean>) | null {
  if (reader.principal.view === null) return null;
  return async () => principalOf(await standingOf(request, services)) !== NOBODY;
}

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const unauthenticated = (message = "A valid session or API key is required"): AppError =>
  new AppError({ code: "unauthenticated" }, message);

const forbidden = (message: string): AppError => new AppError({ code: "forbidden" }, message);

/** Until an admin password is set. */
function checkOpenAccess(access: Access, request: Request, context: Context): void {
  if (access === "admin" || access === "site" || access === "session") throw unauthenticated();
  if (access === "manage") refuseForeignPage(request, context);
}

/** With `X-Share`, also before an admin password is set. */
function checkSharedAccess(access: Access, share: NonNullable<Standing["share"]>): void {
  if (share === "unknown") throw unauthenticated("The share link is unknown, revoked or expired");
  if (share === "locked") throw unauthenticated("The share link needs its password");
  if (access !== "stats") throw forbidden("A share link may only read the statistics of its site");
}

/** 403 for a site that the caller may not change, whether it exists or not. Routes of access `site` call it unless the site is in their path. */
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

/** Whether the request relies on a session, which a foreign page may use. */
const isBySession = (access: Access, { hasSession, keys }: Standing): boolean =>
  access === "session" || (hasSession && !keys.some(({ scope, sites }) => scope === "Admin" && sites === null));

/** 401 without a valid credential; 403 for an insufficient one, or for one that a foreign page may have sent. */
export function checkAccess(access: Access, request: Request, context: Context): void {
  const { standing, reader } = context;
  if (standing === null || access === "auth" || access === "share") return;
  if (standing.share !== null) return checkSharedAccess(access, standing.share);
  if (!standing.isPasswordSet) return checkOpenAccess(access, request, context);
  if (reader.principal === NOBODY) throw unauthenticated();
  if (access === "stats") return;
  if (access === "session" && !standing.hasSession) throw forbidden("An API key may not do this; log in and use a session");
  checkRights(access, context);
  if (access !== "instance" && isBySession(access, standing) && !isReading(request)) requireDashboardPage(request, context);
}
