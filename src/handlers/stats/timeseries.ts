/** GET /api/stats/timeseries (contract 4.4): visitors and pageviews by hour or day. */
import { seriesOf } from "../../runtime/reports/series.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { figureReply } from "./figure.ts";

export const getTimeseries: Handler = (_request, context) => {
  const scope = new Query(context.url).scope(context.nowMs);
  return figureReply(context, { name: "timeseries", scope }, async (over) =>
    JSON.stringify(await over(scope, (ask) => seriesOf(ask, scope))),
  );
};
