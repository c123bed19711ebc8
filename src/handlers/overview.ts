/** GET /api/stats/overview: metrics of all sites that the caller may read (docs/http-api.md, "Overview"). */
import { OVERVIEW_TIME_SHARE } from "../runtime/base/config/report-limits.ts";
import { OVERVIEW_PARAMETERS } from "../runtime/reports/overview/overview.ts";
import type { Handler } from "./context.ts";
import { Query } from "./query.ts";
import { jsonReply } from "./reply.ts";

export const getOverview: Handler = async (_request, { services, reader, url, beganMs, deadline }) => {
  const values = new Query(url).parse(OVERVIEW_PARAMETERS);
  const untilMs = beganMs + services.config.requestTimeoutSecs * 1000 * OVERVIEW_TIME_SHARE;
  return jsonReply(await services.overview.of({ reader, values, untilMs, signal: deadline.signal }));
};
