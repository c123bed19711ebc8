/** Checks the credentials of a request (docs/http-api.md, "Authentication"). */
import type { KeyScope } from "../runtime/auth/api-keys.ts";
import { AppError } from "../runtime/errors.ts";
import type { Services } from "../runtime/services.ts";
import type { Context } from "./context.ts";
import { apiKeysOf, sessionTokensOf } from "./credentials.ts";
import { refuseForeignPage, requireDashboardPage } from "./csrf.ts";
import type { Access } from "./route.ts";

/** The strongest valid credential of a request. */
type Caller = "session" | KeyScope;

const hasSession = (request: Request, { sessions }: Pick<Services, "sessions">): boolean =>
  sessionTokensOf(request).some((token) => sessions.isValid(token));

/** Null without a valid credential. */
export function callerOf(request: Request, { apiKeys, sessions }: Services): Caller | null {
  const scopes = apiKeysOf(request).map((key) => apiKeys.scopeOf(key));
  if (scopes.includes("Admin")) return "Admin";
  if (hasSession(request, { sessions })) return "session";
  return scopes.includes("ReadOnly") ? "ReadOnly" : null;
}

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
  const { services } = context;
  if (access === "public" || access === "ingest" || access === "auth") return;
  if (!services.adminPassword.isConfigured) return checkOpenAccess(access, request, context);
  const caller = callerOf(request, services);
  if (caller === null) throw unauthenticated();
  if (access === "stats") return;
  if (access === "session" && !hasSession(request, services)) throw forbidden("An API key may not do this; log in and use a session");
  if (caller === "ReadOnly") throw forbidden("A ReadOnly key may only read statistics; use an Admin key or a session");
  const isBySession = caller === "session" || access === "session";
  if (isBySession && !isReading(request)) requireDashboardPage(request, context);
}
