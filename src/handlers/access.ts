/** Checks the credentials of a request (docs/http-api.md, "Authentication"). */
import type { KeyScope } from "../runtime/auth/api-keys.ts";
import { AppError } from "../runtime/errors.ts";
import type { Services } from "../runtime/services.ts";
import type { Context } from "./context.ts";
import { apiKeysOf, sessionTokensOf } from "./credentials.ts";
import { requireDashboardPage } from "./csrf.ts";
import type { Access } from "./route.ts";

/** The strongest valid credential of a request. */
type Caller = "session" | KeyScope;

/** Null without a valid credential. */
export function callerOf(request: Request, { apiKeys, sessions }: Services): Caller | null {
  const scopes = apiKeysOf(request).map((key) => apiKeys.scopeOf(key));
  if (scopes.includes("Admin")) return "Admin";
  if (sessionTokensOf(request).some((token) => sessions.isValid(token))) return "session";
  return scopes.includes("ReadOnly") ? "ReadOnly" : null;
}

const isReading = ({ method }: Request): boolean => method === "GET" || method === "HEAD";

/** 401 without a valid credential; 403 for an insufficient one, or for one that a foreign page may have sent. */
export function checkAccess(access: Access, request: Request, context: Context): void {
  const { services } = context;
  if (access !== "stats" && access !== "admin") return;
  if (access === "stats" && !services.adminPassword.isConfigured) return;
  const caller = services.adminPassword.isConfigured ? callerOf(request, services) : null;
  if (caller === null) throw new AppError({ code: "unauthenticated" }, "A valid session or API key is required");
  if (access === "stats") return;
  if (caller === "ReadOnly")
    throw new AppError({ code: "forbidden" }, "A ReadOnly key may only read statistics; use an Admin key or a session");
  if (caller === "session" && !isReading(request)) requireDashboardPage(request, context);
}
