/** POST, GET and DELETE /api/keys: API keys (docs/http-api.md, "API keys"). */
import { parseKeyName, parseKeyScope, parseKeySites, type ApiKey } from "../runtime/access/api-keys.ts";
import { optionalTexts, parseObject, requiredText } from "../runtime/base/config/json-fields.ts";
import { readBody } from "./body.ts";
import type { Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

export const postKey: Handler = async (request, { services, nowMs, deadline }) => {
  const body = parseObject(await readBody(request));
  const [nameText, scopeText, siteIds] = [requiredText(body, "name"), requiredText(body, "scope"), optionalTexts(body, "sites")];
  const name = parseKeyName(nameText);
  const rights = { scope: parseKeyScope(scopeText), sites: siteIds && parseKeySites(siteIds) };
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
