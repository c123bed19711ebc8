/** The routes of /api/auth: setup, login, logout, change of password and authentication status (docs/http-api.md, "Authentication"). */
import { NOBODY } from "../runtime/access/principal.ts";
import { optionalText, parseObject, requiredText } from "../runtime/base/config/json-fields.ts";
import { readBody } from "./body.ts";
import type { Context, Handler } from "./context.ts";
import { endedSessionCookie, sessionCookie, sessionTokensOf } from "./credentials.ts";
import { refuseForeignPage } from "./csrf.ts";
import { clientAddressOfRequest } from "./forwarded-headers.ts";
import { maybeRebound, unverifiedHost } from "./host.ts";
import { jsonReply } from "./reply.ts";

/** 403 without the setup code, which shows that the caller can read the log. For hosts that may be an attacker's. */
function requireSetupCode(code: string | null, request: Request, context: Context): void {
  if (code === null) throw unverifiedHost(context);
  context.services.setupCode.check(code, clientAddressOfRequest(request, context));
}

/** POST /api/auth/setup sets the admin password, once (docs/http-api.md, "Setup"). */
export const postSetup: Handler = async (request, context) => {
  const { services, deadline } = context;
  const { adminPassword, sessions, log } = services;
  adminPassword.checkSetupIsOpen();
  refuseForeignPage(request, context);
  const body = parseObject(await readBody(request));
  const [password, code] = [requiredText(body, "password"), optionalText(body, "code")];
  if (maybeRebound(request, context)) requireSetupCode(code, request, context);
  await adminPassword.setUp(password, deadline.signal);
  log.info("the admin password is set: statistics are for those who log in or have a key");
  const token = sessions.begin();
  return jsonReply({ token }, 200, sessionCookie(request, context, token));
};

/** POST /api/auth/login starts a session for the correct password (docs/http-api.md, "Login"). */
export const postLogin: Handler = async (request, context) => {
  const { login } = context.services;
  const address = clientAddressOfRequest(request, context);
  refuseForeignPage(request, context);
  login.check(address);
  const password = requiredText(parseObject(await readBody(request)), "password");
  const token = await login.attempt({ password, address, signal: context.deadline.signal });
  return jsonReply({ token }, 200, sessionCookie(request, context, token));
};

/** POST /api/auth/logout ends the session, and succeeds without one (docs/http-api.md, "Login sessions"). */
export const postLogout: Handler = (request, context) => {
  for (const token of sessionTokensOf(request)) context.services.sessions.end(token);
  return jsonReply({ status: "logged_out" }, 200, endedSessionCookie(request, context));
};

/** POST /api/auth/logout-all ends every session, the caller's too (docs/http-api.md, "Login sessions"). */
export const postLogoutAll: Handler = (request, context) => {
  const { sessions, log } = context.services;
  sessions.endOthers([]);
  log.info("all sessions were ended on request");
  return jsonReply({ status: "logged_out" }, 200, endedSessionCookie(request, context));
};

/** POST /api/auth/password replaces the admin password (docs/http-api.md, "Change of password"). */
export const postPassword: Handler = async (request, context) => {
  const { login, log } = context.services;
  const address = clientAddressOfRequest(request, context);
  login.check(address);
  const body = parseObject(await readBody(request));
  const [password, newPassword] = [requiredText(body, "current_password"), requiredText(body, "new_password")];
  const sessionTokens = sessionTokensOf(request);
  await login.changePassword({ password, newPassword, address, sessionTokens, signal: context.deadline.signal });
  log.info("the admin password was changed, and all other sessions have ended");
  return jsonReply({ status: "changed" });
};

/** GET /api/auth/status: whether a password is set, and whether the caller may read stats (docs/http-api.md, "Authentication status"). */
export const getStatus: Handler = (_request, { standing, reader: { principal } }) =>
  jsonReply({ setup_required: standing?.isPasswordSet !== true, authenticated: principal !== NOBODY });
