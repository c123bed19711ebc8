/** GET, POST, PUT and DELETE /api/rules: the rules by which a site leaves out visits (docs/http-api.md, "Rules of a site"). */
import { RULES_MAX } from "../runtime/base/config/admin-limits.ts";
import { list } from "../runtime/base/json-schema.ts";
import { checkApplied, filterRuleOf } from "../runtime/query/site-rules.ts";
import { appliedOf, parseRule, RULE, ruleJson, type SiteRule } from "../runtime/sites/rule.ts";
import { administeredSite, deleteHandler, readSite, idParameter, LIST_REFUSALS, CHANGE_REFUSALS, NOT_FOUND } from "./items.ts";
import { answer, jsonBody, BODY_REFUSALS, SITE, type Operations } from "./openapi/operation.ts";
import { jsonReply, readJson } from "./http.ts";
import type { Context, Handler } from "./route.ts";

const described = ({ id, createdAt, changedMs, fields }: SiteRule) => ({
  id,
  ...ruleJson(fields),
  created_at: createdAt,
  changed_at: new Date(changedMs).toISOString(),
});

/** Stores a rule, and answers with it as it is listed. 400 for conditions that a report would refuse. */
async function store(request: Request, context: Context, id: string, status: 200 | 201) {
  const { services, deadline } = context;
  const siteId = administeredSite(context);
  const fields = parseRule(await readJson(request));
  filterRuleOf(fields, services.config);
  const changesOf = () => {
    if (status === 200) services.rules.existing(siteId, id);
    const others = services.rules.of(siteId).filter((rule) => rule.id !== id);
    if (fields.isApplied) checkApplied([...appliedOf(others), fields], services.config);
    return new Map([[id, fields]]);
  };
  await services.rules.change(siteId, changesOf, deadline.signal);
  return jsonReply(described(services.rules.existing(siteId, id)), status);
}

export const getRules: Handler = (_request, context) => jsonReply(context.services.rules.of(readSite(context)).map(described));

export const postRule: Handler = (request, context) => store(request, context, context.services.rules.newId(), 201);

export const putRule: Handler = (request, context) => store(request, context, context.params.rule_id ?? "", 200);

export const deleteRule = deleteHandler("rule_id", ({ rules }) => rules);

// Description in the OpenAPI document

const SCHEMAS = {
  SiteRule: RULE.responseSchema,
  SiteRules: list("In the order in which they were made.", RULE.responseSchema, { maxItems: RULES_MAX }),
  NewRule: RULE.schema,
};

const RULE_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "`site_id` is no site id, the body is not JSON, a field is unknown or breaks its rule, or the site has the maximum number.",
} as const;

const RULE_ID = idParameter("rule_id", "The id of the rule.");

const OPERATIONS = {
  "GET /api/rules": {
    operationId: "listRules",
    summary: "Lists the rules of a site",
    parameters: [SITE],
    answers: { 200: answer("The rules, applied or not.", "SiteRules") },
    refusals: LIST_REFUSALS,
  },
  "POST /api/rules": {
    operationId: "createRule",
    summary: "Adds a rule to a site",
    description: "It holds for visits from before, too. Nothing is deleted.",
    parameters: [SITE],
    requestBody: jsonBody("NewRule"),
    answers: { 201: answer("The rule, which is stored.", "SiteRule") },
    refusals: { ...CHANGE_REFUSALS, ...RULE_BODY_REFUSALS },
  },
  "PUT /api/rules/:rule_id": {
    operationId: "putRule",
    summary: "Replaces a rule, applies it or takes it back",
    description: "A field that is missing gets its default. With `is_applied: false` all figures are what they were without the rule.",
    parameters: [RULE_ID, SITE],
    requestBody: jsonBody("NewRule"),
    answers: { 200: answer("The rule, which is stored.", "SiteRule") },
    refusals: { ...CHANGE_REFUSALS, ...RULE_BODY_REFUSALS, ...NOT_FOUND },
  },
  "DELETE /api/rules/:rule_id": {
    operationId: "deleteRule",
    summary: "Removes a rule",
    description: "The visits that it left out count again.",
    parameters: [RULE_ID, SITE],
    answers: { 200: answer("The site no longer has the rule.", "Deleted") },
    refusals: { ...CHANGE_REFUSALS, ...NOT_FOUND },
  },
} satisfies Operations;

export const RULES_API = { tag: "Rules", schemas: SCHEMAS, operations: OPERATIONS } as const;
