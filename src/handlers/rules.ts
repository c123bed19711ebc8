/**
 * GET, POST, PUT and DELETE /api/rules: the rules by which a site leaves out visits (docs/http-api.md, "Rules of a site").
 * GET /api/rules/built-in: those of the lens `strict`.
 */
import { RULES_MAX } from "../runtime/base/config/admin-limits.ts";
import { boolean, closed, count, list, text, word } from "../runtime/base/json-schema.ts";
import { BUILT_IN_RULES, countsFrom, isInShadow, versionOfStrict } from "../runtime/query/built-in-rules.ts";
import { checkApplied, filterRuleOf } from "../runtime/query/site-rules.ts";
import { appliedOf, parseRule, RULE, ruleJson, type SiteRule } from "../runtime/sites/rule.ts";
import { administeredSite, deleteHandler, readSite, refuseGuest, idParameter, LIST_REFUSALS, CHANGE_REFUSALS, NOT_FOUND } from "./items.ts";
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
    if (fields.isApplied) checkApplied(fields, appliedOf(others), services.config);
    return new Map([[id, fields]]);
  };
  await services.rules.change(siteId, changesOf, deadline.signal);
  return jsonReply(described(services.rules.existing(siteId, id)), status);
}

export const getRules: Handler = (_request, context) => jsonReply(context.services.rules.of(readSite(context)).map(described));

export const postRule: Handler = (request, context) => store(request, context, context.services.rules.newId(), 201);

export const putRule: Handler = (request, context) => store(request, context, context.params.rule_id ?? "", 200);

export const deleteRule = deleteHandler("rule_id", ({ rules }) => rules);

export const getBuiltInRules: Handler = (_request, { reader }) => {
  refuseGuest(reader);
  const { nowMs } = reader;
  const rules = BUILT_IN_RULES.map((rule) => ({
    ...{ id: rule.id, description: rule.description, since: rule.since },
    ...{ counts_from: countsFrom(rule), is_in_shadow: isInShadow(rule, nowMs) },
  }));
  return jsonReply({ lens: "strict", version: versionOfStrict(nowMs), rules });
};

// Description in the OpenAPI document

const SCHEMAS = {
  SiteRule: RULE.responseSchema,
  SiteRules: list("In the order in which they were made.", RULE.responseSchema, { maxItems: RULES_MAX }),
  NewRule: RULE.schema,
  BuiltInRules: closed({
    lens: word("The lens that counts by them.", ["strict"]),
    version: count("Differs whenever the rules do by which the lens counts."),
    rules: list(
      "In the order in which they were made.",
      closed({
        id: text("The name of the rule. It never changes its meaning."),
        description: text("What it leaves out."),
        since: text("The date of the rule.", { format: "date" }),
        counts_from: text("The date of UTC from which on the lens counts by it, for the whole past.", { format: "date" }),
        is_in_shadow: boolean("True before that date: the lens does not count by it yet."),
      }),
    ),
  }),
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
  "GET /api/rules/built-in": {
    operationId: "listBuiltInRules",
    summary: "Lists the rules of the lens `strict`",
    description: "They are the same for all sites. New ones are listed four weeks before the lens counts by them.",
    answers: { 200: answer("The rules, counted by or not.", "BuiltInRules") },
  },
} satisfies Operations;

export const RULES_API = { tag: "Rules", schemas: SCHEMAS, operations: OPERATIONS } as const;
