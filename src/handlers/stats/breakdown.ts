/** GET /api/stats/breakdown/{dimension} (contract 4.4): figures for each value of a dimension. */
import { BREAKDOWN_ROWS_DEFAULT, BREAKDOWN_ROWS_MAX } from "../../runtime/limits.ts";
import { parseDimension } from "../../runtime/stats/dimensions.ts";
import { breakdownRows } from "../../runtime/stats/figures.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { jsonResponse } from "../responses.ts";

export const getBreakdown: Handler = async (request, { services, nowMs, deadline, params }) => {
  const dimension = parseDimension(params.dimension ?? "");
  const query = new Query(request.url);
  const scope = query.scope(nowMs);
  const rowsMax = query.integer("limit", { min: 1, max: BREAKDOWN_ROWS_MAX, otherwise: BREAKDOWN_ROWS_DEFAULT });
  return jsonResponse(
    await services.queries.over(scope, deadline.signal, (ask) => breakdownRows(ask, scope, dimension, rowsMax)),
  );
};
