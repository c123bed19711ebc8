/** The routes of /api/auth: setup, login, logout, change of password and authentication status (docs/http-api.md, "Authentication"). */
import { NOBODY } from "../runtime/access/principal.ts";
import { anyText, Body, required } from "../runtime/base/body.ts";
import { PASSWORD_BYTES_MAX } from "../runtime/base/config/admin-limits.ts";
import { boolean, closed, orNull, text } from "../runtime/base/json-schema.ts";
import { ADMIN_PASSWORD_CHARS_MIN } from "../shared/limits.ts";
import { sessionCookie, sessionTokensOf } from "./access.ts";
import { clientAddressOfRequest, maybeRebound, refuseForeignPage, unverifiedHost } from "./origins.ts";
import { sets, NOT_STORED } from "./openapi/headers.ts";
import { answer, jsonBody, BODY_REFUSALS, UNVERIFIED_HOST, type Operations, type Answer } from "./openapi/operation.ts";
import { jsonReply, readJson } from "./http.ts";
import type { Context, Handler } from "./route.ts";

const NEW_PASSWORD = text(`The new password: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
  minLength: ADMIN_PASSWORD_CHARS_MIN,
  // The limit is in bytes, which no keyword counts: a character is at least one byte.
  maxLength: PASSWORD_BYTES_MAX,
});

// Passwords are checked by `AdminPassword`: no message quotes one.

const SETUP = new Body({
  password: required(anyText(NEW_PASSWORD)),
  code: anyText(
    orNull(
      text("The setup code from the log. Required for unverified host names and ignored otherwise. Case, dashes and spaces do not matter."),
    ),
  ),
});

const LOGIN = new Body({
  password: required(anyText(text(`The admin password. A password of more than ${PASSWORD_BYTES_MAX} bytes in UTF-8 is always wrong.`))),
});

const PASSWORD_CHANGE = new Body({
  current_password: required(anyText(text("The admin password."))),
  new_password: required(anyText(NEW_PASSWORD)),
});

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
  const { password, code } = SETUP.parse(await readJson(request));
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
  const { password } = LOGIN.parse(await readJson(request));
  const token = await login.attempt({ password, address, signal: context.deadline.signal });
  return jsonReply({ token }, 200, sessionCookie(request, context, token));
};

/** POST /api/auth/logout ends the session, and succeeds without one (docs/http-api.md, "Login sessions"). */
export const postLogout: Handler = (request, context) => {
  for (const token of sessionTokensOf(request)) context.services.sessions.end(token);
  return jsonReply({ status: "logged_out" }, 200, sessionCookie(request, context, null));
};

/** POST /api/auth/logout-all ends every session, the caller's too (docs/http-api.md, "Login sessions"). */
export const postLogoutAll: Handler = (request, context) => {
  const { sessions, log } = context.services;
  sessions.endOthers([]);
  log.info("all sessions were ended on request");
  return jsonReply({ status: "logged_out" }, 200, sessionCookie(request, context, null));
};

/** POST /api/auth/password replaces the admin password (docs/http-api.md, "Change of password"). */
export const postPassword: Handler = async (request, context) => {
  const { login, log } = context.services;
  const address = clientAddressOfRequest(request, context);
  login.check(address);
  const { current_password: password, new_password: newPassword } = PASSWORD_CHANGE.parse(await readJson(request));
  const sessionTokens = sessionTokensOf(request);
  await login.changePassword({ password, newPassword, address, sessionTokens, signal: context.deadline.signal });
  log.info("the admin password was changed, and all other sessions have ended");
  return jsonReply({ status: "changed" });
};

/** GET /api/auth/status: whether a password is set, and whether the caller may read stats (docs/http-api.md, "Authentication status"). */
export const getStatus: Handler = (_request, { standing, reader: { principal } }) =>
  jsonReply({ setup_required: standing?.isPasswordSet !== true, authenticated: principal !== NOBODY });

// Description in the OpenAPI document

const SCHEMAS = {
  NewPassword: SETUP.schema,
  Password: LOGIN.schema,
  PasswordChange: PASSWORD_CHANGE.schema,
  PasswordChanged: closed({ status: text("Constant.", { const: "changed" }) }),
  Session: closed({ token: text("The session token, which is also in the cookie.", { pattern: "^[0-9a-f]{64}$" }) }),
  LoggedOut: closed({ status: text("Constant.", { const: "logged_out" }) }),
  AuthStatus: closed({
    setup_required: boolean("Whether no admin password is set yet."),
    authenticated: boolean("Whether the request may read stats."),
  }),
};

const SESSION: Answer = answer("A new session, in the body and as a cookie.", "Session", {
  ...NOT_STORED,
  ...sets(`The session cookie: \`HttpOnly\`, \`SameSite=Strict\`, and \`Secure\` as set by \`secure_cookies\`.`),
});

