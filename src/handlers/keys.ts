/** POST, GET and DELETE /api/keys: API keys (docs/http-api.md, "API keys"). */
import { parseKeyName, parseKeyScope, type ApiKey } from "../runtime/auth/api-keys.ts";
import { parseObject, requiredText } from "../runtime/ingest/json-fields.ts";
import { readBody } from "./body.ts";
import type { Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

export const postKey: Handler = async (request, { services, nowMs, deadline }) => {
  const body = parseObject(await readBody(request));
  const [nameText, scopeText] = [requiredText(body, "name"), requiredText(body, "scope")];
  const { key, keyHash, name, scope } = await services.apiKeys.create(
    parseKeyName(nameText),
    parseKeyScope(scopeText),
    nowMs,
    deadline.signal,
  );
  return jsonReply({ key, key_hash: keyHash, name, scope }, 201);
};

const listed = ({ keyHash, name, scope, createdAt, revoked }: ApiKey) => ({
  key_hash: keyHash,
  name,
  scope,
  created_at: createdAt,
  revoked,
});

export const getKeys: Handler = (_request, { services }) => jsonReply(services.apiKeys.list().map(listed));

export const deleteKey: Handler = async (_request, { services, params, deadline }) => {
  await services.apiKeys.revoke(params.key_hash ?? "", deadline.signal);
  return jsonReply({ status: "revoked" });
};
