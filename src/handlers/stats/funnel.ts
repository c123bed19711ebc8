/** GET /api/stats/funnel (decisions, "Statistics"): how many visitors take one step after the other. */
import { STEPS_MIN } from "../../runtime/config/limits.ts";
import { funnelOf, parseFunnelModes, parseFunnelWindow, type Funnel } from "../../runtime/reports/funnel.ts";
import { parseSteps } from "../../runtime/query/steps.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply } from "./behavioral.ts";

export const getFunnel: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const funnel: Funnel = {
    steps: parseSteps("steps", query.text("steps"), STEPS_MIN),
    windowMs: parseFunnelWindow(query.text("window")),
    modes: parseFunnelModes(query.text("modes")),
  };
  return behavioralReply(context, { name: "funnel", scope, parameters: [funnel] }, async (over) => {
    const rows = await over(scope, (ask) => funnelOf(ask, scope, funnel));
    return JSON.stringify(
      rows.map(({ step, name, visitors, conversionRate, droppedOff }) => ({
        step,
        name,
        visitors,
        conversion_rate: conversionRate,
        dropped_off: droppedOff,
      })),
    );
  });
};
