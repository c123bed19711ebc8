/** GET, POST, PUT and DELETE /api/goals: the goals of a site (docs/http-api.md, "Goals of a site"). */
import { parseObject } from "../runtime/base/config/json-fields.ts";
import { goalJson, goalsWith, inOrder, parseGoal, parsePosition, type SiteGoal } from "../runtime/sites/goal.ts";
import type { SiteId } from "../storage/event.ts";
import { readBody } from "./body.ts";
import { administeredSite, readSite } from "./collections.ts";
import type { Context, Handler } from "./context.ts";
import { jsonReply } from "./reply.ts";

/** `position` counts from 1, without the gaps that removed goals leave. */
const described = ({ id, createdAt, fields }: SiteGoal, position: number) => ({ id, ...goalJson(fields), position, created_at: createdAt });

const listOf = (siteId: SiteId, { services: { goals } }: Context) => inOrder(goals.of(siteId)).map((goal, i) => described(goal, i + 1));

export const getGoals: Handler = (_request, context) => jsonReply(listOf(readSite(context), context));

/** Stores a goal, and answers with it as it is listed. */
async function putGoal(request: Request, context: Context, siteId: SiteId, id: string, status: 200 | 201) {
  const { services, deadline } = context;
  const body = parseObject(await readBody(request));
  const [fields, position] = [parseGoal(body), parsePosition(body)];
  const changesOf = (goals: readonly SiteGoal[]) => {
    if (status === 200) services.goals.existing(siteId, id);
    return goalsWith(goals, id, fields, position);
  };
  await services.goals.change(siteId, changesOf, deadline.signal);
  return jsonReply(
    listOf(siteId, context).find((goal) => goal.id === id),
    status,
  );
}

export const postGoal: Handler = (request, context) =>
  putGoal(request, context, administeredSite(context), context.services.goals.newId(), 201);

export const putGoalById: Handler = (request, context) =>
  putGoal(request, context, administeredSite(context), context.params.goal_id ?? "", 200);

export const deleteGoal: Handler = async (_request, context) => {
  const { services, params, deadline } = context;
  const siteId = administeredSite(context);
  await services.goals.change(siteId, () => new Map([[services.goals.existing(siteId, params.goal_id ?? "").id, null]]), deadline.signal);
  return jsonReply({ status: "deleted" });
};
