/** Describes setup, login, sessions and API keys (docs/http-api.md, "Authentication"). */
import { KEY_SCOPES } from "../../runtime/access/api-keys.ts";
import {
  ADMIN_PASSWORD_CHARS_MIN,
  API_KEYS_MAX,
  API_KEY_NAME_CHARS_MAX,
  API_KEY_SITES_MAX,
  PASSWORD_BYTES_MAX,
} from "../../runtime/base/config/admin-limits.ts";
import { SITE_ID_CHARS_MAX } from "../../runtime/base/config/limits.ts";
import { SITE_ID, API_KEY_PREFIX, SESSION_COOKIE } from "../../runtime/base/config/names.ts";
import { NOT_STORED, sets } from "./headers.ts";
import { BODY_REFUSALS, jsonContent } from "./json-content.ts";
import type { Answer, Operation, Parameter, SecurityScheme } from "./operation.ts";
import { boolean, closed, list, orNull, text, type Properties, type Schema } from "../../runtime/query/json-schema.ts";

/** The ways to send a credential (docs/http-api.md, "Authentication"). */
export const SECURITY_SCHEMES = {
  Session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE, description: "The session cookie of a login." },
  BearerKey: { type: "http", scheme: "bearer", description: `An API key, \`${API_KEY_PREFIX}…\`.` },
  HeaderKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key." },
  Share: {
    type: "apiKey",
    in: "header",
    name: "X-Share",
    description: "The token of a share link, a reader token, or the id of a public site. With it, no other credential counts.",
  },
} as const satisfies Readonly<Record<string, SecurityScheme>>;

const SITE_ID_RULE = { minLength: 1, maxLength: SITE_ID_CHARS_MAX, pattern: SITE_ID.source };

const HEX_256 = "^[0-9a-f]{64}$";

const KEY_NAME = text("The purpose of the key.", { minLength: 1, maxLength: API_KEY_NAME_CHARS_MAX });
const SCOPE = text("`ReadOnly` keys may read stats. `Admin` keys have the rights of a session; limited to sites, over these sites only.", {
  enum: KEY_SCOPES,
});
const KEY_SITES = list(`The sites that the key is limited to. Without it, the key is for all sites.`, text("A site id.", SITE_ID_RULE), {
  minItems: 1,
  maxItems: API_KEY_SITES_MAX,
});
const KEY_HASH = text("SHA-256 of the whole key, which identifies it.", { pattern: HEX_256 });

/** Open, because unknown fields are ignored. */
const open = (properties: Properties): Schema => ({ type: "object", properties, required: Object.keys(properties) });

const NEW_PASSWORD: Schema = {
  type: "object",
  properties: {
    // The limit is in bytes, which no keyword counts: a character is at least one byte.
    password: text(`The new password: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
      minLength: ADMIN_PASSWORD_CHARS_MIN,
      maxLength: PASSWORD_BYTES_MAX,
    }),
    code: orNull(
      text("The setup code from the log. Required for unverified host names and ignored otherwise. Case, dashes and spaces do not matter."),
    ),
  },
  required: ["password"],
};

export const AUTH_SCHEMAS = {
  NewPassword: NEW_PASSWORD,
  Password: open({ password: text(`The admin password. A password of more than ${PASSWORD_BYTES_MAX} bytes in UTF-8 is always wrong.`) }),
  PasswordChange: open({
    current_password: text("The admin password."),
    new_password: text(`The new password: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
      minLength: ADMIN_PASSWORD_CHARS_MIN,
      maxLength: PASSWORD_BYTES_MAX,
    }),
  }),
  PasswordChanged: closed({ status: text("Constant.", { const: "changed" }) }),
  Session: closed({ token: text("The session token, which is also in the cookie.", { pattern: HEX_256 }) }),
  LoggedOut: closed({ status: text("Constant.", { const: "logged_out" }) }),
  AuthStatus: closed({
    setup_required: boolean("Whether no admin password is set yet."),
    authenticated: boolean("Whether the request may read stats."),
  }),
  NewKey: { type: "object", properties: { name: KEY_NAME, scope: SCOPE, sites: orNull(KEY_SITES) }, required: ["name", "scope"] } as Schema,
  CreatedKey: closed(
    {
      key: text("The key itself, which is returned only here.", { pattern: `^${API_KEY_PREFIX}[0-9a-f]{64}$` }),
      key_hash: KEY_HASH,
      name: KEY_NAME,
      scope: SCOPE,
      sites: KEY_SITES,
    },
    { optional: ["sites"] },
  ),
  Keys: list(
    "In order of creation.",
    closed(
      {
        key_hash: KEY_HASH,
        name: KEY_NAME,
        scope: SCOPE,
        sites: KEY_SITES,
        created_at: text("When the key was created, in UTC.", { format: "date-time" }),
        revoked: boolean("Whether the key is revoked."),
      },
      { optional: ["sites"] },
    ),
    { maxItems: API_KEYS_MAX },
  ),
  RevokedKey: closed({ status: text("Constant.", { const: "revoked" }) }),
};