const loggedOut = (description: string) => answer(description, "LoggedOut", { ...NOT_STORED, ...sets("Deletes the session cookie.") });

const FOREIGN_PAGE = "A page of another origin sent the request.";

const OPERATIONS = {
  "POST /api/auth/setup": {
    operationId: "setUp",
    summary: "Sets the admin password, once",
    description:
      "Until it is called, stats are open to everyone, and the first caller sets the password. For an unverified host name, " +
      "the setup code is required, which the service writes to its log each time it starts without a password.",
    requestBody: jsonBody("NewPassword"),
    answers: { 200: SESSION },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, or the password is too short or too long.",
      forbidden: FOREIGN_PAGE,
      unverified_host: `The setup code is missing or wrong. It is required under this condition: ${UNVERIFIED_HOST}`,
      already_configured: "A password is already set. Nothing else is checked.",
      request_timeout: "The password did not arrive, or was not stored, within the time limit.",
      too_many_requests: "Too many passwords are waiting to be checked, or the address has sent too many wrong setup codes in a row.",
      not_stored: "The password could not be hashed or stored, and is not set.",
    },
  },
  "POST /api/auth/login": {
    operationId: "logIn",
    summary: "Starts a session",
    requestBody: jsonBody("Password"),
    answers: { 200: SESSION },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "No admin password is set yet, or the body is not JSON.",
      unauthenticated: "The password is wrong.",
      forbidden: FOREIGN_PAGE,
      unverified_host: UNVERIFIED_HOST,
      request_timeout: "The password did not arrive, or was not checked, within the time limit.",
      too_many_requests: "The address has sent too many wrong passwords in a row, or too many passwords are waiting to be checked.",
      internal: "The password could not be checked.",
    },
  },
  "POST /api/auth/logout": {
    operationId: "logOut",
    summary: "Ends the session",
    description: "Succeeds without a session, too.",
    answers: { 200: loggedOut("The session has ended.") },
  },
  "POST /api/auth/logout-all": {
    operationId: "logOutEverywhere",
    summary: "Ends every session",
    description: "The caller's session ends, too. API keys stay valid.",
    answers: { 200: loggedOut("All sessions have ended.") },
  },
  "POST /api/auth/password": {
    operationId: "changePassword",
    summary: "Replaces the admin password",
    description: "Ends all other sessions. API keys stay valid.",
    requestBody: jsonBody("PasswordChange"),
    answers: { 200: answer("The new password is stored and in effect.", "PasswordChanged") },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, or the new password is too short or too long.",
      forbidden:
        "The current password is wrong, which counts as a failed login; or the request has an API key and no session, or was not sent by a " +
        "page of the dashboard.",
      already_configured: "The option `admin_password` sets the password.",
      request_timeout: "The password did not arrive, or was not stored, within the time limit.",
      too_many_requests: "The address has sent too many wrong passwords in a row, or too many passwords are waiting to be checked.",
      not_stored: "The new password could not be hashed or stored. The current one stays.",
    },
  },
  "GET /api/auth/status": {
    operationId: "getAuthStatus",
    summary: "Authentication status",
    answers: { 200: answer("Whether a password is set, and whether the caller may read stats.", "AuthStatus") },
    refusals: { unverified_host: UNVERIFIED_HOST },
  },
} satisfies Operations;

export const AUTH_API = { tag: "Access", schemas: SCHEMAS, operations: OPERATIONS } as const;
