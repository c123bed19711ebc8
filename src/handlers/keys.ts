/** POST, GET and DELETE /api/keys: API keys (docs/http-api.md, "API keys"). */
import { KEY_SCOPES, type ApiKey } from "../runtime/access/api-keys.ts";
import { Body, required, textField, textsField, wordField } from "../runtime/base/body.ts";
import { API_KEYS_MAX, API_KEY_SITES_MAX } from "../runtime/base/config/admin-limits.ts";
import { API_KEY_PREFIX, parseSiteId, siteIdSchema } from "../runtime/base/config/names.ts";
import { invalidInput } from "../runtime/base/errors.ts";
import { boolean, closed, list, orNull, text, word } from "../runtime/base/json-schema.ts";
import { API_KEY_NAME_CHARS_MAX } from "../shared/limits.ts";
import { answer, jsonBody, BODY_REFUSALS, inPath, type Operations } from "./openapi/operation.ts";
import { jsonReply, readJson } from "./http.ts";
import type { Handler } from "./route.ts";

const NAME = text("The purpose of the key.", { minLength: 1, maxLength: API_KEY_NAME_CHARS_MAX });

const SCOPE = word(
  "`ReadOnly` keys may read stats. `Admin` keys have the rights of a session; limited to sites, over these sites only.",
  KEY_SCOPES,
);

const SITES = list("The sites that the key is limited to. Without it, the key is for all sites.", siteIdSchema("A site id."), {
  minItems: 1,
  maxItems: API_KEY_SITES_MAX,
});

const NEW_KEY = new Body({
  name: required(textField(NAME)),
  scope: required(wordField(SCOPE)),
  sites: textsField(orNull(SITES), (ids, name) => {
    const sites = [...new Set(ids.map((id) => parseSiteId(id, name)))];
    if (sites.length >= 1 && sites.length <= API_KEY_SITES_MAX) return sites;
    throw invalidInput(`Field "${name}" must list 1 to ${API_KEY_SITES_MAX} site ids; leave it out for a key for all sites`);
  }),
});

export const postKey: Handler = async (request, { services, nowMs, deadline }) => {
  const { name, scope, sites: sent } = NEW_KEY.parse(await readJson(request));
  const { names } = services;
  const rights = { scope, sites: sent && names ? [...new Set(sent.map((siteId) => names.renamedTo(siteId)))] : sent };
  const { key, ...created } = await services.apiKeys.create(name, rights, nowMs, deadline.signal);
  return jsonReply({ key, ...described(created) }, 201);
};

/** `sites` only if the key is limited. */
const described = ({ keyHash, name, scope, sites }: ApiKey) => ({ key_hash: keyHash, name, scope, ...(sites && { sites }) });

const listed = (key: ApiKey) => ({ ...described(key), created_at: key.createdAt, revoked: key.revoked });

export const getKeys: Handler = (_request, { services }) => jsonReply(services.apiKeys.list().map(listed));

export const deleteKey: Handler = async (_request, { services, params, deadline }) => {
  await services.apiKeys.revoke(params.key_hash ?? "", deadline.signal);
  return jsonReply({ status: "revoked" });
};

// Description in the OpenAPI document

const KEY_HASH = text("SHA-256 of the whole key, which identifies it.", { pattern: "^[0-9a-f]{64}$" });

const KEY = { key_hash: KEY_HASH, name: NAME, scope: SCOPE, sites: SITES };

const SCHEMAS = {
  NewKey: NEW_KEY.schema,
  CreatedKey: closed(
    { key: text("The key itself, which is returned only here.", { pattern: `^${API_KEY_PREFIX}[0-9a-f]{64}$` }), ...KEY },
    { optional: ["sites"] },
  ),
  Keys: list(
    "In order of creation.",
    closed(
      {
        ...KEY,
        created_at: text("When the key was created, in UTC.", { format: "date-time" }),
        revoked: boolean("Whether the key is revoked."),
      },
      { optional: ["sites"] },
    ),
    { maxItems: API_KEYS_MAX },
  ),
  RevokedKey: closed({ status: text("Constant.", { const: "revoked" }) }),
};

const KEY_HASH_PARAMETER = inPath(
  "key_hash",
  "The hash of the key.",
  KEY_HASH,
  "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
);

const KEY_CHANGE_REFUSALS = {
  too_many_requests: "Too many key changes are waiting to be stored.",
  request_timeout: "The change was not stored within the time limit.",
} as const;

const OPERATIONS = {
  "POST /api/keys": {
    operationId: "createKey",
    summary: "Creates an API key",
    requestBody: jsonBody("NewKey"),
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
    summary: "Lists all API keys, including revoked ones",
    answers: { 200: answer("All keys; never the keys themselves.", "Keys") },
  },
  "DELETE /api/keys/:key_hash": {
    operationId: "revokeKey",
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
} satisfies Operations;

export const KEYS_API = { tag: "Access", schemas: SCHEMAS, operations: OPERATIONS } as const;
