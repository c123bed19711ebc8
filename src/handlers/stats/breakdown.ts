/** GET /api/stats/breakdown/{dimension} (contract 4.4): figures for each value of a dimension. */
import { BREAKDOWN_ROWS_DEFAULT, BREAKDOWN_ROWS_MAX } from "../../runtime/config/limits.ts";
import { isDimension, parseDimension } from "../../runtime/query/dimensions.ts";
import { breakdownOf, sessionPagesOf } from "../../runtime/reports/breakdown.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { behavioralReply, sessionGapMsOf } from "./behavioral.ts";
import { figureReply } from "./figure.ts";

export const getBreakdown: Handler = (_request, context) => {
  const query = new Query(context.url);
  const scope = query.scope(context.nowMs);
  const rowsMax = query.integer("limit", { min: 1, max: BREAKDOWN_ROWS_MAX, otherwise: BREAKDOWN_ROWS_DEFAULT });
  const dimension = parseDimension(context.params.dimension ?? "");
  const figure = { name: "breakdown", scope, parameters: [dimension, rowsMax] };
  if (isDimension(dimension)) {
    return figureReply(context, figure, async (over) =>
      JSON.stringify(await over(scope, (ask) => breakdownOf(ask, scope, dimension, rowsMax))),
    );
  }
  const gapMs = sessionGapMsOf(context.services.config);
  return behavioralReply(context, figure, async (over) =>
    JSON.stringify(await over(scope, (ask) => sessionPagesOf(ask, scope, gapMs, dimension, rowsMax))),
  );
};
