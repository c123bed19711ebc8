/** Checks the credentials of a request (docs/http-api.md, "Authentication"). */
import type { KeyScope } from "../runtime/auth/api-keys.ts";
import type { Standing } from "../runtime/auth/standing.ts";
import { AppError } from "../runtime/errors.ts";
import type { Services } from "../runtime/services.ts";
import type { Context } from "./context.ts";
import { apiKeysOf, sessionTokensOf } from "./credentials.ts";
import { refuseForeignPage, requireDashboardPage } from "./csrf.ts";
import type { Access } from "./route.ts";

/** The strongest valid credential of a request. */
type Caller = "session" | KeyScope;

/** Null without a valid credential. */
export function callerOf({ hasSession, keyScope }: Standing): Caller | null {
  if (keyScope === "Admin") return "Admin";
  return hasSession ? "session" : keyScope;
}

/** Whether access to the route depends on the caller. */
export const needsStanding = (access: Access): boolean => access !== "public" && access !== "ingest";

/** Asks what the credentials of the request are worth. */
export const standingOf = (request: Request, services: Services): Standing | Promise<Standing> =>
  services.standingOf({ sessionTokens: sessionTokensOf(request), apiKeys: apiKeysOf(request) });

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

const unauthenticated = (): AppError => new AppError({ code: "unauthenticated" }, "A valid session or API key is required");

const forbidden = (message: string): AppError => new AppError({ code: "forbidden" }, message);

/** Until an admin password is set. */
function checkOpenAccess(access: Access, request: Request, context: Context): void {
  if (access === "admin" || access === "session") throw unauthenticated();
  if (access === "manage") refuseForeignPage(request, context);
}

/** 401 without a valid credential; 403 for an insufficient one, or for one that a foreign page may have sent. */
export function checkAccess(access: Access, request: Request, context: Context): void {
  const { standing } = context;
  if (standing === null || access === "auth") return;
  if (!standing.isPasswordSet) return checkOpenAccess(access, request, context);
  const caller = callerOf(standing);
  if (caller === null) throw unauthenticated();
  if (access === "stats") return;
  if (access === "session" && !standing.hasSession) throw forbidden("An API key may not do this; log in and use a session");
  if (caller === "ReadOnly") throw forbidden("A ReadOnly key may only read statistics; use an Admin key or a session");
  const isBySession = caller === "session" || access === "session";
  if (isBySession && !isReading(request)) requireDashboardPage(request, context);
}
