/** Describes setup, login, sessions and API keys (docs/http-api.md, "Authentication"). */
import { KEY_SCOPES } from "../../runtime/auth/api-keys.ts";
import {
  ADMIN_PASSWORD_CHARS_MIN,
  API_KEYS_MAX,
  API_KEY_NAME_CHARS_MAX,
  BODY_BYTES_MAX,
  PASSWORD_BYTES_MAX,
} from "../../runtime/config/limits.ts";
import { API_KEY_PREFIX, SESSION_COOKIE } from "../../runtime/config/names.ts";
import { NOT_STORED, sets } from "./headers.ts";
import type { Answer, Operation, Parameter, RequestBody, SecurityScheme } from "./operation.ts";
import { boolean, closed, list, orNull, text, type Properties, type Schema } from "../../runtime/query/json-schema.ts";

/** The three ways to send a credential (docs/http-api.md, "Authentication"). */
export const SECURITY_SCHEMES = {
  Session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE, description: "The cookie of a login." },
  BearerKey: { type: "http", scheme: "bearer", description: `An API key, \`${API_KEY_PREFIX}…\`.` },
  HeaderKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "An API key." },
} as const satisfies Readonly<Record<string, SecurityScheme>>;

const HEX_256 = "^[0-9a-f]{64}$";

const KEY_NAME = text("What the key is for.", { minLength: 1, maxLength: API_KEY_NAME_CHARS_MAX });
const SCOPE = text("`ReadOnly` keys read statistics. `Admin` keys may do whatever a session may.", { enum: KEY_SCOPES });
const KEY_HASH = text("SHA-256 of the whole key, by which it is called from then on.", { pattern: HEX_256 });

/** Open, because fields that the service does not know are ignored. */
const open = (properties: Properties): Schema => ({ type: "object", properties, required: Object.keys(properties) });

const NEW_PASSWORD: Schema = {
  type: "object",
  properties: {
    // The rule is about bytes, which no keyword counts: a character takes one at the least.
    password: text(`The password to be: at most ${PASSWORD_BYTES_MAX} bytes in UTF-8.`, {
      minLength: ADMIN_PASSWORD_CHARS_MIN,
      maxLength: PASSWORD_BYTES_MAX,
    }),
    code: orNull(
      text(
        "The setup code from the log. Needed where the host name is refused otherwise, and ignored elsewhere. Case, dashes and spaces do not matter.",
      ),
    ),
  },
  required: ["password"],
};

export const AUTH_SCHEMAS = {
  NewPassword: NEW_PASSWORD,
  Password: open({ password: text(`The admin password. One of more than ${PASSWORD_BYTES_MAX} bytes in UTF-8 is wrong.`) }),
  Session: closed({ token: text("What the cookie holds.", { pattern: HEX_256 }) }),
  LoggedOut: closed({ status: text("The only value.", { const: "logged_out" }) }),
  AuthStatus: closed({
    setup_required: boolean("Whether there is no admin password yet."),
    authenticated: boolean("Whether the request may read statistics."),
  }),
  NewKey: open({ name: KEY_NAME, scope: SCOPE }),
  CreatedKey: closed({
    key: text("The key itself, which is told this once.", { pattern: `^${API_KEY_PREFIX}[0-9a-f]{64}$` }),
    key_hash: KEY_HASH,
    name: KEY_NAME,
    scope: SCOPE,
  }),
  Keys: list(
    "In the order of their creation.",
    closed({
      key_hash: KEY_HASH,
      name: KEY_NAME,
      scope: SCOPE,
      created_at: text("When it was made, in UTC.", { format: "date-time" }),
      revoked: boolean("Whether it was taken out of use."),
    }),
    { maxItems: API_KEYS_MAX },
  ),
  RevokedKey: closed({ status: text("The only value.", { const: "revoked" }) }),
};

