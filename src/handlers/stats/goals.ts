/** GET /api/stats/goals (contract 4.4): every event other than a pageview, and the share of visitors it reached. */
import { goalsOf } from "../../runtime/reports/goals.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { figureReply } from "./figure.ts";

export const getGoals: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  return figureReply(context, { name: "goals", scope }, async (over) => {
    const goals = await over(scope, (ask) => goalsOf(ask, scope));
    return JSON.stringify(goals.map(({ conversionRate, ...goal }) => ({ ...goal, conversion_rate: conversionRate })));
  });
};
