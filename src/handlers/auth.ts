/** The routes of /api/auth: setup, login, logout, change of password and authentication status (docs/http-api.md, "Authentication"). */
import type { NewSession } from "../runtime/access/login.ts";
import type { Device, PersistentSessions } from "../runtime/access/persistent-sessions.ts";
import { NOBODY } from "../runtime/access/principal.ts";
import { anyText, Body, flagField, required } from "../runtime/base/body.ts";
import { PASSWORD_BYTES_MAX, PERSISTENT_SESSION_DAYS, PERSISTENT_SESSIONS_MAX } from "../runtime/base/config/admin-limits.ts";
import { boolean, closed, list, orNull, text } from "../runtime/base/json-schema.ts";
import { parseUserAgent } from "../runtime/ingest/device.ts";
import { ADMIN_PASSWORD_CHARS_MIN } from "../shared/limits.ts";
import { sessionCookie, sessionTokensOf } from "./access.ts";
import { clientAddressOfRequest, maybeRebound, refuseForeignPage, unverifiedHost } from "./origins.ts";
import { sets, NOT_STORED } from "./openapi/headers.ts";
import { answer, inPath, jsonBody, BODY_REFUSALS, UNVERIFIED_HOST, type Operations, type Answer } from "./openapi/operation.ts";
import { jsonReply, readJson, type Reply } from "./http.ts";
import type { Context, Handler } from "./route.ts";