const { answer, body } = jsonContent<keyof typeof AUTH_SCHEMAS>();

const SESSION: Answer = answer("A new session, in the body and as a cookie.", "Session", {
  ...NOT_STORED,
  ...sets(`The session cookie: \`HttpOnly\`, \`SameSite=Strict\`, and \`Secure\` as set by \`secure_cookies\`.`),
});

/** When the routes that DNS rebinding must not reach refuse a request (`host.ts`). */
export const UNVERIFIED_HOST =
  "No admin password is set yet, the request came from this machine or a private network without a trusted proxy, and its " +
  "`Host` is neither an IP address, nor localhost, nor that of `dashboard_origin`.";

const FOREIGN_PAGE = "A page of another origin sent the request.";

const KEY_HASH_PARAMETER: Parameter = {
  name: "key_hash",
  in: "path",
  description: "The hash of the key.",
  required: true,
  schema: KEY_HASH,
  example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
};

const KEY_CHANGE_REFUSALS = {
  too_many_requests: "Too many key changes are waiting to be stored.",
  request_timeout: "The change was not stored within the time limit.",
} as const;

export const AUTH_OPERATIONS = {
  "POST /api/auth/setup": {
    operationId: "setUp",
    tag: "Access",
    summary: "Sets the admin password, once",
    description:
      "Until it is called, stats are open to everyone, and the first caller sets the password. For an unverified host name, " +
      "the setup code is required, which the service writes to its log each time it starts without a password.",
    requestBody: body("NewPassword"),
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
    tag: "Access",
    summary: "Starts a session",
    requestBody: body("Password"),
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
    tag: "Access",
    summary: "Ends the session",
    description: "Succeeds without a session, too.",
    answers: {
      200: answer("The session has ended.", "LoggedOut", { ...NOT_STORED, ...sets("Deletes the session cookie.") }),
    },
  },
  "POST /api/auth/logout-all": {
    operationId: "logOutEverywhere",
    tag: "Access",
    summary: "Ends every session",
    description: "The caller's session ends, too. API keys stay valid.",
    answers: {
      200: answer("All sessions have ended.", "LoggedOut", { ...NOT_STORED, ...sets("Deletes the session cookie.") }),
    },
  },
  "POST /api/auth/password": {
    operationId: "changePassword",
    tag: "Access",
    summary: "Replaces the admin password",
    description: "Ends all other sessions. API keys stay valid.",
    requestBody: body("PasswordChange"),
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
    tag: "Access",
    summary: "Authentication status",
    answers: { 200: answer("Whether a password is set, and whether the caller may read stats.", "AuthStatus") },
    refusals: { unverified_host: UNVERIFIED_HOST },
  },
  "POST /api/keys": {
    operationId: "createKey",
    tag: "Access",
    summary: "Creates an API key",
    requestBody: body("NewKey"),
    answers: { 201: answer("The key, which is returned only here: only its hash is stored.", "CreatedKey") },
    refusals: {
      ...BODY_REFUSALS,
      ...KEY_CHANGE_REFUSALS,
      invalid_input:
        "The body is not JSON, the name is empty or too long, the scope is unknown, `sites` are too few, too many or no site ids, or the maximum number of keys exists.",
      not_stored: "The key could not be stored, and is not valid.",
    },
  },
  "GET /api/keys": {
    operationId: "listKeys",
    tag: "Access",
    summary: "Lists all API keys, including revoked ones",
    answers: { 200: answer("All keys; never the keys themselves.", "Keys") },
  },
  "DELETE /api/keys/:key_hash": {
    operationId: "revokeKey",
    tag: "Access",
    summary: "Revokes an API key",
    description: "Revoking a key again succeeds.",
    parameters: [KEY_HASH_PARAMETER],
    answers: { 200: answer("The key is no longer accepted.", "RevokedKey") },
    refusals: {
      ...KEY_CHANGE_REFUSALS,
      not_found: "There is no key with this hash.",
      unavailable: "The revocation could not be stored. The key is rejected until a restart; try again.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
