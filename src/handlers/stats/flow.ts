/** GET /api/stats/flow (decisions, "Statistics"): which page comes after or before a page. */
import { FLOW_ROWS_DEFAULT, FLOW_ROWS_MAX } from "../../runtime/config/limits.ts";
import { flowOf } from "../../runtime/reports/flow.ts";
import { FLOW_DIRECTIONS } from "../../runtime/reports/queries/flow.ts";
import { parsePage } from "../../runtime/query/steps.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply, sessionGapMsOf } from "./behavioral.ts";

export const getFlow: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const question = {
    page: parsePage("page", query.text("page")),
    direction: query.choice("direction", FLOW_DIRECTIONS),
    rowsMax: query.integer("limit", { min: 1, max: FLOW_ROWS_MAX, otherwise: FLOW_ROWS_DEFAULT }),
  };
  const gapMs = sessionGapMsOf(context.services.config);
  return behavioralReply(context, { name: "flow", scope, parameters: [question] }, async (over) => {
    const rows = await over(scope, (ask) => flowOf(ask, scope, gapMs, question));
    return JSON.stringify(rows.map(({ nextPage, visitors, share }) => ({ next_page: nextPage, visitors, share })));
  });
};