const NEW_PASSWORD = text(`The new password: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
  minLength: ADMIN_PASSWORD_CHARS_MIN,
  // The limit is in bytes, which no keyword counts: a character is at least one byte.
  maxLength: PASSWORD_BYTES_MAX,
});

const REMEMBER = flagField(
  orNull(
    boolean(
      `Whether the browser stays logged in: for ${PERSISTENT_SESSION_DAYS} days after the last use of the session, beyond restarts. ` +
        "By default, a session lasts `session_ttl_secs`, and until a restart at most.",
    ),
  ),
);

// Passwords are checked by `AdminPassword`: no message quotes one.

const SETUP = new Body({
  password: required(anyText(NEW_PASSWORD)),
  code: anyText(
    orNull(
      text("The setup code from the log. Required for unverified host names and ignored otherwise. Case, dashes and spaces do not matter."),
    ),
  ),
  remember: REMEMBER,
});

const LOGIN = new Body({
  password: required(anyText(text(`The admin password. A password of more than ${PASSWORD_BYTES_MAX} bytes in UTF-8 is always wrong.`))),
  remember: REMEMBER,
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

/** The device of a browser that is to stay logged in; null without `remember`. */
function deviceOf({ headers }: Request, remember: boolean | null): Device | null {
  if (remember !== true) return null;
  const { browser, os } = parseUserAgent(headers.get("user-agent") ?? "");
  return { browser, os };
}

function sessionReply(request: Request, context: Context, session: NewSession): Reply {
  return jsonReply({ token: session.token }, 200, sessionCookie(request, context, session));
}

/** POST /api/auth/setup sets the admin password, once (docs/http-api.md, "Setup"). */
export const postSetup: Handler = async (request, context) => {
  const { services, deadline } = context;
  const { adminPassword, login, log } = services;
  adminPassword.checkSetupIsOpen();
  refuseForeignPage(request, context);
  const { password, code, remember } = SETUP.parse(await readJson(request));
  if (maybeRebound(request, context)) requireSetupCode(code, request, context);
  await adminPassword.setUp(password, deadline.signal);
  log.info("the admin password is set: statistics are for those who log in or have a key");
  return sessionReply(request, context, await login.begin(deviceOf(request, remember)));
};

/** POST /api/auth/login starts a session for the correct password (docs/http-api.md, "Login"). */
export const postLogin: Handler = async (request, context) => {
  const { login } = context.services;
  const address = clientAddressOfRequest(request, context);
  refuseForeignPage(request, context);
  login.check(address);
  const { password, remember } = LOGIN.parse(await readJson(request));
  const device = deviceOf(request, remember);
  return sessionReply(request, context, await login.attempt({ password, address, device, signal: context.deadline.signal }));
};

/** POST /api/auth/logout ends the session, and succeeds without one (docs/http-api.md, "Login sessions"). */
export const postLogout: Handler = async (request, context) => {
  await context.services.login.logOut(sessionTokensOf(request));
  return jsonReply({ status: "logged_out" }, 200, sessionCookie(request, context, null));
};

/** POST /api/auth/logout-all ends every session, the caller's too (docs/http-api.md, "Login sessions"). */
export const postLogoutAll: Handler = async (request, context) => {
  const { login, log } = context.services;
  await login.logOutEverywhere();
  log.info("all sessions were ended on request");
  return jsonReply({ status: "logged_out" }, 200, sessionCookie(request, context, null));
};

/** GET /api/auth/sessions: the browsers that stay logged in (docs/http-api.md, "Persistent sessions"). */
export const getSessions: Handler = (request, { services: { persistentSessions } }) =>
  jsonReply(persistentSessions.list(sessionTokensOf(request)).map(listed));

const listed = ({ sessionHash, createdAt, lastUsedOn, browser, os, isCurrent }: ReturnType<PersistentSessions["list"]>[number]) => ({
  session_hash: sessionHash,
  created_at: createdAt,
  last_used_on: lastUsedOn,
  browser,
  os,
  current: isCurrent,
});

/** DELETE /api/auth/sessions/{session_hash} ends one of them, which may be the caller's. */
export const deleteSession: Handler = async (_request, { services: { persistentSessions, log }, params }) => {
  await persistentSessions.end(params.session_hash ?? "");
  log.info("a persistent session was ended on request");
  return jsonReply({ status: "ended" });
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

const SESSION_HASH = text("SHA-256 of the session's token, which identifies the session.", { pattern: "^[0-9a-f]{64}$" });

const SCHEMAS = {
  NewPassword: SETUP.schema,
  Password: LOGIN.schema,
  PasswordChange: PASSWORD_CHANGE.schema,
  PasswordChanged: closed({ status: text("Constant.", { const: "changed" }) }),
  Session: closed({ token: text("The session token, which is also in the cookie.", { pattern: "^[0-9a-f]{64}$" }) }),
  LoggedOut: closed({ status: text("Constant.", { const: "logged_out" }) }),
  PersistentSessions: list(
    "The one that was used last first.",
    closed({
      session_hash: SESSION_HASH,
      created_at: text("When it began, in UTC.", { format: "date-time" }),
      last_used_on: text("The date in UTC on which it was last used.", { format: "date" }),
      browser: orNull(text("The name of its browser, by its User-Agent. Null if unknown.")),
      os: orNull(text("The name of its operating system. Null if unknown.")),
      current: boolean("Whether it is the session of the request."),
    }),
    { maxItems: PERSISTENT_SESSIONS_MAX },
  ),
  EndedSession: closed({ status: text("Constant.", { const: "ended" }) }),
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
    refusals: {
      unavailable: "The end of persistent sessions could not be stored. All have ended until a restart; log in and try again.",
      request_timeout: "The end was not stored within the time limit.",
    },
  },
  "GET /api/auth/sessions": {
    operationId: "listSessions",
    summary: "Lists the browsers that stay logged in",
    answers: { 200: answer("The persistent sessions that have not ended; never their tokens.", "PersistentSessions") },
  },
  "DELETE /api/auth/sessions/:session_hash": {
    operationId: "endSession",
    summary: "Ends a persistent session",
    description: "At once; it may be the caller's.",
    parameters: [
      inPath("session_hash", "The hash of the session.", SESSION_HASH, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"),
    ],
    answers: { 200: answer("The session has ended.", "EndedSession") },
    refusals: {
      not_found: "There is no persistent session with this hash.",
      unavailable: "The end could not be stored. The session is refused until a restart; try again.",
      request_timeout: "The end was not stored within the time limit.",
    },
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