const body = (schema: keyof typeof AUTH_SCHEMAS): RequestBody => ({
  description: `A JSON object of at most ${BODY_BYTES_MAX} bytes.`,
  required: true,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const answer = (description: string, schema: keyof typeof AUTH_SCHEMAS, headers = NOT_STORED): Answer => ({
  description,
  headers,
  content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const SESSION: Answer = answer("A session, as a cookie and in words.", "Session", {
  ...NOT_STORED,
  ...sets(`The session, as a cookie that scripts cannot read and other sites cannot send. \`Secure\` as \`secure_cookies\` says.`),
});

const BODY_REFUSALS = {
  body_too_large: `The body is longer than ${BODY_BYTES_MAX} bytes.`,
  malformed_body: "The body is not an object, or a field is missing or of the wrong type.",
} as const;

/** Of the routes that a rebound page must not use (`host.ts`). */
export const UNVERIFIED_HOST =
  "There is no admin password yet, the request came from this machine or a private network and through no trusted proxy, and its " +
  "`Host` is neither an IP address, nor localhost, nor that of `dashboard_origin`.";

const FOREIGN_PAGE = "A page of another origin sent it.";

const KEY_HASH_PARAMETER: Parameter = {
  name: "key_hash",
  in: "path",
  description: "The key's hash.",
  required: true,
  schema: KEY_HASH,
  example: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
};

const KEY_CHANGE_REFUSALS = {
  too_many_requests: "Too many changes of keys wait to be stored.",
  request_timeout: "The change was not stored within the time limit.",
} as const;

export const AUTH_OPERATIONS = {
  "POST /api/auth/setup": {
    operationId: "setUp",
    tag: "Access",
    summary: "Chooses the admin password, once",
    description:
      "Until it is called, statistics are open to everybody, and whoever calls it first has the password. Where the host name is " +
      "refused, the setup code is needed, which the service writes to its log each time it starts without a password.",
    requestBody: body("NewPassword"),
    answers: { 200: SESSION },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "The body is not JSON, or the password is too short or too long.",
      forbidden: FOREIGN_PAGE,
      unverified_host: `The setup code is missing or wrong. It is needed where the following holds: ${UNVERIFIED_HOST}`,
      already_configured: "There is a password. Nothing else was looked at.",
      request_timeout: "The password did not arrive, or was not stored, within the time limit.",
      too_many_requests: "Too many passwords wait to be checked, or the address has sent too many wrong setup codes in a row.",
      not_stored: "The password could not be hashed or stored, and is none.",
    },
  },
  "POST /api/auth/login": {
    operationId: "logIn",
    tag: "Access",
    summary: "Begins a session",
    requestBody: body("Password"),
    answers: { 200: SESSION },
    refusals: {
      ...BODY_REFUSALS,
      invalid_input: "There is no admin password yet, or the body is not JSON.",
      unauthenticated: "The password is wrong.",
      forbidden: FOREIGN_PAGE,
      unverified_host: UNVERIFIED_HOST,
      request_timeout: "The password did not arrive, or was not checked, within the time limit.",
      too_many_requests: "The address has sent too many wrong passwords in a row, or too many passwords wait to be checked.",
      internal: "The password could not be checked.",
    },
  },
  "POST /api/auth/logout": {
    operationId: "logOut",
    tag: "Access",
    summary: "Ends the session",
    description: "Fine without one, too.",
    answers: {
      200: answer("There is no session any more.", "LoggedOut", { ...NOT_STORED, ...sets("Makes the browser forget its session.") }),
    },
  },
  "GET /api/auth/status": {
    operationId: "getAuthStatus",
    tag: "Access",
    summary: "Whether there is a password, and whether the caller may read statistics",
    answers: { 200: answer("Both.", "AuthStatus") },
    refusals: { unverified_host: UNVERIFIED_HOST },
  },
  "POST /api/keys": {
    operationId: "createKey",
    tag: "Access",
    summary: "Makes an API key",
    requestBody: body("NewKey"),
    answers: { 201: answer("The key, which is told this once: only its hash is kept.", "CreatedKey") },
    refusals: {
      ...BODY_REFUSALS,
      ...KEY_CHANGE_REFUSALS,
      invalid_input: "The body is not JSON, the name is empty or too long, the scope is none, or there are as many keys as there may be.",
      not_stored: "The key could not be stored, and does not work.",
    },
  },
  "GET /api/keys": {
    operationId: "listKeys",
    tag: "Access",
    summary: "All API keys, revoked ones too",
    answers: { 200: answer("What is known of each; never the key itself.", "Keys") },
  },
  "DELETE /api/keys/:key_hash": {
    operationId: "revokeKey",
    tag: "Access",
    summary: "Takes an API key out of use",
    description: "Revoking a key again is fine.",
    parameters: [KEY_HASH_PARAMETER],
    answers: { 200: answer("The key is not accepted any more.", "RevokedKey") },
    refusals: {
      ...KEY_CHANGE_REFUSALS,
      not_found: "There is no key of this hash.",
      unavailable: "That could not be stored. The key is not accepted until a restart; try again.",
    },
  },
} satisfies Readonly<Record<string, Operation>>;
