/** GET, POST, PUT and DELETE /api/goals: the goals of a site (docs/http-api.md, "Goals of a site"). */
import { GOALS_MAX } from "../runtime/base/config/admin-limits.ts";
import { list } from "../runtime/base/json-schema.ts";
import { goalJson, goalsWith, inOrder, parseGoal, GOAL, type SiteGoal } from "../runtime/sites/goal.ts";
import type { SiteId } from "../storage/event.ts";
import { administeredSite, deleteHandler, readSite, idParameter, LIST_REFUSALS, CHANGE_REFUSALS, NOT_FOUND } from "./items.ts";
import { answer, jsonBody, BODY_REFUSALS, SITE, type Operations } from "./openapi/operation.ts";
import { jsonReply, readJson } from "./http.ts";
import type { Context, Handler } from "./route.ts";

/** `position` counts from 1, without the gaps that removed goals leave. */
const described = ({ id, createdAt, fields }: SiteGoal, position: number) => ({ id, ...goalJson(fields), position, created_at: createdAt });

const listOf = (siteId: SiteId, { services: { goals } }: Context) => inOrder(goals.of(siteId)).map((goal, i) => described(goal, i + 1));

export const getGoals: Handler = (_request, context) => jsonReply(listOf(readSite(context), context));

/** Stores a goal, and answers with it as it is listed. */
async function store(request: Request, context: Context, id: string, status: 200 | 201) {
  const { services, deadline } = context;
  const siteId = administeredSite(context);
  const { fields, place } = parseGoal(await readJson(request));
  const changesOf = (goals: readonly SiteGoal[]) => {
    if (status === 200) services.goals.existing(siteId, id);
    return goalsWith(goals, id, fields, place);
  };
  await services.goals.change(siteId, changesOf, deadline.signal);
  return jsonReply(
    listOf(siteId, context).find((goal) => goal.id === id),
    status,
  );
}

export const postGoal: Handler = (request, context) => store(request, context, context.services.goals.newId(), 201);

export const putGoal: Handler = (request, context) => store(request, context, context.params.goal_id ?? "", 200);

export const deleteGoal = deleteHandler("goal_id", ({ goals }) => goals);

// Description in the OpenAPI document

const SCHEMAS = {
  SiteGoal: GOAL.responseSchema,
  SiteGoals: list("In the order of the site.", GOAL.responseSchema, { maxItems: GOALS_MAX }),
  NewGoal: GOAL.schema,
};

const GOAL_BODY_REFUSALS = {
  ...BODY_REFUSALS,
  invalid_input:
    "`site_id` is no site id, the body is not JSON, a field is unknown or breaks its rule, the name is taken, or the site has the maximum number.",
} as const;

const GOAL_ID = idParameter("goal_id", "The id of the goal.");

const OPERATIONS = {
  "GET /api/goals": {
    operationId: "listGoals",
    summary: "Lists the goals of a site",
    parameters: [SITE],
    answers: { 200: answer("The goals in their order.", "SiteGoals") },
    refusals: LIST_REFUSALS,
  },
  "POST /api/goals": {
    operationId: "createGoal",
    summary: "Adds a goal to a site",
    description: "It counts events from before, too. Without `position` it is the last one.",
    parameters: [SITE],
    requestBody: jsonBody("NewGoal"),
    answers: { 201: answer("The goal, which is stored.", "SiteGoal") },
    refusals: { ...CHANGE_REFUSALS, ...GOAL_BODY_REFUSALS },
  },
  "PUT /api/goals/:goal_id": {
    operationId: "putGoal",
    summary: "Replaces a goal, and moves it",
    description: "A field that is missing gets its default; without `position` the goal keeps its place. The id stays.",
    parameters: [GOAL_ID, SITE],
    requestBody: jsonBody("NewGoal"),
    answers: { 200: answer("The goal, which is stored.", "SiteGoal") },
    refusals: { ...CHANGE_REFUSALS, ...GOAL_BODY_REFUSALS, ...NOT_FOUND },
  },
  "DELETE /api/goals/:goal_id": {
    operationId: "deleteGoal",
    summary: "Removes a goal",
    description: "Events stay.",
    parameters: [GOAL_ID, SITE],
    answers: { 200: answer("The site no longer has the goal.", "Deleted") },
    refusals: { ...CHANGE_REFUSALS, ...NOT_FOUND },
  },
} satisfies Operations;

export const GOALS_API = { tag: "Goals", schemas: SCHEMAS, operations: OPERATIONS } as const;
