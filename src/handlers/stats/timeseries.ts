/** GET /api/stats/timeseries (contract 4.4): visitors and pageviews by hour or day. */
import { seriesPoints } from "../../runtime/stats/figures.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { jsonResponse } from "../responses.ts";

export const getTimeseries: Handler = async (request, { services, nowMs, deadline }) => {
  const scope = new Query(request.url).scope(nowMs);
  return jsonResponse(await services.queries.over(scope, deadline.signal, (ask) => seriesPoints(ask, scope)));
};
