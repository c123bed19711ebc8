/** GET /api/stats/main (contract 4.4): the headline figures. */
import { headlineFigures, sessionFigures } from "../../runtime/stats/figures.ts";
import type { Handler } from "../context.ts";
import { Query } from "../query.ts";
import { jsonResponse } from "../responses.ts";

export const getMain: Handler = async (request, { services, nowMs, deadline }) => {
  const scope = new Query(request.url).scope(nowMs);
  const { behavioral, sessionWindowMinutes } = services.config;
  const { headline, sessions } = await services.queries.over(scope, deadline.signal, async (ask) => ({
    headline: await headlineFigures(ask, scope),
    sessions: behavioral ? await sessionFigures(ask, scope, sessionWindowMinutes * 60_000) : null,
  }));
  return jsonResponse({
    unique_visitors: headline.uniqueVisitors,
    total_pageviews: headline.totalPageviews,
    total_events: headline.totalEvents,
    views_per_visitor: headline.viewsPerVisitor,
    total_sessions: sessions?.totalSessions ?? null,
    bounce_rate: sessions?.bounceRate ?? null,
    avg_visit_duration_secs: sessions?.avgVisitDurationSecs ?? null,
    views_per_visit: sessions?.viewsPerVisit ?? null,
    behavioral_available: sessions !== null,
  });
};
